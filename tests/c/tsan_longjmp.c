/* tsan_longjmp.c - linked into builds under ThreadSanitizer only. It follows setjmp and longjmp, but knows nothing of the names that
 * a fortified liblua jumps by on every error: its picture of the stack would grow with each, and end the process after thousands. */
#include <setjmp.h>

void _longjmp(jmp_buf where, int value) { longjmp(where, value); }

void __longjmp_chk(jmp_buf where, int value) { longjmp(where, value); }

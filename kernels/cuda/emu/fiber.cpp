/* fiber.cpp - stacks, and switching between them.
 *
 * On x86-64 a switch is fifteen instructions and no system call (ucontext asks the kernel for the signal mask every
 * time); other processors, and builds with CEMU_UCONTEXT, use ucontext. Stacks are mapped once, with a guard page
 * below, and reused by later launches.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "emu/machine.h"

#if defined(__x86_64__) && !defined(CEMU_UCONTEXT)

extern "C" void cemu_swap_stacks(void **save, void *load);
__asm__(
    ".text\n"
    ".globl cemu_swap_stacks\n"
    ".hidden cemu_swap_stacks\n"
    ".type cemu_swap_stacks,@function\n"
    "cemu_swap_stacks:\n"
    "  pushq %rbp; pushq %rbx; pushq %r12; pushq %r13; pushq %r14; pushq %r15\n"
    "  movq %rsp, (%rdi)\n"
    "  movq %rsi, %rsp\n"
    "  popq %r15; popq %r14; popq %r13; popq %r12; popq %rbx; popq %rbp\n"
    "  ret\n"
    ".size cemu_swap_stacks, .-cemu_swap_stacks\n");

/* A fresh stack looks as if the fiber had been switched away from just before the first instruction of `entry`. */
static void stack_arm(fiber *f, void (*entry)()) {
  void **top = (void **)(f->stack + f->stack_size - 64);
  *--top = NULL;                              /* the return address of `entry`, which keeps the ABI's alignment */
  *--top = (void *)entry;
  for (int i = 0; i < 6; i++) *--top = NULL;  /* the six saved registers */
  f->stack_pointer = top;
}

static void stack_swap(fiber *from, fiber *to) { cemu_swap_stacks(&from->stack_pointer, to->stack_pointer); }

#else

#include <ucontext.h>

/* stack_pointer holds a ucontext_t*, made once a fiber and kept with its stack. */
static ucontext_t *context_of(fiber *f) {
  if (!f->stack_pointer) f->stack_pointer = new ucontext_t();
  return (ucontext_t *)f->stack_pointer;
}

static void stack_arm(fiber *f, void (*entry)()) {
  ucontext_t *c = context_of(f);
  getcontext(c);
  c->uc_stack.ss_sp = f->stack;
  c->uc_stack.ss_size = f->stack_size;
  c->uc_link = NULL;
  makecontext(c, entry, 0);
}

static void stack_swap(fiber *from, fiber *to) { swapcontext(context_of(from), context_of(to)); }

#endif

static void stack_map(fiber *f) {
  size_t guard = (size_t)sysconf(_SC_PAGESIZE);
  char *base = (char *)mmap(NULL, FIBER_STACK + guard, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) return;
  mprotect(base, guard, PROT_NONE);
  f->stack = base + guard;
  f->stack_size = FIBER_STACK;
}

void fiber_prepare(int count) {
  machine *m = &cemu_machine;
#if defined(CEMU_TSAN)
  machine_launcher()->tsan_fiber = __tsan_get_current_fiber();
  for (int i = 0; i < count; i++)
    if (!m->fibers[i].tsan_fiber) m->fibers[i].tsan_fiber = __tsan_create_fiber(0);
#else
  (void)count;
#endif
  m->current = machine_launcher();
  m->learn_stack = true;
}

fiber *fiber_take(void (*entry)()) {
  machine *m = &cemu_machine;
  fiber *f = m->free_fiber_count ? &m->fibers[m->free_fibers[--m->free_fiber_count]] : &m->fibers[m->fibers_used++];
  if (!f->stack) stack_map(f);
  stack_arm(f, entry);
  return f;
}

void fiber_give(fiber *f) {
  cemu_machine.free_fibers[cemu_machine.free_fiber_count++] = (int)(f - cemu_machine.fibers);
}

void fiber_switch(fiber *to, bool dying) {
  fiber *from = cemu_machine.current;
  if (from == to) return;   /* the last to reach a barrier can be the first to leave it */
  cemu_machine.current = to;
  (void)dying;
#if defined(CEMU_ASAN)
  __sanitizer_start_switch_fiber(dying ? NULL : &from->asan_fake_stack, to->stack, to->stack_size);
#endif
#if defined(CEMU_TSAN)
  __tsan_switch_to_fiber(to->tsan_fiber, __tsan_switch_to_fiber_no_sync);
#endif
  stack_swap(from, to);
#if defined(CEMU_ASAN)
  __sanitizer_finish_switch_fiber(cemu_machine.current->asan_fake_stack, NULL, NULL);
#endif
}

void fiber_entered() {
#if defined(CEMU_ASAN)
  const void *bottom;
  size_t size;
  __sanitizer_finish_switch_fiber(NULL, &bottom, &size);
  if (!cemu_machine.learn_stack) return;
  machine_launcher()->stack = (char *)bottom;
  machine_launcher()->stack_size = size;
  cemu_machine.learn_stack = false;
#endif
}

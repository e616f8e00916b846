/* env.h - every environment variable that moonflow looks at, in one table.
 *
 * No other file of the product calls getenv for a variable of its own: a variable that is not in the table does not
 * exist, and `mf_env_list` is what documentation and `moonflow doctor` print. The library never sets a variable.
 */
#ifndef MF_BASE_ENV_H
#define MF_BASE_ENV_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum mf_env {
  MF_ENV_LOG,
  MF_ENV_NUM_THREADS,
  MF_ENV_ISA,
  MF_ENV_CUDA,
  MF_ENV_PLUGIN_PATH,
  MF_ENV_COUNT
} mf_env;

typedef struct mf_env_entry {
  const char *name;           /* "MF_LOG" */
  const char *fallback;       /* the text used when the variable is unset or empty; NULL: none */
  const char *doc;            /* one line: what it does, which values it takes, what it is by default */
} mf_env_entry;

/* The variable's text, its fallback when it is unset or empty, or NULL. Borrowed from the environment: read it at
 * once. Safe from several threads as long as the host does not change the environment meanwhile. */
const char *mf_env_text(mf_env variable);

/* The same as a whole decimal number; -1 when there is none or the text is no number of 0 or more. */
int64_t mf_env_int(mf_env variable);

/* The table, *count entries (MF_ENV_COUNT), in the order of the enumeration. Static. */
const mf_env_entry *mf_env_list(size_t *count);

#ifdef __cplusplus
}
#endif
#endif

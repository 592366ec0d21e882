/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that Python passes to the kernels. */
#ifndef RANKSCOPE_C10D_PYTHON_FUNCTIONS_H
#define RANKSCOPE_C10D_PYTHON_FUNCTIONS_H

/* NOLINTBEGIN: this is C */

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RS_C10D_UNKNOWN_GROUP UINT32_MAX

enum {
    RS_C10D_ALWAYS_WAITS = 1, /* the caller waits for the end, whatever the operator says */
    RS_C10D_WAITS = 2,        /* the caller waits, as far as its frames tell */
    RS_C10D_FIXED = 4         /* the same for each call from the same frames */
};

/* Writes what the calling thread's collective is for. Returns a sum of the values above, plus 256 times the number of
 * frames, counted from the innermost, that it depends on; 0 frames: on all. -1: failed. Called with the GIL. */
typedef int (*rs_c10d_resolve)(char* tag, int size);
/* Returns the number of the process group with this name (rs_group()). Called once for each group, with the GIL. */
typedef uint32_t (*rs_c10d_group)(const char* name);

#ifdef __cplusplus
}
#endif
/* NOLINTEND */
#endif

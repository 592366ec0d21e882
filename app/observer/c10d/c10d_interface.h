/* SPDX-License-Identifier: Apache-2.0 */
/* librankscope_c10d-<version>.so: reports every collective of PyTorch to librankscope_rank.so, by kernels of namespace
 * c10d at the dispatch key BackendSelect. Each library is for one minor version of PyTorch and one C++ ABI. What it
 * needs from Python it gets by functions that Python gives; without them it only knows less. */
#ifndef RANKSCOPE_C10D_INTERFACE_H
#define RANKSCOPE_C10D_INTERFACE_H

#include <stddef.h>
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
/* Returns the number of the process group with this name (rs_group()). Called once for each group. */
typedef uint32_t (*rs_c10d_group)(const char* name);

/* Registers the kernels; they stay until the process ends. Later calls only forget the groups. Returns how many
 * operators are seen; -1 with a sentence in `error`. */
int rs_c10d_install(rs_c10d_resolve resolve, rs_c10d_group group, char* error, size_t error_size);

/* For the functions above: raises an exception of Python as soon as they have returned and the program's own code
 * continues. In the main thread, with the GIL. */
void rs_c10d_raise_later(void* exception);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* librankscope_c10d-<version>.so: reports every collective of PyTorch to librankscope_rank.so, by kernels of namespace
 * c10d at the dispatch key BackendSelect. Each library is for one minor version of PyTorch and one C++ ABI. What it
 * needs from Python it gets by functions that Python gives; without them it only knows less. */
#ifndef RANKSCOPE_C10D_INTERFACE_H
#define RANKSCOPE_C10D_INTERFACE_H

#include "app/observer/c10d/python/python_functions.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

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

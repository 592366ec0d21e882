/* SPDX-License-Identifier: Apache-2.0 */
/* librankscope_c10d-<version>.so: reports every collective of PyTorch to librankscope_rank.so, by kernels for the
 * operators of namespace c10d at the dispatch key BackendSelect. Each library is built for one minor version of PyTorch
 * and one C++ ABI. It calls functions that Python passes to it for what only Python knows; without them, it reports
 * less. */
#ifndef RANKSCOPE_C10D_INTERFACE_H
#define RANKSCOPE_C10D_INTERFACE_H

/* NOLINTBEGIN: this is C */

#include "app/observer/c10d/python/python_functions.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Registers the kernels, which stay registered until the process ends. A later call only forgets the known groups.
 * Returns the number of operators that are observed; -1 with a sentence in `error`. */
int rs_c10d_install(rs_c10d_resolve resolve, rs_c10d_group group, char* error, size_t error_size);

/* Called by the functions above to raise a Python exception once they have returned and the program's own code
 * continues. Main thread only, with the GIL held. */
void rs_c10d_raise_later(void* exception);

#ifdef __cplusplus
}
#endif
/* NOLINTEND */
#endif

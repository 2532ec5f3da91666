/* SPDX-License-Identifier: Apache-2.0 */
/* What the host backend calls in BLIS besides products; like blas_abi.h.  Its integers have the size
 * of a pointer unless it was built otherwise, and its architectures are an enum. */
#ifndef BLIS_ABI_H
#define BLIS_ABI_H

#include "blas_abi.h"

#ifndef ABI_OF_VENDOR
typedef int64_t dim_t;
typedef int64_t gint_t;
typedef uint32_t arch_t;
#endif

/* The functions: X(field, "name", (arguments)). */
#define BLIS_VERSION(X) \
	X(version, "bli_info_get_version_str", (void))

#define BLIS_ARCH(X) \
	X(arch, "bli_arch_query_id", (void))

#define BLIS_ARCH_NAME(X) \
	X(arch_name, "bli_arch_string", (arch_t arch))

#define BLIS_THREADS(X) \
	X(threads, "bli_thread_get_num_threads", (void))

#define BLIS_SET_THREADS(X) \
	X(set_threads, "bli_thread_set_num_threads", (dim_t threads))

#define BLIS_INT_SIZE(X) \
	X(int_size, "bli_info_get_blas_int_type_size", (void))

#endif

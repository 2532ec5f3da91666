/* SPDX-License-Identifier: Apache-2.0 */
/* What the host backend calls in OpenBLAS besides products; like blas_abi.h. */
#ifndef OPENBLAS_ABI_H
#define OPENBLAS_ABI_H

#include "blas_abi.h"

/* The functions: X(field, "name", (arguments)). */
#define OPENBLAS_TEXTS(X) \
	X(config, "openblas_get_config", (void)) \
	X(corename, "openblas_get_corename", (void))

#define OPENBLAS_NUMBERS(X) \
	X(threads, "openblas_get_num_threads", (void)) \
	X(parallel, "openblas_get_parallel", (void))

#define OPENBLAS_COMMANDS(X) \
	X(set_threads, "openblas_set_num_threads", (int threads))

#endif

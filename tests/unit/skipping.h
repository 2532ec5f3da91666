/* SPDX-License-Identifier: Apache-2.0 */
/* Skipping a test of cmocka's, which has no room for a reason: it stands on a line before. */
#ifndef SKIPPING_H
#define SKIPPING_H

#include <stdio.h>

/* Ends the running test as skipped.  reason: one line; where a package would bring what is missing, it
 * ends with "(package NAME)". */
#define skip_because(reason) \
	do { \
		printf("# SKIP %s\n", reason); \
		fflush(stdout); \
		skip(); \
	} while (0)

#define NO_CUDA_DRIVER \
	"the test driver of CUDA is built only where cuda.h is: install the CUDA toolkit (package " \
	"nvidia-cuda-toolkit)"

#define NO_HIP_DRIVER \
	"the test runtime of HIP is built only where hip/hip_runtime_api.h is (package libamdhip64-dev)"

#endif

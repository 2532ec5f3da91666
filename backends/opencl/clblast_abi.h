/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What this backend calls in CLBlast, declared here, so that it is built without it.  Values and
 * prototypes are those of clblast_c.h; tests/abi/vendor.sh compares each with it, and reads this
 * file in the forms that tests/abi/vendor/facts.awk lists.
 */
#ifndef CLBLAST_ABI_H
#define CLBLAST_ABI_H

#include "ocl_abi.h"

#ifndef ABI_OF_VENDOR /* the test takes these from the vendor's headers instead */

typedef enum CLBlastStatusCode {
	CLBlastSuccess = 0,
	CLBlastTempBufferAllocFailure = -4,
	CLBlastOpenCLOutOfResources = -5,
	CLBlastOpenCLOutOfHostMemory = -6,
	CLBlastOpenCLBuildProgramFailure = -11,
	CLBlastNotImplemented = -1024,
	CLBlastInvalidLocalMemUsage = -2046,
	CLBlastNoHalfPrecision = -2045,
	CLBlastNoDoublePrecision = -2044,
	CLBlastDatabaseError = -2041,
} CLBlastStatusCode;

typedef enum CLBlastLayout {
	CLBlastLayoutRowMajor = 101,
} CLBlastLayout;

typedef enum CLBlastTranspose {
	CLBlastTransposeNo = 111,
	CLBlastTransposeYes = 112,
} CLBlastTranspose;

typedef uint16_t cl_half;

#endif

/* The functions: X(field, "name", (arguments)).  A product in one type, a batch of them, and the size
 * of the buffer that it takes for the time. */
#define CLBLAST_ONE(type) \
	(CLBlastLayout layout, CLBlastTranspose a_turned, CLBlastTranspose b_turned, size_t m, size_t n, \
	 size_t k, type alpha, cl_mem a, size_t a_offset, size_t lda, cl_mem b, size_t b_offset, \
	 size_t ldb, type beta, cl_mem c, size_t c_offset, size_t ldc, cl_command_queue *queue, \
	 cl_event *event)
#define CLBLAST_BATCH(type) \
	(CLBlastLayout layout, CLBlastTranspose a_turned, CLBlastTranspose b_turned, size_t m, size_t n, \
	 size_t k, type alpha, cl_mem a, size_t a_offset, size_t lda, size_t a_stride, cl_mem b, \
	 size_t b_offset, size_t ldb, size_t b_stride, type beta, cl_mem c, size_t c_offset, size_t ldc, \
	 size_t c_stride, size_t batch, cl_command_queue *queue, cl_event *event)
#define CLBLAST_SIZE \
	(CLBlastLayout layout, CLBlastTranspose a_turned, CLBlastTranspose b_turned, size_t m, size_t n, \
	 size_t k, size_t a_offset, size_t lda, size_t b_offset, size_t ldb, size_t c_offset, size_t ldc, \
	 cl_command_queue *queue, size_t *bytes)

#define CLBLAST_FUNCTIONS(X) \
	X(clear_cache, "CLBlastClearCache", (void)) \
	X(sgemm, "CLBlastSgemm", CLBLAST_ONE(float)) \
	X(dgemm, "CLBlastDgemm", CLBLAST_ONE(double)) \
	X(hgemm, "CLBlastHgemm", CLBLAST_ONE(cl_half)) \
	X(sgemm_batch, "CLBlastSgemmStridedBatched", CLBLAST_BATCH(float)) \
	X(dgemm_batch, "CLBlastDgemmStridedBatched", CLBLAST_BATCH(double)) \
	X(hgemm_batch, "CLBlastHgemmStridedBatched", CLBLAST_BATCH(cl_half))

/* Since version 1.4. */
#define CLBLAST_OPTIONAL(X) \
	X(sgemm_size, "CLBlastSGemmTempBufferSize", CLBLAST_SIZE) \
	X(dgemm_size, "CLBlastDGemmTempBufferSize", CLBLAST_SIZE) \
	X(hgemm_size, "CLBlastHGemmTempBufferSize", CLBLAST_SIZE)

#endif

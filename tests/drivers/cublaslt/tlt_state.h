/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The test library's own objects: a library named libcublasLt.so.12 that makes right products in the
 * memory and the streams of the test driver.  It is strict where the real one is undefined: sizes of
 * attributes, handles, alignments and the context are checked.  EVENHAND_TEST_FAULT knows its functions,
 * with these words besides statuses:
 *
 *   cublasLtMatmul=wrong                    one element has a wrong bit
 *   cublasLtMatmul=stale                    it says that it ran, and does nothing
 *   cublasLtMatmulAlgoGetHeuristic=none     success without an algorithm
 *   cublasLtMatmulAlgoGetHeuristic=narrow   only algorithms that multiply or add up in fewer bits
 *   cublasLtMatmulAlgoGetHeuristic=both     only ones that do so and name the right types as well
 *   cublasLtMatmulAlgoCapGetAttribute=untold  success without a flag
 *   cublasLtGetProperty=old                 the version before 8-bit floats
 */
#ifndef TLT_STATE_H
#define TLT_STATE_H

#include <stdbool.h>

#include "../../../backends/cuda/cublaslt_abi.h"
#include "../products/products.h"
#include "../shared/faults.h"
#include "../shared/library.h"

#define TLT_VISIBLE __attribute__((visibility("default")))
#define TLT_API TLT_VISIBLE cublasStatus_t

/* Each has the type by which the backend calls it. */
#define X(field, names, arguments) typedef cublasStatus_t tlt_##field arguments;
CUBLASLT_FUNCTIONS(X)
#undef X
TLT_VISIBLE tlt_create cublasLtCreate;
TLT_VISIBLE tlt_destroy cublasLtDestroy;
TLT_VISIBLE tlt_property cublasLtGetProperty;
TLT_VISIBLE tlt_desc_create cublasLtMatmulDescCreate;
TLT_VISIBLE tlt_desc_destroy cublasLtMatmulDescDestroy;
TLT_VISIBLE tlt_desc_set cublasLtMatmulDescSetAttribute;
TLT_VISIBLE tlt_layout_create cublasLtMatrixLayoutCreate;
TLT_VISIBLE tlt_layout_destroy cublasLtMatrixLayoutDestroy;
TLT_VISIBLE tlt_layout_set cublasLtMatrixLayoutSetAttribute;
TLT_VISIBLE tlt_preference_create cublasLtMatmulPreferenceCreate;
TLT_VISIBLE tlt_preference_destroy cublasLtMatmulPreferenceDestroy;
TLT_VISIBLE tlt_preference_set cublasLtMatmulPreferenceSetAttribute;
TLT_VISIBLE tlt_heuristic cublasLtMatmulAlgoGetHeuristic;
TLT_VISIBLE tlt_capability cublasLtMatmulAlgoCapGetAttribute;
TLT_VISIBLE tlt_configuration cublasLtMatmulAlgoConfigGetAttribute;
TLT_VISIBLE tlt_matmul cublasLtMatmul;

enum { TLT_WRONG = -1, TLT_STALE = -2, TLT_NONE = -3, TLT_NARROW = -4, TLT_BOTH = -5, TLT_UNTOLD = -6,
       TLT_OLD = -7, TLT_TF32 = -8, TLT_FLUSH = -9, TLT_SHORT = -10,
       TLT_HALF = -11 };

/* The first member of each object. */
typedef enum tlt_kind {
	TLT_HANDLE = 0x7e57a001,
	TLT_DESC,
	TLT_LAYOUT,
	TLT_PREFERENCE,
	TLT_ALGORITHM
} tlt_kind;

struct cublasLtContext {
	uint32_t kind;
	int device, compute;
};

struct cublasLtMatmulDesc {
	uint32_t kind;
	cublasComputeType_t compute;
	cudaDataType_t scale;
	int32_t turn_a, turn_b;
};

struct cublasLtMatrixLayout {
	uint32_t kind;
	cudaDataType_t type;
	uint64_t rows, columns; /* as they are stored, by columns                              */
	int64_t leading, offset;
	int32_t batch;
};

struct cublasLtMatmulPreference {
	uint32_t kind;
	uint64_t workspace, kinds;
	uint32_t reduction;
	uint32_t alignment[4];  /* of A, B, C and D                                            */
};

/* What a cublasLtMatmulAlgo_t holds. */
typedef struct tlt_algorithm {
	uint64_t kind;
	int32_t id, tile, stages, split;
	uint64_t workspace, flags, alignment;
	uint32_t reduction, swizzling, option;
	uint16_t inner, cluster;
} tlt_algorithm;
_Static_assert(sizeof(tlt_algorithm) == sizeof(cublasLtMatmulAlgo_t), "it is copied as a whole");

/* It is a live object of that kind. */
bool tlt_is(const void *object, tlt_kind kind);

/* Words for codes in EVENHAND_TEST_FAULT. */
bool tlt_word(const char *word, int64_t *code);

/* Counts the call, and makes a planned one fail. */
#define TLT_ENTER(name)                                       \
	int64_t planned_ = 0;                                 \
	if (faults_call(name, tlt_word, &planned_) && planned_ >= 0) \
		return (cublasStatus_t)planned_

/* PRODUCT_NONE for a type that the library has not. */
product_type tlt_type(cudaDataType_t type);

/* The matrices as a product; false when they do not fit together. */
bool tlt_product(const struct cublasLtMatmulDesc *desc, const struct cublasLtMatrixLayout *a,
                 const struct cublasLtMatrixLayout *b, const struct cublasLtMatrixLayout *d, product *p);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The test library's own objects: a library named libhipblaslt.so.N that makes right products in the memory
 * and the streams of the test runtime.  It is strict where the real one is undefined: sizes of attributes,
 * handles, alignments and the device are checked.  EVENHAND_TEST_FAULT knows its functions, with these
 * words besides statuses:
 *
 *   hipblasLtMatmul=wrong                   one element has a wrong bit
 *   hipblasLtMatmul=stale                   it says that it ran, and does nothing
 *   hipblasLtMatmul=narrow                  factors of f32 are multiplied as xf32
 *   hipblasLtMatmulAlgoGetHeuristic=none    success without an algorithm
 *   hipblasLtMatmulAlgoGetHeuristic=refused only algorithms that are not supported
 *   hipblasLtGetVersion=old                 0.5.0, whose types had other numbers
 *   hipblasLtGetGitRevision=untold          a library that was not built from git
 */
#ifndef THL_STATE_H
#define THL_STATE_H

#include "../../../backends/hip/hipblaslt_abi.h"
#include "../products/products.h"
#include "../shared/faults.h"
#include "../shared/library.h"

#define THL_VISIBLE __attribute__((visibility("default")))
#define THL_API THL_VISIBLE hipblasStatus_t

/* Each has the type by which the backend calls it. */
#define X(field, names, arguments) typedef hipblasStatus_t thl_##field arguments;
HIPBLASLT_FUNCTIONS(X)
#undef X
THL_VISIBLE thl_create hipblasLtCreate;
THL_VISIBLE thl_destroy hipblasLtDestroy;
THL_VISIBLE thl_version hipblasLtGetVersion;
THL_VISIBLE thl_revision hipblasLtGetGitRevision;
THL_VISIBLE thl_desc_create hipblasLtMatmulDescCreate;
THL_VISIBLE thl_desc_destroy hipblasLtMatmulDescDestroy;
THL_VISIBLE thl_desc_set hipblasLtMatmulDescSetAttribute;
THL_VISIBLE thl_layout_create hipblasLtMatrixLayoutCreate;
THL_VISIBLE thl_layout_destroy hipblasLtMatrixLayoutDestroy;
THL_VISIBLE thl_layout_set hipblasLtMatrixLayoutSetAttribute;
THL_VISIBLE thl_preference_create hipblasLtMatmulPreferenceCreate;
THL_VISIBLE thl_preference_destroy hipblasLtMatmulPreferenceDestroy;
THL_VISIBLE thl_preference_set hipblasLtMatmulPreferenceSetAttribute;
THL_VISIBLE thl_heuristic hipblasLtMatmulAlgoGetHeuristic;
THL_VISIBLE thl_matmul hipblasLtMatmul;

enum { THL_WRONG = -1, THL_STALE = -2, THL_NARROW = -3, THL_NONE = -4, THL_REFUSED = -5, THL_OLD = -6,
       THL_UNTOLD = -7 };

/* The first member of each object. */
typedef enum thl_kind {
	THL_HANDLE = 0x7e57b001,
	THL_DESC,
	THL_LAYOUT,
	THL_PREFERENCE
} thl_kind;

typedef struct thl_context {
	uint32_t kind;
	int device, generation;
	hipStream_t stream; /* of its first product: its flags are for one                  */
} thl_context;

struct hipblasLtMatmulDescOpaque {
	uint32_t kind;
	hipblasComputeType_t compute;
	hipDataType scale;
	int32_t turn_a, turn_b;
};

struct hipblasLtMatrixLayoutOpaque {
	uint32_t kind;
	hipDataType type;
	uint64_t rows, columns; /* as they are stored, by columns                              */
	int64_t leading, offset;
	int32_t batch;
};

struct hipblasLtMatmulPreferenceOpaque {
	uint32_t kind;
	uint64_t workspace;
};

/* What hipblasLtMatmulAlgo_t.data holds. */
typedef struct thl_algorithm {
	int32_t index;
	uint32_t workspace; /* bytes                                                           */
	uint64_t spare;
} thl_algorithm;
_Static_assert(sizeof(thl_algorithm) == sizeof(((hipblasLtMatmulAlgo_t *)NULL)->data), "it is copied as a whole");

/* It is a live object of that kind. */
bool thl_is(const void *object, thl_kind kind);

/* The handle is one of the calling thread's device. */
bool thl_is_here(const void *handle);

/* Words for codes in EVENHAND_TEST_FAULT. */
bool thl_word(const char *word, int64_t *code);

/* Counts the call, and makes a planned one fail. */
#define THL_ENTER(name)                                       \
	int64_t planned_ = 0;                                 \
	if (faults_call(name, thl_word, &planned_) && planned_ >= 0) \
		return (hipblasStatus_t)planned_

/* PRODUCT_NONE for a type that the library has not. */
product_type thl_type(hipDataType type);

/* The matrices as a product; false when they do not fit together. */
bool thl_product(const struct hipblasLtMatmulDescOpaque *desc, const struct hipblasLtMatrixLayoutOpaque *a,
                 const struct hipblasLtMatrixLayoutOpaque *b, const struct hipblasLtMatrixLayoutOpaque *d,
                 product *p);

#endif

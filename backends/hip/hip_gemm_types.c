/* SPDX-License-Identifier: Apache-2.0 */
/* Which types the libraries of products have, and on which devices. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hip_state.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
#define LT(type) HIPBLAS_COMPUTE_##type, "HIPBLAS_COMPUTE_" #type
#define NO_LT (hipblasComputeType_t)0, NULL
#define ROC(type) rocblas_datatype_##type##_r
#define ROC_IN(type) ROC(type), "rocblas_datatype_" #type "_r"
#define NO_ROC (rocblas_datatype)0

static const struct {
	const char *name;
	hipDataType lt;
	rocblas_datatype roc;
} elements[] = {
	{ "f64", HIP_R_64F, ROC(f64) },        { "f32", HIP_R_32F, ROC(f32) },
	{ "tf32", HIP_R_32F, NO_ROC },         { "f16", HIP_R_16F, ROC(f16) },
	{ "bf16", HIP_R_16BF, ROC(bf16) },     { "i8", HIP_R_8I, ROC(i8) },
	{ "i32", HIP_R_32I, ROC(i32) },        { "e4m3", HIP_R_8F_E4M3, NO_ROC },
	{ "e5m2", HIP_R_8F_E5M2, NO_ROC },     { "e4m3z", HIP_R_8F_E4M3_FNUZ, NO_ROC },
	{ "e5m2z", HIP_R_8F_E5M2_FNUZ, NO_ROC },
};

/* The types of A and B, those that C may have with them, where products are added up, and how each library is
 * asked for it. */
static const struct {
	const char *a, *b, *c[3], *accumulate;
	hipblasComputeType_t lt;
	const char *lt_name;
	hipDataType lt_scale;
	rocblas_datatype roc;
	const char *roc_name;
} products[] = {
	{ "f64", "f64", { "f64" }, "f64", NO_LT, HIP_R_64F, ROC_IN(f64) },
	{ "f32", "f32", { "f32" }, "f32", LT(32F), HIP_R_32F, ROC_IN(f32) },
	{ "tf32", "tf32", { "f32" }, "f32", LT(32F_FAST_TF32), HIP_R_32F, NO_ROC, NULL },
	{ "f16", "f16", { "f16", "f32" }, "f32", LT(32F), HIP_R_32F, ROC_IN(f32) },
	{ "bf16", "bf16", { "bf16", "f32" }, "f32", LT(32F), HIP_R_32F, ROC_IN(f32) },
	{ "i8", "i8", { "i32" }, "i32", LT(32I), HIP_R_32I, ROC_IN(i32) },
#define EIGHT(a, b) { a, b, { "bf16", "f16", "f32" }, "f32", LT(32F), HIP_R_32F, NO_ROC, NULL }
	EIGHT("e4m3", "e4m3"),
	EIGHT("e4m3", "e5m2"),
	EIGHT("e5m2", "e4m3"),
	EIGHT("e5m2", "e5m2"),
	EIGHT("e4m3z", "e4m3z"),
	EIGHT("e4m3z", "e5m2z"),
	EIGHT("e5m2z", "e4m3z"),
	EIGHT("e5m2z", "e5m2z"),
#undef EIGHT
};

static size_t element_of(const char *name)
{
	size_t i = 0;

	while (i < COUNT(elements) - 1 && strcmp(elements[i].name, name) != 0)
		i++;
	return i;
}

/* The place in `products`, COUNT(products) = none. */
static size_t product_of(const eh_gemm *g)
{
	for (size_t i = 0; i < COUNT(products); i++)
		for (size_t out = 0; out < COUNT(products[i].c) && products[i].c[out] != NULL; out++)
			if (products_types(g, products[i].a, products[i].b, products[i].c[out],
			                   products[i].accumulate))
				return i;
	return COUNT(products);
}

/* 904 of "gfx942:sramecc+:xnack-", 1200 of "gfx1201": major times 100 and minor; 0 = unknown. */
static int generation_of(const eh_device *d)
{
	const char *digits = d->architecture + strlen("gfx");
	const size_t length = strspn(digits, "0123456789abcdef");
	char major[8], minor[2] = "";

	if (length < 3 || length > 6)
		return 0;
	snprintf(major, sizeof(major), "%.*s", (int)length - 2, digits);
	minor[0] = digits[length - 2];
	return 100 * (int)strtol(major, NULL, 10) + (int)strtol(minor, NULL, 16);
}

/* "gfx942" */
static void short_name(const eh_device *d, char name[16])
{
	snprintf(name, 16, "%.*s", (int)strcspn(d->architecture, ":"), d->architecture);
}

/* As AMD's table of the types of its libraries has them. */
static eh_status check_device(const eh_device *d, const eh_gemm *g, eh_error *error)
{
	const int generation = generation_of(d);
	const bool z = strchr(g->type_a, 'z') != NULL;
	const bool has_z = generation == 904, has_ocp = generation == 905 || generation >= 1200;
	char text[48], name[16];

	products_text(g, text, sizeof(text));
	short_name(d, name);
	if (strcmp(g->type_a, "tf32") == 0 && generation != 904)
		return failure_set(error, EH_E_UNSUPPORTED, "gemm", "hipBLASLt has no product of %s on %s: only "
		                   "gfx940 to gfx942 multiply xf32.", text, name);
	if (g->type_a[0] != 'e' || (z ? has_z : has_ocp))
		return EH_OK;
	return failure_set(error, EH_E_UNSUPPORTED, "gemm", "hipBLASLt has no product of %s on %s%s.", text, name,
	                   has_z     ? ", whose 8-bit floats are e4m3z and e5m2z"
	                   : has_ocp ? ", whose 8-bit floats are e4m3 and e5m2"
	                             : ", which multiplies no 8-bit floats");
}

static eh_status has_none(const char *library, const eh_gemm *g, eh_error *error)
{
	char text[48];

	products_text(g, text, sizeof(text));
	return failure_set(error, EH_E_UNSUPPORTED, "gemm", "%s has no product of %s.", library, text);
}

eh_status hip_gemm_types_lt(const eh_device *d, const eh_gemm *g, hip_gemm_types *types, eh_error *error)
{
	static const char library[] = "hipBLASLt";
	const size_t i = product_of(g);
	eh_status status;

	if (i == COUNT(products) || products[i].lt_name == NULL)
		return has_none(library, g, error);
	status = check_device(d, g, error);
	if (status == EH_OK)
		status = products_fit(g, library, error);
	if (status == EH_OK)
		status = products_whole(g, library, error);
	if (status != EH_OK)
		return status;
	types->lt = (lt_types){ .compute = products[i].lt, .scale = products[i].lt_scale,
	                        .a = elements[element_of(g->type_b)].lt,
	                        .b = elements[element_of(g->type_a)].lt,
	                        .c = elements[element_of(g->type_c)].lt };
	types->lt_compute = products[i].lt_name;
	return EH_OK;
}

eh_status hip_gemm_types_roc(const eh_device *d, const eh_gemm *g, hip_gemm_types *types, eh_error *error)
{
	static const char library[] = "rocBLAS";
	const size_t i = product_of(g);
	eh_status status;

	(void)d;
	if (i == COUNT(products) || products[i].roc == NO_ROC)
		return has_none(library, g, error);
	status = products_fit(g, library, error);
	if (status == EH_OK)
		status = products_fit_int(g, library, error);
	if (status == EH_OK)
		status = products_whole(g, library, error);
	if (status != EH_OK)
		return status;
	types->roc.a = elements[element_of(g->type_b)].roc;
	types->roc.b = elements[element_of(g->type_a)].roc;
	types->roc.c = elements[element_of(g->type_c)].roc;
	types->roc.compute = products[i].roc;
	types->roc_compute = products[i].roc_name;
	return EH_OK;
}

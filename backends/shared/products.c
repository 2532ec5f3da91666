/* SPDX-License-Identifier: Apache-2.0 */
#include "products.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failure.h"

extern char **environ;

static const struct {
	char name[8];
	uint64_t bytes;
} types[] = {
	{ "f64", 8 }, { "f32", 4 }, { "tf32", 4 }, { "f16", 2 }, { "bf16", 2 }, { "e4m3", 1 },
	{ "e5m2", 1 }, { "e4m3z", 1 }, { "e5m2z", 1 }, { "i8", 1 }, { "i32", 4 },
};

uint64_t products_type_bytes(const char *type)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strncmp(type, types[i].name, sizeof(types[i].name)) == 0)
			return types[i].bytes;
	return 0;
}

/* The bytes of `batch` matrices of rows x columns elements; 0 when they are too many. */
static uint64_t matrix_bytes(uint64_t rows, uint64_t columns, uint64_t leading, uint64_t batch,
                             uint64_t stride, uint64_t element)
{
	uint64_t whole, gaps, bytes;

	if (__builtin_mul_overflow(rows - 1, leading, &whole) ||
	    __builtin_add_overflow(whole, columns, &whole) ||
	    __builtin_mul_overflow(batch - 1, stride, &gaps) ||
	    __builtin_add_overflow(whole, gaps, &whole) ||
	    __builtin_mul_overflow(whole, element, &bytes) || bytes > INT64_MAX)
		return 0;
	return bytes;
}

static eh_status check_leading(const char *matrix, uint64_t leading, uint64_t columns, eh_error *error)
{
	if (leading >= columns)
		return EH_OK;
	return failure_set(error, EH_E_INVALID_ARGUMENT, "gemm", "The leading dimension of %s, %llu, is "
	                   "shorter than its rows of %llu elements.", matrix,
	                   (unsigned long long)leading, (unsigned long long)columns);
}

eh_status products_check(const eh_gemm *gemm, products_bytes *bytes, eh_error *error)
{
	const char *const names[] = { gemm->type_a, gemm->type_b, gemm->type_c, gemm->accumulate };
	const bool turn_a = (gemm->flags & EH_GEMM_TRANSPOSE_A) != 0;
	const bool turn_b = (gemm->flags & EH_GEMM_TRANSPOSE_B) != 0;
	const uint64_t columns_a = turn_a ? gemm->m : gemm->k, columns_b = turn_b ? gemm->k : gemm->n;
	eh_status status;

	if (gemm->struct_size < sizeof(*gemm))
		return failure_set(error, EH_E_INVALID_ARGUMENT, "gemm", "The description of the product has "
		                   "%u bytes, and eh.gemm.1 has %zu.", gemm->struct_size, sizeof(*gemm));
	if ((gemm->flags & ~(uint32_t)(EH_GEMM_TRANSPOSE_A | EH_GEMM_TRANSPOSE_B)) != 0)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "gemm", "The flags 0x%x of the product are "
		                   "unknown.", gemm->flags);
	if (gemm->m == 0 || gemm->n == 0 || gemm->k == 0 || gemm->batch == 0)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "gemm", "A product of %llu x %llu x %llu, "
		                   "%llu times, is empty.", (unsigned long long)gemm->m,
		                   (unsigned long long)gemm->n, (unsigned long long)gemm->k,
		                   (unsigned long long)gemm->batch);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (products_type_bytes(names[i]) == 0)
			return failure_set(error, EH_E_INVALID_ARGUMENT, "gemm", "%.7s is no type of eh.gemm.1.",
			                   names[i]);
	status = check_leading("A", gemm->lda, columns_a, error);
	if (status == EH_OK)
		status = check_leading("B", gemm->ldb, columns_b, error);
	if (status == EH_OK)
		status = check_leading("C", gemm->ldc, gemm->n, error);
	if (status != EH_OK)
		return status;
	bytes->a = matrix_bytes(turn_a ? gemm->k : gemm->m, columns_a, gemm->lda, gemm->batch,
	                        gemm->stride_a, products_type_bytes(gemm->type_a));
	bytes->b = matrix_bytes(turn_b ? gemm->n : gemm->k, columns_b, gemm->ldb, gemm->batch,
	                        gemm->stride_b, products_type_bytes(gemm->type_b));
	bytes->c = matrix_bytes(gemm->m, gemm->n, gemm->ldc, gemm->batch, gemm->stride_c,
	                        products_type_bytes(gemm->type_c));
	if (bytes->a == 0 || bytes->b == 0 || bytes->c == 0)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "gemm", "The matrices of the product are larger "
		                   "than 2^63 bytes.");
	if (gemm->batch > 1 && gemm->stride_c < (gemm->m - 1) * gemm->ldc + gemm->n)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "gemm", "The matrices C of the batch overlap: "
		                   "their stride is %llu elements.", (unsigned long long)gemm->stride_c);
	return EH_OK;
}

eh_status products_fit(const eh_gemm *g, const char *library, eh_error *error)
{
	const uint64_t numbers[] = { g->m, g->n, g->k, g->lda, g->ldb, g->ldc, g->stride_a, g->stride_b,
	                             g->stride_c };

	if (g->batch > INT32_MAX)
		return failure_set(error, EH_E_UNSUPPORTED, "gemm", "%s counts the products of a batch in 32 "
		                   "bits, and %llu is above 2^31-1.", library, (unsigned long long)g->batch);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (numbers[i] > INT64_MAX)
			return failure_set(error, EH_E_UNSUPPORTED, "gemm", "%s counts in 64 bits with a sign, and "
			                   "%llu is above 2^63-1.", library, (unsigned long long)numbers[i]);
	return EH_OK;
}

eh_status products_fit_int(const eh_gemm *gemm, const char *library, eh_error *error)
{
	const uint64_t numbers[] = { gemm->m, gemm->n, gemm->k, gemm->lda, gemm->ldb, gemm->ldc };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (numbers[i] > INT_MAX)
			return failure_set(error, EH_E_UNSUPPORTED, "gemm", "%s counts in 32 bits, and %llu is "
			                   "above 2^31-1.", library, (unsigned long long)numbers[i]);
	return EH_OK;
}

bool products_types(const eh_gemm *gemm, const char *a, const char *b, const char *c,
                    const char *accumulate)
{
	return strcmp(gemm->type_a, a) == 0 && strcmp(gemm->type_b, b) == 0 &&
	       strcmp(gemm->type_c, c) == 0 && strcmp(gemm->accumulate, accumulate) == 0;
}

void products_text(const eh_gemm *gemm, char *out, size_t size)
{
	const bool same = strcmp(gemm->type_a, gemm->type_b) == 0;
	const bool kept = same && strcmp(gemm->type_a, gemm->type_c) == 0;
	const bool added = strcmp(gemm->type_c, gemm->accumulate) == 0;

	(void)snprintf(out, size, "%s%s%s%s%s%s%s", gemm->type_a, same ? "" : " x ",
	               same ? "" : gemm->type_b, kept ? "" : " into ", kept ? "" : gemm->type_c,
	               added ? "" : " added up in ", added ? "" : gemm->accumulate);
}

products_factor products_factor_of(const eh_gemm *gemm, double value)
{
	products_factor factor;

	memset(&factor, 0, sizeof(factor));
	if (strcmp(gemm->accumulate, "f64") == 0)
		factor.f64 = value;
	else if (strcmp(gemm->accumulate, "i32") == 0)
		factor.i32 = (int32_t)value;
	else
		factor.f32 = (float)value;
	return factor;
}

static bool is_int(double value)
{
	return fabs(value) <= INT32_MAX && floor(value) == value;
}

eh_status products_whole(const eh_gemm *gemm, const char *library, eh_error *error)
{
	char text[48];

	if (strcmp(gemm->accumulate, "i32") != 0 || (is_int(gemm->alpha) && is_int(gemm->beta)))
		return EH_OK;
	products_text(gemm, text, sizeof(text));
	return failure_set(error, EH_E_UNSUPPORTED, "gemm", "%s scales a product of %s by whole numbers of 32 "
	                   "bits, not by %g and %g.", library, text, gemm->alpha, gemm->beta);
}

/* ---- layers ------------------------------------------------------------------------------ */

eh_status products_give_both(eh_status code, const eh_error *first, const eh_error *second, eh_error *error)
{
	enum { ROOM = sizeof(first->message) - 1 };
	const size_t a = strlen(first->message) + 1, b = strlen(second->message) + 1;
	const size_t half = ROOM / 2;
	char one[sizeof(first->message)], two[sizeof(first->message)];

	wording_shorten(first->message, one, a + b <= ROOM ? a : b < half ? ROOM - b : a < half ? a : half);
	wording_shorten(second->message, two, a + b <= ROOM ? b : a < half ? ROOM - a : b < half ? b : half);
	return failure_set(error, code, "gemm", "%s %s", one, two);
}

void products_passed(const eh_error *why, char *out, size_t size)
{
	size_t length;

	wording_shorten(why->message, out, size);
	length = strlen(out);
	if (length > 0 && out[length - 1] == '.')
		out[length - 1] = '\0';
	for (char *at = out; *at != '\0'; at++)
		if (*at == ';')
			*at = ',';
}

void products_kernel_add(products_kernels *kernels, const char *kernel)
{
	unsigned at = 0;

	while (at < kernels->count && strcmp(kernels->list[at], kernel) < 0)
		at++;
	if (at < kernels->count && strcmp(kernels->list[at], kernel) == 0)
		return;
	if (kernels->count == PRODUCTS_KERNELS) {
		kernels->more = true;
		return;
	}
	memmove(kernels->list[at + 1], kernels->list[at], (kernels->count - at) * sizeof(kernels->list[0]));
	snprintf(kernels->list[at], sizeof(kernels->list[at]), "%s", kernel);
	kernels->count++;
}

void products_kernels_detail(eh_layer *layer, const products_kernels *kernels)
{
	char text[PRODUCTS_KERNELS * (PRODUCTS_KERNEL + 3) + 16] = "";
	size_t used = 0;

	for (unsigned i = 0; i < kernels->count; i++) {
		snprintf(text + used, sizeof(text) - used, "%s%s", i > 0 ? " | " : "", kernels->list[i]);
		used += strlen(text + used);
	}
	if (kernels->more)
		snprintf(text + used, sizeof(text) - used, " | others");
	wording_detail(layer, "kernel", text);
}

typedef struct deciders {
	char text[200];
	unsigned count, left_out;
} deciders;

static void decide(deciders *d, const char *name, size_t length)
{
	const size_t used = strlen(d->text), room = sizeof(d->text) - used;

	if (length + 3 > room) {
		d->left_out++;
		return;
	}
	snprintf(d->text + used, room, "%s%.*s", d->count++ > 0 ? ", " : "", (int)length, name);
}

static void decide_by_beginning(deciders *d, const char *beginning)
{
	for (char *const *entry = environ; entry != NULL && *entry != NULL; entry++)
		if (strncmp(*entry, beginning, strlen(beginning)) == 0)
			decide(d, *entry, strcspn(*entry, "="));
}

void products_picked_detail(eh_layer *layer, const char *how, const char *setting,
                            const char *const variables[])
{
	deciders d = { .text = "" };
	char text[360], more[32] = "";

	if (setting != NULL)
		decide(&d, setting, strlen(setting));
	for (size_t i = 0; variables[i] != NULL; i++)
		if (variables[i][strlen(variables[i]) - 1] == '_')
			decide_by_beginning(&d, variables[i]);
		else if (getenv(variables[i]) != NULL)
			decide(&d, variables[i], strlen(variables[i]));
	if (d.left_out > 0)
		snprintf(more, sizeof(more), " and %u more", d.left_out);
	snprintf(text, sizeof(text), d.count > 0 ? "%.100s (%s%s)" : "%.100s", how, d.text, more);
	wording_detail(layer, "picked", text);
}

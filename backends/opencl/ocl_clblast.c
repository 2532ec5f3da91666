/* SPDX-License-Identifier: Apache-2.0 */
#include "ocl_clblast.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shared/products.h"

#define ADVICE "install the package libclblast1"

static const vendorlib_symbol symbols[] = {
#define X(field, names, arguments) VENDORLIB_REQUIRED(clblast_api, field, names)
	CLBLAST_FUNCTIONS(X)
#undef X
#define X(field, names, arguments) VENDORLIB_OPTIONAL(clblast_api, field, names)
	CLBLAST_OPTIONAL(X)
#undef X
};

static eh_status open_library(const ocl_self *self, ocl_clblast *l, eh_error *error)
{
	const char *chosen = self->host->option(self->host->ctx, "clblast"), *version;
	char *real;
	eh_status status = vendorlib_open(&l->file, "CLBlast", "libclblast.so.1", chosen, ADVICE, error);

	if (status == EH_OK)
		status = vendorlib_resolve(&l->file, symbols, sizeof(symbols) / sizeof(symbols[0]), &l->api,
		    "it is no whole CLBlast, so " ADVICE, error);
	if (status != EH_OK)
		return status;
	real = realpath(l->file.path, NULL);
	if (real != NULL)
		snprintf(l->file.path, sizeof(l->file.path), "%s", real);
	free(real);
	/* It has no function that tells. */
	version = strstr(l->file.path, ".so.");
	snprintf(l->version, sizeof(l->version), "%.31s", version != NULL ? version + 4 : "");
	/* Its calls go to the loader that it is linked with, which knows no other loader's objects. */
	if (vendorlib_find(&l->file, "clGetPlatformIDs") != *(void *const *)&self->api.clGetPlatformIDs)
		return failure_set(error, EH_E_INCOMPATIBLE, "dlsym", "%.150s calls another OpenCL loader than "
		    "%.100s; leave out --set opencl.library.", l->file.path, self->api.path);
	return EH_OK;
}

eh_status ocl_clblast_open(ocl_self *self, eh_error *error)
{
	ocl_clblast *l = self->clblast;

	if (l == NULL) {
		l = calloc(1, sizeof(*l));
		if (l == NULL)
			return failure_set(error, EH_E_NO_MEMORY, "gemm", "No memory is left for CLBlast.");
		l->problem.struct_size = sizeof(l->problem);
		l->status = open_library(self, l, &l->problem);
		self->clblast = l;
	}
	if (l->status != EH_OK && error != NULL)
		eh_give(error, &l->problem, sizeof(l->problem));
	return l->status;
}

bool ocl_clblast_has_types(const eh_gemm *gemm)
{
	/* It adds up halves in halves. */
	return products_types(gemm, "f32", "f32", "f32", "f32") ||
	       products_types(gemm, "f64", "f64", "f64", "f64") ||
	       products_types(gemm, "f16", "f16", "f16", "f16");
}

const char *ocl_clblast_interface(const eh_gemm *gemm)
{
	const bool batch = gemm->batch > 1;

	if (strcmp(gemm->type_c, "f64") == 0)
		return batch ? "CLBlastDgemmStridedBatched" : "CLBlastDgemm";
	if (strcmp(gemm->type_c, "f16") == 0)
		return batch ? "CLBlastHgemmStridedBatched" : "CLBlastHgemm";
	return batch ? "CLBlastSgemmStridedBatched" : "CLBlastSgemm";
}

/* Of a value that a normal half holds, or 0. */
static bool to_half(double value, cl_half *half)
{
	int power;
	const double part = frexp(fabs(value), &power) * 2048; /* 1024 to 2047 */

	*half = 0;
	if (value == 0)
		return true;
	if (power < -13 || power > 16 || part != floor(part))
		return false;
	*half = (cl_half)((value < 0 ? 0x8000 : 0) | (power + 14) << 10 | ((int)part & 0x3ff));
	return true;
}

bool ocl_clblast_has_factors(const eh_gemm *gemm)
{
	cl_half half;

	return strcmp(gemm->type_c, "f16") != 0 ||
	       (to_half(gemm->alpha, &half) && to_half(gemm->beta, &half));
}

CLBlastStatusCode ocl_clblast_run(const clblast_api *api, const eh_gemm *g, const clblast_place *p,
                                  cl_command_queue queue, cl_event *event)
{
	const CLBlastTranspose turn_a = g->flags & EH_GEMM_TRANSPOSE_A ? CLBlastTransposeYes
	                                                               : CLBlastTransposeNo;
	const CLBlastTranspose turn_b = g->flags & EH_GEMM_TRANSPOSE_B ? CLBlastTransposeYes
	                                                               : CLBlastTransposeNo;
	const uint64_t element = products_type_bytes(g->type_c);
	const size_t a = p->offset_a / element, b = p->offset_b / element, c = p->offset_c / element;
	cl_half half_alpha = 0, half_beta = 0;

#define CALL(field, alpha, beta)                                                                  \
	(g->batch > 1                                                                             \
	 ? api->field##_batch(CLBlastLayoutRowMajor, turn_a, turn_b, g->m, g->n, g->k, alpha,     \
	                      p->a, a, g->lda, g->stride_a, p->b, b, g->ldb, g->stride_b, beta,   \
	                      p->c, c, g->ldc, g->stride_c, g->batch, &queue, event)              \
	 : api->field(CLBlastLayoutRowMajor, turn_a, turn_b, g->m, g->n, g->k, alpha, p->a, a,    \
	              g->lda, p->b, b, g->ldb, beta, p->c, c, g->ldc, &queue, event))
	if (strcmp(g->type_c, "f64") == 0)
		return CALL(dgemm, g->alpha, g->beta);
	if (strcmp(g->type_c, "f32") == 0)
		return CALL(sgemm, (float)g->alpha, (float)g->beta);
	(void)to_half(g->alpha, &half_alpha);
	(void)to_half(g->beta, &half_beta);
	return CALL(hgemm, half_alpha, half_beta);
#undef CALL
}

const char *ocl_clblast_kernel(const clblast_api *api, const eh_gemm *g, cl_command_queue queue)
{
	CLBlastStatusCode (*const of_type) CLBLAST_SIZE =
	    strcmp(g->type_c, "f64") == 0 ? api->dgemm_size :
	    strcmp(g->type_c, "f16") == 0 ? api->hgemm_size : api->sgemm_size;
	size_t bytes = 0;

	/* The direct kernel takes no buffer, and the other one takes one for matrices whose rows have
	 * something between them. */
	if (of_type == NULL ||
	    of_type(CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeNo, g->m, g->n, g->k, 0,
	            g->k + 1, 0, g->n + 1, 0, g->n + 1, &queue, &bytes) != CLBlastSuccess)
		return "unknown";
	return bytes == 0 ? "XgemmDirect" : "Xgemm";
}

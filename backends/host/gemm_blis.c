/* SPDX-License-Identifier: Apache-2.0 */
/* BLIS: products of f32 and f64 by its interface of BLAS. */
#include <stdlib.h>

#include "blis_abi.h"
#include "faults.h"
#include "gemm_cblas.h"

typedef struct blis_api {
	cblas_api products;
#define X(field, names, arguments) char *(*field) arguments;
	BLIS_VERSION(X)
	BLIS_ARCH_NAME(X)
#undef X
#define X(field, names, arguments) arch_t (*field) arguments;
	BLIS_ARCH(X)
#undef X
#define X(field, names, arguments) dim_t (*field) arguments;
	BLIS_THREADS(X)
#undef X
#define X(field, names, arguments) void (*field) arguments;
	BLIS_SET_THREADS(X)
#undef X
#define X(field, names, arguments) gint_t (*field) arguments;
	BLIS_INT_SIZE(X)
#undef X
} blis_api;

static const vendorlib_symbol symbols[] = {
#define X(field, names, arguments) VENDORLIB_REQUIRED(blis_api, products.field, names)
	BLAS_PRODUCTS(X)
#undef X
#define X(field, names, arguments) VENDORLIB_REQUIRED(blis_api, field, names)
	BLIS_VERSION(X)
	BLIS_ARCH(X)
	BLIS_ARCH_NAME(X)
	BLIS_THREADS(X)
	BLIS_SET_THREADS(X)
	BLIS_INT_SIZE(X)
#undef X
};

static eh_status open_library(gemm_library *library, eh_error *error)
{
	blis_api *api = calloc(1, sizeof(*api));
	eh_status status;

	if (api == NULL)
		return faults_set(error, EH_E_NO_MEMORY, "Memory is exhausted");
	library->api = api;
	status = vendorlib_resolve(&library->file, symbols, sizeof(symbols) / sizeof(symbols[0]), api,
	                           "it is no whole BLIS, so install the package libblis4-pthread", error);
	if (status != EH_OK)
		return status;
	if (api->int_size() != 32)
		return faults_set(error, EH_E_INCOMPATIBLE, "%.150s takes sizes in %lld bits; a build of BLIS "
		                  "with 32 is needed, such as the package libblis4-pthread",
		                  library->file.path, (long long)api->int_size());
	faults_text(library->version, sizeof(library->version), "%s", api->version());
	faults_text(library->picked, sizeof(library->picked), "bli_arch_query_id (%s)",
	            getenv("BLIS_ARCH_TYPE") != NULL ? "BLIS_ARCH_TYPE" : "cpuid");
	return EH_OK;
}

static eh_status use_threads(gemm_library *library, unsigned threads, eh_error *error)
{
	const blis_api *api = library->api;
	dim_t has;

	api->set_threads((dim_t)threads);
	has = api->threads();
	if (has >= 0 && (uint64_t)has == threads)
		return EH_OK;
	return faults_set(error, EH_E_UNSUPPORTED, "BLIS %s at %.150s works with %lld of the %u threads",
	                  library->version, library->file.path, (long long)has, threads);
}

static eh_status prepare(eh_gemm_plan *plan, eh_error *error)
{
	const blis_api *api = plan->library->api;

	faults_text(plan->kernel, sizeof(plan->kernel), "%s", api->arch_name(api->arch()));
	faults_text(plan->interface, sizeof(plan->interface), "%s", cblas_interface(&plan->gemm));
	return products_fit_int(&plan->gemm, "BLIS", error);
}

static eh_status run(const eh_gemm_plan *plan, const void *a, const void *b, void *c, eh_error *error)
{
	const blis_api *api = plan->library->api;

	(void)error;
	cblas_run(&api->products, &plan->gemm, a, b, c);
	return EH_OK;
}

/* AMD's build of it is libblis-mt. */
static const char *const names[] = { "libblis.so.4", "libblis-mt.so.5", "libblis-mt.so.4",
                                     "libblis.so.3", NULL };
static const char *const folders[] = { "blis-pthread", "blis-openmp", NULL };

const gemm_vendor gemm_blis = {
	.setting = "blis",
	.title = "BLIS",
	.advice = "install the package libblis4-pthread",
	.names = names,
	.folders = folders,
	.open = open_library,
	.use_threads = use_threads,
	.has_types = cblas_has_types,
	.prepare = prepare,
	.run = run,
};

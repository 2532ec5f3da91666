/* SPDX-License-Identifier: Apache-2.0 */
/* OpenBLAS: products of f32 and f64, and of bf16 where it was built with them. */
#include <stdlib.h>
#include <string.h>

#include "faults.h"
#include "gemm_cblas.h"
#include "openblas_abi.h"

typedef struct openblas_api {
	cblas_api products;
#define X(field, names, arguments) char *(*field) arguments;
	OPENBLAS_TEXTS(X)
#undef X
#define X(field, names, arguments) int (*field) arguments;
	OPENBLAS_NUMBERS(X)
#undef X
#define X(field, names, arguments) void (*field) arguments;
	OPENBLAS_COMMANDS(X)
#undef X
} openblas_api;

static const vendorlib_symbol symbols[] = {
#define X(field, names, arguments) VENDORLIB_REQUIRED(openblas_api, products.field, names)
	BLAS_PRODUCTS(X)
#undef X
#define X(field, names, arguments) VENDORLIB_OPTIONAL(openblas_api, products.field, names)
	BLAS_HALF_PRODUCTS(X)
#undef X
#define X(field, names, arguments) VENDORLIB_REQUIRED(openblas_api, field, names)
	OPENBLAS_TEXTS(X)
	OPENBLAS_NUMBERS(X)
	OPENBLAS_COMMANDS(X)
#undef X
};

static const char title[] = "OpenBLAS ";

static eh_status open_library(gemm_library *library, eh_error *error)
{
	openblas_api *api = calloc(1, sizeof(*api));
	const char *config, *core;
	eh_status status;

	if (api == NULL)
		return faults_set(error, EH_E_NO_MEMORY, "Memory is exhausted");
	library->api = api;
	status = vendorlib_resolve(&library->file, symbols, sizeof(symbols) / sizeof(symbols[0]), api,
	                           "it is no whole OpenBLAS, so install the package libopenblas0-pthread",
	                           error);
	if (status != EH_OK)
		return status;
	config = api->config();
	core = api->corename();
	if (config == NULL || core == NULL || strncmp(config, title, strlen(title)) != 0 ||
	    core[0] == '\0')
		return faults_set(error, EH_E_INCOMPATIBLE, "%.150s says that it is \"%.80s\", which is no "
		                  "OpenBLAS", library->file.path, config != NULL ? config : "");
	if (strstr(config, "USE64BITINT") != NULL)
		return faults_set(error, EH_E_INCOMPATIBLE, "%.150s takes sizes in 64 bits; a build of "
		                  "OpenBLAS with 32 is needed, such as the package libopenblas0-pthread",
		                  library->file.path);
	config += strlen(title);
	faults_text(library->version, sizeof(library->version), "%.*s", (int)strcspn(config, " "), config);
	if (strstr(config, "DYNAMIC_ARCH") == NULL)
		faults_text(library->picked, sizeof(library->picked), "openblas_get_corename (at its build)");
	else
		faults_text(library->picked, sizeof(library->picked), "openblas_get_corename (%s)",
		            getenv("OPENBLAS_CORETYPE") != NULL ? "OPENBLAS_CORETYPE" : "cpuid");
	return EH_OK;
}

static eh_status use_threads(gemm_library *library, unsigned threads, eh_error *error)
{
	const openblas_api *api = library->api;
	const char *remedy = api->parallel() == 0
	                     ? "it was built without threads; install the package libopenblas0-pthread"
	                     : "its build has a limit; --set host.threads=N asks for fewer";
	int has;

	api->set_threads((int)threads);
	has = api->threads();
	if (has >= 0 && (unsigned)has == threads)
		return EH_OK;
	return faults_set(error, EH_E_UNSUPPORTED, "OpenBLAS %s at %.120s works with %d of the %u threads: "
	                  "%s", library->version, library->file.path, has, threads, remedy);
}

static bool has_types(const eh_gemm *gemm)
{
	return cblas_has_types(gemm) || cblas_is_half(gemm);
}

static eh_status prepare(eh_gemm_plan *plan, eh_error *error)
{
	const openblas_api *api = plan->library->api;

	if (cblas_is_half(&plan->gemm) && api->products.sbgemm == NULL)
		return faults_set(error, EH_E_UNSUPPORTED, "OpenBLAS %s has no product of bf16: it was built "
		                  "without cblas_sbgemm", plan->library->version);
	faults_text(plan->kernel, sizeof(plan->kernel), "%s", api->corename());
	faults_text(plan->interface, sizeof(plan->interface), "%s", cblas_interface(&plan->gemm));
	return products_fit_int(&plan->gemm, "OpenBLAS", error);
}

static eh_status run(const eh_gemm_plan *plan, const void *a, const void *b, void *c, eh_error *error)
{
	const openblas_api *api = plan->library->api;

	(void)error;
	cblas_run(&api->products, &plan->gemm, a, b, c);
	return EH_OK;
}

/* Fedora and SUSE give the builds names of their own, and there libopenblas.so.0 has no threads. */
static const char *const names[] = { "libopenblasp.so.0", "libopenblas.so.0", NULL };
static const char *const folders[] = { "openblas-pthread", "openblas-openmp", NULL };

const gemm_vendor gemm_openblas = {
	.setting = "openblas",
	.title = "OpenBLAS",
	.advice = "install the package libopenblas0-pthread",
	.names = names,
	.folders = folders,
	.open = open_library,
	.use_threads = use_threads,
	.has_types = has_types,
	.prepare = prepare,
	.run = run,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* oneDNN 2 and 3: products of f32, and of bf16, f16, i8 and, from 3.4 on, formats of 8 bits where it has
 * them for this CPU, by its matmul. */
#include <stdlib.h>
#include <string.h>

#include "attentionplans.h"
#include "faults.h"
#include "gemmplans.h"
#include "shared/onednn.h"

typedef struct onednn_library {
	onednn_api api; /* the first member, for attention_onednn.c                              */
	/* Of the OpenMP that the library brings along. */
	void (*omp_set_num_threads)(int threads);
	int (*omp_get_max_threads)(void);
} onednn_library;

/* A product, and what it is made on and runs in. */
typedef struct onednn_plan {
	dnnl_engine_t engine;
	dnnl_stream_t stream;
	onednn_product product;
} onednn_plan;

#define ADVICE "it is no whole oneDNN 2 or 3, so install Debian's package (libdnnl2, libdnnl3.6)"

static const vendorlib_symbol symbols[] = {
	VENDORLIB_OPTIONAL(onednn_library, omp_set_num_threads, "omp_set_num_threads")
	VENDORLIB_OPTIONAL(onednn_library, omp_get_max_threads, "omp_get_max_threads")
};

static eh_status open_library(gemm_library *library, eh_error *error)
{
	onednn_library *own = calloc(1, sizeof(*own));
	const dnnl_version_t *version;
	eh_status status;

	if (own == NULL)
		return faults_set(error, EH_E_NO_MEMORY, "Memory is exhausted");
	library->api = own;
	status = onednn_resolve(&library->file, &own->api, ADVICE, error);
	if (status == EH_OK)
		status = vendorlib_resolve(&library->file, symbols, sizeof(symbols) / sizeof(symbols[0]), own,
		                           ADVICE, error);
	if (status != EH_OK)
		return status;
	version = own->api.version();
	if (version->cpu_runtime != DNNL_RUNTIME_SEQ &&
	    (version->cpu_runtime != DNNL_RUNTIME_OMP || own->omp_set_num_threads == NULL ||
	     own->omp_get_max_threads == NULL))
		return faults_set(error, EH_E_INCOMPATIBLE, "%.150s has its threads by other means than OpenMP, "
		                  "so their number cannot be set; install Debian's package",
		                  library->file.path);
	faults_text(library->version, sizeof(library->version), "%s", own->api.version_text);
	faults_text(library->picked, sizeof(library->picked), "dnnl_query_impl_info_str (%s)",
	            getenv("DNNL_MAX_CPU_ISA") != NULL || getenv("ONEDNN_MAX_CPU_ISA") != NULL
	            ? "MAX_CPU_ISA" : "cpuid");
	return EH_OK;
}

static eh_status use_threads(gemm_library *library, unsigned threads, eh_error *error)
{
	const onednn_library *own = library->api;
	int has = 1;

	if (own->api.version()->cpu_runtime == DNNL_RUNTIME_OMP) {
		own->omp_set_num_threads((int)threads);
		has = own->omp_get_max_threads();
	}
	if (has >= 0 && (unsigned)has == threads)
		return EH_OK;
	return faults_set(error, EH_E_UNSUPPORTED, "oneDNN %s at %.150s works with %d of the %u threads",
	                  library->version, library->file.path, has, threads);
}

static bool has_types(const eh_gemm *gemm)
{
	return onednn_has_types(gemm, dnnl_cpu);
}

static void release(eh_gemm_plan *plan)
{
	const onednn_library *own = plan->library->api;
	onednn_plan *m = plan->own;

	onednn_release(&own->api, &m->product);
	if (m->stream != NULL)
		(void)own->api.stream_destroy(m->stream);
	if (m->engine != NULL)
		(void)own->api.engine_destroy(m->engine);
	free(m);
	plan->own = NULL;
}

static eh_status prepare(eh_gemm_plan *plan, eh_error *error)
{
	const onednn_api *api = &((const onednn_library *)plan->library->api)->api;
	onednn_plan *m = calloc(1, sizeof(*m));
	const char *kernel = NULL, *call = "dnnl_engine_create";
	char types[48];
	dnnl_status_t rc;

	if (m == NULL)
		return faults_set(error, EH_E_NO_MEMORY, "Memory is exhausted");
	plan->own = m;
	rc = api->engine_create(&m->engine, dnnl_cpu, 0);
	if (rc == dnnl_success) {
		call = "dnnl_stream_create";
		rc = api->stream_create(&m->stream, m->engine, 1);
	}
	if (rc == dnnl_success)
		rc = onednn_build(api, m->engine, dnnl_cpu, &plan->gemm, &m->product, &kernel, &call);
	if (rc == dnnl_success && kernel != NULL) {
		faults_text(plan->kernel, sizeof(plan->kernel), "%s", kernel);
		faults_text(plan->interface, sizeof(plan->interface), "matmul");
		return EH_OK;
	}
	release(plan);
	products_text(&plan->gemm, types, sizeof(types));
	if (rc == dnnl_unimplemented)
		return faults_set(error, EH_E_UNSUPPORTED, "oneDNN %s has no product of %s on this CPU",
		                  plan->library->version, types);
	if (rc == dnnl_out_of_memory)
		return faults_set(error, EH_E_NO_MEMORY, "Memory is exhausted");
	return faults_set(error, EH_E_INTERNAL, "oneDNN %s does not take a product of %s: %s returned %d",
	                  plan->library->version, types, call, (int)rc);
}

static eh_status run(const eh_gemm_plan *plan, const void *a, const void *b, void *c, eh_error *error)
{
	const onednn_api *api = &((const onednn_library *)plan->library->api)->api;
	const onednn_plan *m = plan->own;
	const onednn_product *p = &m->product;
	dnnl_status_t rc = api->memory_set(p->memory[ONEDNN_A], onednn_handle(a));

	if (rc == dnnl_success)
		rc = api->memory_set(p->memory[ONEDNN_B], onednn_handle(b));
	if (rc == dnnl_success)
		rc = api->memory_set(p->memory[ONEDNN_C], c);
	if (rc == dnnl_success)
		rc = onednn_execute(api, p, m->stream);
	if (rc == dnnl_success)
		rc = api->stream_wait(m->stream);
	if (rc == dnnl_success)
		return EH_OK;
	return faults_set(error, EH_E_DEVICE, "oneDNN %s did not make the product: status %d",
	                  plan->library->version, (int)rc);
}

static const char *const names[] = { "libdnnl.so.3", "libdnnl.so.3.6", "libdnnl.so.2", NULL };
static const char *const folders[] = { NULL };

const gemm_vendor gemm_onednn = {
	.setting = "onednn",
	.title = "oneDNN",
	.advice = "install the package libdnnl2 (from Debian 13 on libdnnl3.6)",
	.names = names,
	.folders = folders,
	.open = open_library,
	.use_threads = use_threads,
	.has_types = has_types,
	.prepare = prepare,
	.run = run,
	.release = release,
	.attention = &attention_onednn,
};

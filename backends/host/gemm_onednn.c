/* SPDX-License-Identifier: Apache-2.0 */
/* oneDNN 2 and 3: products of f32, and of bf16, f16, i8 and, from 3.4 on, formats of 8 bits where it has
 * them for this CPU, by its matmul. */
#include <stdlib.h>
#include <string.h>

#include "faults.h"
#include "onednn.h"

typedef struct onednn_api {
#define X(field, names, arguments) dnnl_status_t (*field) arguments;
	ONEDNN_FUNCTIONS(X)
#undef X
#define X(field, names, arguments) const dnnl_version_t *(*field) arguments;
	ONEDNN_VERSION(X)
#undef X
	/* Of the OpenMP that the library brings along. */
	void (*omp_set_num_threads)(int threads);
	int (*omp_get_max_threads)(void);
	const onednn_version *of;
	void *own[ONEDNN_OWN]; /* the functions of that version                                   */
} onednn_api;

#define ADVICE "it is no whole oneDNN 2 or 3, so install Debian's package (libdnnl2, libdnnl3.6)"

static const vendorlib_symbol symbols[] = {
#define X(field, names, arguments) VENDORLIB_REQUIRED(onednn_api, field, names)
	ONEDNN_FUNCTIONS(X)
	ONEDNN_VERSION(X)
#undef X
	VENDORLIB_OPTIONAL(onednn_api, omp_set_num_threads, "omp_set_num_threads")
	VENDORLIB_OPTIONAL(onednn_api, omp_get_max_threads, "omp_get_max_threads")
};

static const onednn_version *const versions[] = { &onednn_3, &onednn_2 };

/* The functions of the version that was opened. */
static eh_status resolve_version(gemm_library *library, const dnnl_version_t *version, eh_error *error)
{
	onednn_api *api = library->api;

	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]) && api->of == NULL; i++)
		if (version->major == versions[i]->major)
			api->of = versions[i];
	if (api->of == NULL)
		return faults_set(error, EH_E_INCOMPATIBLE, "%.150s is oneDNN %d; version 2 or 3 is needed, such "
		                  "as Debian's package", library->file.path, version->major);
	return vendorlib_resolve(&library->file, api->of->symbols, api->of->symbol_count, api->own, ADVICE,
	                         error);
}

static eh_status open_library(gemm_library *library, eh_error *error)
{
	onednn_api *api = calloc(1, sizeof(*api));
	const dnnl_version_t *version;
	eh_status status;

	if (api == NULL)
		return faults_set(error, EH_E_NO_MEMORY, "Memory is exhausted");
	library->api = api;
	status = vendorlib_resolve(&library->file, symbols, sizeof(symbols) / sizeof(symbols[0]), api,
	                           ADVICE, error);
	if (status != EH_OK)
		return status;
	version = api->version();
	status = resolve_version(library, version, error);
	if (status != EH_OK)
		return status;
	if (version->cpu_runtime != DNNL_RUNTIME_SEQ &&
	    (version->cpu_runtime != DNNL_RUNTIME_OMP || api->omp_set_num_threads == NULL ||
	     api->omp_get_max_threads == NULL))
		return faults_set(error, EH_E_INCOMPATIBLE, "%.150s has its threads by other means than OpenMP, "
		                  "so their number cannot be set; install Debian's package",
		                  library->file.path);
	faults_text(library->version, sizeof(library->version), "%d.%d.%d", version->major, version->minor,
	            version->patch);
	faults_text(library->picked, sizeof(library->picked), "dnnl_query_impl_info_str (%s)",
	            getenv("DNNL_MAX_CPU_ISA") != NULL || getenv("ONEDNN_MAX_CPU_ISA") != NULL
	            ? "MAX_CPU_ISA" : "cpuid");
	return EH_OK;
}

static eh_status use_threads(gemm_library *library, unsigned threads, eh_error *error)
{
	const onednn_api *api = library->api;
	int has = 1;

	if (api->version()->cpu_runtime == DNNL_RUNTIME_OMP) {
		api->omp_set_num_threads((int)threads);
		has = api->omp_get_max_threads();
	}
	if (has >= 0 && (unsigned)has == threads)
		return EH_OK;
	return faults_set(error, EH_E_UNSUPPORTED, "oneDNN %s at %.150s works with %d of the %u threads",
	                  library->version, library->file.path, has, threads);
}

/* The types of a product: of A and B, of C. */
static const struct {
	const char *in, *out, *accumulate;
	dnnl_data_type_t type, result;
} products[] = {
	{ "f32", "f32", "f32", dnnl_f32, dnnl_f32 },
	{ "bf16", "bf16", "f32", dnnl_bf16, dnnl_bf16 },
	{ "bf16", "f32", "f32", dnnl_bf16, dnnl_f32 },
	{ "f16", "f16", "f32", dnnl_f16, dnnl_f16 },
	{ "f16", "f32", "f32", dnnl_f16, dnnl_f32 },
	{ "e4m3", "bf16", "f32", dnnl_f8_e4m3, dnnl_bf16 },
	{ "e4m3", "f32", "f32", dnnl_f8_e4m3, dnnl_f32 },
	{ "e5m2", "bf16", "f32", dnnl_f8_e5m2, dnnl_bf16 },
	{ "e5m2", "f32", "f32", dnnl_f8_e5m2, dnnl_f32 },
	{ "i8", "i32", "i32", dnnl_s8, dnnl_s32 },
};
enum { PRODUCTS = sizeof(products) / sizeof(products[0]) };

static size_t product_of(const eh_gemm *gemm)
{
	size_t i = 0;

	while (i < PRODUCTS && !products_types(gemm, products[i].in, products[i].in, products[i].out,
	                                       products[i].accumulate))
		i++;
	return i;
}

static bool has_types(const eh_gemm *gemm)
{
	return product_of(gemm) < PRODUCTS;
}

static void release(eh_gemm_plan *plan)
{
	const onednn_api *api = plan->library->api;
	onednn_product *m = plan->own;

	for (int i = 0; i < ONEDNN_MATRICES; i++)
		if (m->memory[i] != NULL)
			(void)api->memory_destroy(m->memory[i]);
	if (m->primitive != NULL)
		(void)api->primitive_destroy(m->primitive);
	if (m->desc != NULL)
		(void)api->primitive_desc_destroy(m->desc);
	if (m->ops != NULL)
		(void)api->post_ops_destroy(m->ops);
	if (m->attr != NULL)
		(void)api->attr_destroy(m->attr);
	if (m->stream != NULL)
		(void)api->stream_destroy(m->stream);
	if (m->engine != NULL)
		(void)api->engine_destroy(m->engine);
	free(m);
	plan->own = NULL;
}

/* batch x rows x columns, as op() of what is stored. */
static void set_matrix(onednn_matrix *out, dnnl_data_type_t type, uint64_t batch, uint64_t stride,
                       uint64_t rows, uint64_t columns, uint64_t leading, bool turned)
{
	const dnnl_dim_t sizes[] = { (dnnl_dim_t)batch, (dnnl_dim_t)rows, (dnnl_dim_t)columns };
	const dnnl_dim_t strides[] = { (dnnl_dim_t)stride, turned ? 1 : (dnnl_dim_t)leading,
	                               turned ? (dnnl_dim_t)leading : 1 };
	const int skip = batch == 1;

	out->type = type;
	out->dimensions = 3 - skip;
	memcpy(out->sizes, sizes + skip, sizeof(sizes[0]) * (size_t)out->dimensions);
	memcpy(out->strides, strides + skip, sizeof(strides[0]) * (size_t)out->dimensions);
}

/* An older one calls the formats of 8 bits a wrong argument. */
static bool is_known(const onednn_api *api, dnnl_data_type_t type)
{
	const dnnl_version_t *v = api->version();

	return (type != dnnl_f8_e4m3 && type != dnnl_f8_e5m2) || v->major * 100 + v->minor >= 304;
}

static dnnl_status_t build(const onednn_api *api, onednn_product *m, const eh_gemm *g, const char **kernel)
{
	onednn_matrix matrices[ONEDNN_MATRICES];
	const dnnl_data_type_t type = products[product_of(g)].type;
	dnnl_status_t rc = is_known(api, type) ? api->engine_create(&m->engine, dnnl_cpu, 0)
	                                       : dnnl_unimplemented;

	set_matrix(&matrices[ONEDNN_A], type, g->batch, g->stride_a, g->m, g->k, g->lda,
	           (g->flags & EH_GEMM_TRANSPOSE_A) != 0);
	set_matrix(&matrices[ONEDNN_B], type, g->batch, g->stride_b, g->k, g->n, g->ldb,
	           (g->flags & EH_GEMM_TRANSPOSE_B) != 0);
	set_matrix(&matrices[ONEDNN_C], products[product_of(g)].result, g->batch, g->stride_c, g->m, g->n,
	           g->ldc, false);
	if (rc == dnnl_success)
		rc = api->stream_create(&m->stream, m->engine, 1);
	if (rc == dnnl_success)
		rc = api->attr_create(&m->attr);
	/* ONEDNN_DEFAULT_FPMATH_MODE would have f32 multiplied as bf16. */
	if (rc == dnnl_success)
		rc = api->attr_set_fpmath(m->attr, dnnl_fpmath_mode_strict);
	if (rc == dnnl_success)
		rc = api->post_ops_create(&m->ops);
	if (rc == dnnl_success)
		rc = api->of->scale(api->own, m, g);
	if (rc == dnnl_success)
		rc = api->attr_set_post_ops(m->attr, m->ops);
	if (rc == dnnl_success)
		rc = api->of->describe(api->own, m, matrices);
	if (rc == dnnl_success)
		rc = api->primitive_desc_query(m->desc, dnnl_query_impl_info_str, 0, (void *)kernel);
	if (rc == dnnl_success)
		rc = api->primitive_create(&m->primitive, m->desc);
	return rc;
}

static eh_status prepare(eh_gemm_plan *plan, eh_error *error)
{
	onednn_product *m = calloc(1, sizeof(*m));
	const char *kernel = NULL;
	char types[48];
	dnnl_status_t rc;

	if (m == NULL)
		return faults_set(error, EH_E_NO_MEMORY, "Memory is exhausted");
	plan->own = m;
	rc = build(plan->library->api, m, &plan->gemm, &kernel);
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
	return faults_set(error, EH_E_INTERNAL, "oneDNN %s does not take a product of %s: status %d",
	                  plan->library->version, types, (int)rc);
}

/* It writes to C alone, though its handles are not const. */
static void *without_const(const void *data)
{
	void *out;

	memcpy(&out, &data, sizeof(out));
	return out;
}

static eh_status run(const eh_gemm_plan *plan, const void *a, const void *b, void *c, eh_error *error)
{
	const onednn_api *api = plan->library->api;
	const onednn_product *m = plan->own;
	const dnnl_exec_arg_t arguments[] = {
		{ DNNL_ARG_SRC, m->memory[ONEDNN_A] },
		{ DNNL_ARG_WEIGHTS, m->memory[ONEDNN_B] },
		{ DNNL_ARG_DST, m->memory[ONEDNN_C] },
	};
	dnnl_status_t rc = api->memory_set(m->memory[ONEDNN_A], without_const(a));

	if (rc == dnnl_success)
		rc = api->memory_set(m->memory[ONEDNN_B], without_const(b));
	if (rc == dnnl_success)
		rc = api->memory_set(m->memory[ONEDNN_C], c);
	if (rc == dnnl_success)
		rc = api->primitive_execute(m->primitive, m->stream, ONEDNN_MATRICES, arguments);
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
};

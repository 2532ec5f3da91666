/* SPDX-License-Identifier: Apache-2.0 */
/* Products of hipBLASLt. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LT_PRODUCTS_HERE
#include "hip_state.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

enum {
	CANDIDATES = 8,
	FIRST_VERSION = 600, /* 0.6.0 of ROCm 6.0: before it types had other numbers           */
	REVISION_ROOM = 512, /* of a text whose size the library does not ask for              */
	KERNEL_BYTES = 4     /* at least so many are shown of an algorithm                     */
};

static const char unknown[] = "unknown hipBLAS status";

static const failure_remedy codes[] = {
	{ FAILURE_CODE(HIPBLAS_STATUS_SUCCESS, EH_OK), NULL },
	{ FAILURE_CODE(HIPBLAS_STATUS_NOT_INITIALIZED, EH_E_UNAVAILABLE), NULL },
	{ FAILURE_CODE(HIPBLAS_STATUS_ALLOC_FAILED, EH_E_NO_MEMORY),
	  "Free memory on the device: rocm-smi --showpids shows who uses it." },
	{ FAILURE_CODE(HIPBLAS_STATUS_INVALID_VALUE, EH_E_INTERNAL), NULL },
	{ FAILURE_CODE(HIPBLAS_STATUS_MAPPING_ERROR, EH_E_DEVICE), NULL },
	{ FAILURE_CODE(HIPBLAS_STATUS_EXECUTION_FAILED, EH_E_DEVICE),
	  "The kernel log (dmesg, lines with amdgpu or kfd) says more." },
	{ FAILURE_CODE(HIPBLAS_STATUS_INTERNAL_ERROR, EH_E_DEVICE),
	  "HIPBLASLT_LOG_LEVEL=5 has the library say more." },
	{ FAILURE_CODE(HIPBLAS_STATUS_NOT_SUPPORTED, EH_E_UNSUPPORTED), NULL },
	{ FAILURE_CODE(HIPBLAS_STATUS_ARCH_MISMATCH, EH_E_UNSUPPORTED), NULL },
	{ FAILURE_CODE(HIPBLAS_STATUS_HANDLE_IS_NULLPTR, EH_E_INTERNAL), NULL },
	{ FAILURE_CODE(HIPBLAS_STATUS_INVALID_ENUM, EH_E_INTERNAL), NULL },
	{ FAILURE_CODE(HIPBLAS_STATUS_UNKNOWN, EH_E_DEVICE), NULL },
};

static const char *name_of(hipblasStatus_t rc)
{
	return failure_remedy_name(codes, COUNT(codes), (int64_t)rc, unknown);
}

__attribute__((format(printf, 4, 5)))
static eh_status failed(eh_error *error, hipblasStatus_t rc, const char *where, const char *format, ...)
{
	va_list arguments;
	eh_status status;

	va_start(arguments, format);
	status = failure_remedy_set(error, codes, COUNT(codes), (int64_t)rc, unknown, where, format,
	                            arguments);
	va_end(arguments);
	return status;
}

/* ---- the handle -------------------------------------------------------------------------- */

/* Devices have threads of their own, so the caller holds the lock. */
static eh_status read_version(hip_library *l, hipblasLtHandle_t handle, eh_error *error)
{
	char revision[REVISION_ROOM] = "";
	int version = 0;
	hipblasStatus_t rc = l->api.lt.version(handle, &version);

	if (rc != HIPBLAS_STATUS_SUCCESS)
		return failed(error, rc, "hipblasLtGetVersion", "%.150s does not tell its version", l->file.path);
	if (version < FIRST_VERSION)
		return failure_set(error, EH_E_UNSUPPORTED, "hipblasLtGetVersion", "hipBLASLt %d.%d.%d is older "
		                   "than 0.6, that of ROCm 6.0.", version / 100000, version / 100 % 1000,
		                   version % 100);
	rc = l->api.lt.revision(handle, revision);
	if (rc != HIPBLAS_STATUS_SUCCESS) {
		wording_gap(&l->gaps, "revision", "hipblasLtGetGitRevision", name_of(rc), (int64_t)rc);
		revision[0] = '\0';
	}
	revision[sizeof(revision) - 1] = '\0';
	wording_tidy(revision);
	snprintf(l->version, sizeof(l->version), "%d.%d.%d%s%.60s%s", version / 100000, version / 100 % 1000,
	         version % 100, revision[0] != '\0' ? " (" : "", revision, revision[0] != '\0' ? ")" : "");
	return EH_OK;
}

/* Adds one that no queue has. */
static eh_status new_handle(eh_device *d, hip_lt_handle **out, eh_error *error)
{
	hip_lt_handle *h = calloc(1, sizeof(*h));
	hipblasStatus_t rc;

	if (h == NULL)
		return failure_set(error, EH_E_NO_MEMORY, "hipblasLtCreate", "No memory is left for a handle.");
	rc = d->self->libraries.all[HIP_HIPBLASLT].api.lt.create(&h->handle);
	if (rc != HIPBLAS_STATUS_SUCCESS) {
		free(h);
		return failed(error, rc, "hipblasLtCreate", "hipBLASLt does not start on %s", d->info.name);
	}
	h->next = d->gemm.lt;
	d->gemm.lt = h;
	*out = h;
	return EH_OK;
}

/* The queue's; for NULL, any of the device. */
static eh_status get_handle(eh_device *d, const eh_queue *queue, hipblasLtHandle_t *out, eh_error *error)
{
	hip_libraries *all = &d->self->libraries;
	hip_library *l = &all->all[HIP_HIPBLASLT];
	hip_lt_handle *found = NULL;
	eh_status status = EH_OK;

	for (hip_lt_handle *h = d->gemm.lt; h != NULL && found == NULL; h = h->next)
		if (queue == NULL || (!h->gone && h->stream == queue->stream))
			found = h;
	for (hip_lt_handle *h = d->gemm.lt; h != NULL && found == NULL; h = h->next)
		if (!h->gone && h->stream == NULL)
			found = h;
	if (found == NULL)
		status = new_handle(d, &found, error);
	if (status != EH_OK || found == NULL)
		return status;
	(void)pthread_mutex_lock(&all->lock);
	if (l->version[0] == '\0')
		status = read_version(l, found->handle, error);
	(void)pthread_mutex_unlock(&all->lock);
	if (status != EH_OK)
		return status;
	if (queue != NULL)
		found->stream = queue->stream;
	*out = found->handle;
	return EH_OK;
}

void hip_hipblaslt_forget(const eh_queue *queue)
{
	for (hip_lt_handle *h = queue->device->gemm.lt; h != NULL; h = h->next)
		h->gone = h->gone || h->stream == queue->stream;
}

static void release(eh_device *d)
{
	while (d->gemm.lt != NULL) {
		hip_lt_handle *h = d->gemm.lt;

		(void)d->self->libraries.all[HIP_HIPBLASLT].api.lt.destroy(h->handle);
		d->gemm.lt = h->next;
		free(h);
	}
}

/* ---- the algorithm ----------------------------------------------------------------------- */

/* Of the library's own status; with success it offered none. */
static eh_status no_algorithm(const eh_device *d, const hip_product *p, const char *version,
                              hipblasStatus_t rc, eh_error *error)
{
	static const char where[] = "hipblasLtMatmulAlgoGetHeuristic";
	const eh_gemm *g = &p->gemm;
	char text[48], what[200];

	products_text(g, text, sizeof(text));
	snprintf(what, sizeof(what), "hipBLASLt %.20s offers no algorithm for a product of %s of %llu x %llu x "
	         "%llu on %.40s", version, text, (unsigned long long)g->m, (unsigned long long)g->n,
	         (unsigned long long)g->k, d->info.name);
	if (rc == HIPBLAS_STATUS_SUCCESS)
		return failure_set(error, EH_E_UNSUPPORTED, where, "%s.", what);
	return failure_native(error, EH_E_UNSUPPORTED, where, (int64_t)rc, name_of(rc), NULL, "%s", what);
}

/* The library calls what it has no code for an internal error. */
static bool is_refusal(hipblasStatus_t rc)
{
	return rc == HIPBLAS_STATUS_NOT_SUPPORTED || rc == HIPBLAS_STATUS_ARCH_MISMATCH ||
	       rc == HIPBLAS_STATUS_INTERNAL_ERROR;
}

static eh_status ask(hipblasLtHandle_t handle, const eh_device *d, const hip_product *p, const hip_library *l,
                     hipblasLtMatmulHeuristicResult_t results[CANDIDATES], int *count, eh_error *error)
{
	const hipblaslt_api *api = &l->api.lt;
	const uint64_t limit = p->gemm.workspace_limit;
	hipblasLtMatmulPreference_t preference = NULL;
	const char *where = "hipblasLtMatmulPreferenceCreate";
	hipblasStatus_t rc = api->preference_create(&preference);
	bool refused = false;

	if (rc == HIPBLAS_STATUS_SUCCESS) {
		where = "hipblasLtMatmulPreferenceSetAttribute";
		rc = api->preference_set(preference, HIPBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &limit,
		                         sizeof(limit));
		if (rc == HIPBLAS_STATUS_SUCCESS) {
			where = "hipblasLtMatmulAlgoGetHeuristic";
			rc = api->heuristic(handle, p->lt.desc, p->lt.a, p->lt.b, p->lt.c, p->lt.c,
			                    preference, CANDIDATES, results, count);
			refused = is_refusal(rc);
		}
		(void)api->preference_destroy(preference);
	}
	if (rc == HIPBLAS_STATUS_SUCCESS)
		return EH_OK;
	if (refused)
		return no_algorithm(d, p, l->version, rc, error);
	return failed(error, rc, where, "hipBLASLt %.20s picks no algorithm on %s", l->version, d->info.name);
}

/* The library's own description of the algorithm: its C interface has no names. */
static void name_kernel(hip_product *p)
{
	const uint8_t *data = p->lt.algorithm.data;
	size_t size = sizeof(p->lt.algorithm.data), used;

	while (size > KERNEL_BYTES && data[size - 1] == 0)
		size--;
	used = (size_t)snprintf(p->kernel, sizeof(p->kernel), "algorithm ");
	for (size_t i = 0; i < size && used + 3 <= sizeof(p->kernel); i++)
		used += (size_t)snprintf(p->kernel + used, sizeof(p->kernel) - used, "%02x", data[i]);
}

static eh_status choose(hipblasLtHandle_t handle, const eh_device *d, hip_product *p, const hip_library *l, eh_error *error)
{
	hipblasLtMatmulHeuristicResult_t results[CANDIDATES];
	hipblasStatus_t refusal = HIPBLAS_STATUS_SUCCESS;
	int count = 0;
	eh_status status;

	memset(results, 0, sizeof(results));
	status = ask(handle, d, p, l, results, &count, error);
	if (status != EH_OK)
		return status;
	p->count = count < CANDIDATES ? count : CANDIDATES;
	for (int i = 0; i < p->count; i++) {
		if (results[i].state != HIPBLAS_STATUS_SUCCESS ||
		    results[i].workspaceSize > p->gemm.workspace_limit) {
			refusal = refusal == HIPBLAS_STATUS_SUCCESS ? results[i].state : refusal;
			continue;
		}
		p->lt.algorithm = results[i].algo;
		p->workspace = results[i].workspaceSize;
		p->rank = i + 1;
		name_kernel(p);
		return EH_OK;
	}
	return no_algorithm(d, p, l->version, refusal, error);
}

static eh_status prepare(eh_device *d, hip_product *p, eh_error *error)
{
	const hip_library *l = &d->self->libraries.all[HIP_HIPBLASLT];
	const char *where = "";
	hipblasStatus_t rc;
	hipblasLtHandle_t handle = NULL;
	eh_status status = get_handle(d, NULL, &handle, error);
	char text[48];

	if (status != EH_OK)
		return status;
	rc = lt_products_describe(&l->api.lt, &p->gemm, &p->types.lt, &p->lt, &where);
	if (rc == HIPBLAS_STATUS_SUCCESS)
		return choose(handle, d, p, l, error);
	products_text(&p->gemm, text, sizeof(text));
	/* A type that this version does not know. */
	if (rc == HIPBLAS_STATUS_INVALID_VALUE || rc == HIPBLAS_STATUS_INVALID_ENUM || is_refusal(rc))
		return failure_native(error, EH_E_UNSUPPORTED, where, (int64_t)rc, name_of(rc), NULL,
		                      "hipBLASLt %.20s does not take a product of %s", l->version, text);
	return failed(error, rc, where, "hipBLASLt %.20s does not take a product of %s", l->version, text);
}

/* The workspace is the caller's, and the library has no other. */
static eh_status enqueue(eh_queue *queue, hip_product *p, const eh_gemm_operands *o, eh_error *error)
{
	eh_device *d = queue->device;
	const hip_library *l = &d->self->libraries.all[HIP_HIPBLASLT];
	hipblasLtHandle_t handle = NULL;
	eh_status status = get_handle(d, queue, &handle, error);
	hipblasStatus_t rc;

	if (status != EH_OK)
		return status;
	rc = lt_products_enqueue(&l->api.lt, handle, &p->lt, stream_products_at(o->a, o->offset_a),
	                         stream_products_at(o->b, o->offset_b), stream_products_at(o->c, o->offset_c),
	                         p->workspace > 0 ? stream_products_at(o->workspace, 0) : NULL,
	                         (size_t)p->workspace, queue->stream);
	if (rc == HIPBLAS_STATUS_SUCCESS)
		return EH_OK;
	return failed(error, rc, "hipblasLtMatmul", "hipBLASLt %.20s does not make the product on %s",
	              l->version, d->info.name);
}

static void facts(const hip_library *l, const hip_product *p, eh_layer *layer)
{
	(void)l;
	wording_detail(layer, "compute", p->types.lt_compute);
	wording_detail(layer, "numerics", "not told");
	wording_detail(layer, "interface", "hipblasLtMatmul");
}

static void free_product(const hip_library *l, hip_product *p)
{
	lt_products_free(&l->api.lt, &p->lt);
}

/* Tuning files, the choice of a solution, and stream-k, which the library has under its generator's name. */
static const char *const variables[] = { "HIPBLASLT_", "TENSILE_", "GRIDBASED_", NULL };

const hip_maker hip_hipblaslt = {
	.name = "hipblaslt",
	.title = "hipBLASLt",
	.variables = variables,
	.check = hip_gemm_types_lt,
	.prepare = prepare,
	.enqueue = enqueue,
	.picked = "hipblasLtMatmulAlgoGetHeuristic",
	.facts = facts,
	.free = free_product,
	.release = release,
};

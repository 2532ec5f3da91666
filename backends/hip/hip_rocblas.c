/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Products of rocBLAS.  A handle has a stream and a workspace, which are set when a product needs others
 * than the one before it: setting a stream asks the runtime for its state, which is not free.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "hip_state.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

enum {
	GRANULE = 256,      /* the library counts a workspace in these                        */
	NOTHING = GRANULE / 2 /* so that it counts none, and allocates none by itself          */
};

static const char unknown[] = "unknown rocBLAS status";

static const failure_remedy codes[] = {
	{ FAILURE_CODE(rocblas_status_success, EH_OK), NULL },
	{ FAILURE_CODE(rocblas_status_invalid_handle, EH_E_INTERNAL), NULL },
	{ FAILURE_CODE(rocblas_status_not_implemented, EH_E_UNSUPPORTED), NULL },
	{ FAILURE_CODE(rocblas_status_invalid_pointer, EH_E_INTERNAL), NULL },
	{ FAILURE_CODE(rocblas_status_invalid_size, EH_E_INTERNAL), NULL },
	{ FAILURE_CODE(rocblas_status_memory_error, EH_E_NO_MEMORY),
	  "Free memory on the device: rocm-smi --showpids shows who uses it." },
	{ FAILURE_CODE(rocblas_status_internal_error, EH_E_DEVICE),
	  "ROCBLAS_LAYER=1 has the library say more." },
	{ FAILURE_CODE(rocblas_status_perf_degraded, EH_E_NO_MEMORY), NULL },
	{ FAILURE_CODE(rocblas_status_size_query_mismatch, EH_E_INTERNAL), NULL },
	{ FAILURE_CODE(rocblas_status_size_increased, EH_E_INTERNAL), NULL },
	{ FAILURE_CODE(rocblas_status_size_unchanged, EH_E_INTERNAL), NULL },
	{ FAILURE_CODE(rocblas_status_invalid_value, EH_E_INTERNAL), NULL },
	{ FAILURE_CODE(rocblas_status_continue, EH_E_INTERNAL), NULL },
	{ FAILURE_CODE(rocblas_status_check_numerics_fail, EH_E_DEVICE),
	  "ROCBLAS_CHECK_NUMERICS has the library look for it." },
	{ FAILURE_CODE(rocblas_status_excluded_from_build, EH_E_UNSUPPORTED), NULL },
	{ FAILURE_CODE(rocblas_status_arch_mismatch, EH_E_UNSUPPORTED), NULL },
};

eh_status hip_rocblas_failed(eh_error *error, rocblas_status rc, const char *where, const char *format, ...)
{
	va_list arguments;
	eh_status status;

	va_start(arguments, format);
	status = failure_remedy_set(error, codes, COUNT(codes), (int64_t)rc, unknown, where, format,
	                            arguments);
	va_end(arguments);
	return status;
}

static const hip_library *library_of(const eh_device *d)
{
	return &d->self->libraries.all[HIP_ROCBLAS];
}

/* ---- the handle -------------------------------------------------------------------------- */

static eh_status set_workspace(eh_device *d, void *address, size_t bytes, eh_error *error)
{
	rocblas_status rc;

	if (d->gemm.workspace == address && d->gemm.workspace_bytes == bytes)
		return EH_OK;
	rc = library_of(d)->api.roc.set_workspace(d->gemm.roc, address, bytes);
	if (rc != rocblas_status_success)
		return hip_rocblas_failed(error, rc, "rocblas_set_workspace", "rocBLAS takes no workspace of %zu "
		                          "bytes on %s", bytes, d->info.name);
	d->gemm.workspace = address;
	d->gemm.workspace_bytes = bytes;
	return EH_OK;
}

static void release(eh_device *d)
{
	if (d->gemm.roc != NULL)
		(void)library_of(d)->api.roc.destroy(d->gemm.roc);
	if (d->gemm.nothing != NULL)
		(void)d->api->mem_free(d->gemm.nothing);
	d->gemm.roc = NULL;
	d->gemm.nothing = NULL;
	d->gemm.workspace = NULL;
	d->gemm.workspace_bytes = 0;
	d->gemm.stream = NULL;
}

/* From the start with a workspace that is too small to be one: else the library would allocate its own, in the
 * middle of a recording as well, and two queues would share it. */
static eh_status get_handle(eh_device *d, eh_error *error)
{
	rocblas_status rc;
	hipError_t hip;
	eh_status status;

	if (d->gemm.roc != NULL)
		return EH_OK;
	hip = d->api->mem_alloc(&d->gemm.nothing, NOTHING);
	if (hip != hipSuccess) {
		d->gemm.nothing = NULL;
		return stream_devices_failed(d, error, hip, hip_calls.mem_alloc, "%s has no memory for a product",
		                             d->info.name);
	}
	rc = library_of(d)->api.roc.create(&d->gemm.roc);
	if (rc == rocblas_status_success) {
		status = set_workspace(d, d->gemm.nothing, NOTHING, error);
	} else {
		d->gemm.roc = NULL;
		status = hip_rocblas_failed(error, rc, "rocblas_create_handle", "rocBLAS %.40s does not start on %s",
		                            library_of(d)->version, d->info.name);
	}
	if (status != EH_OK)
		release(d);
	return status;
}

/* ---- products ---------------------------------------------------------------------------- */

static rocblas_operation turn(const eh_gemm *g, uint32_t flag)
{
	return g->flags & flag ? rocblas_operation_transpose : rocblas_operation_none;
}

/* A matrix by rows is its transpose by columns: the library's A is the caller's B. */
static rocblas_status call(const eh_device *d, const hip_product *p, const void *a, const void *b, void *c)
{
	const eh_gemm *g = &p->gemm;

	return library_of(d)->api.roc.gemm(
		d->gemm.roc, turn(g, EH_GEMM_TRANSPOSE_B), turn(g, EH_GEMM_TRANSPOSE_A), (rocblas_int)g->n,
		(rocblas_int)g->m, (rocblas_int)g->k, &p->alpha, b, p->types.roc.a, (rocblas_int)g->ldb,
		(rocblas_stride)g->stride_b, a, p->types.roc.b, (rocblas_int)g->lda, (rocblas_stride)g->stride_a,
		&p->beta, c, p->types.roc.c, (rocblas_int)g->ldc, (rocblas_stride)g->stride_c, c,
		p->types.roc.c, (rocblas_int)g->ldc, (rocblas_stride)g->stride_c, (rocblas_int)g->batch,
		p->types.roc.compute, rocblas_gemm_algo_standard, 0, rocblas_gemm_flags_none);
}

static bool is_size(rocblas_status rc)
{
	return rc == rocblas_status_success || rc == rocblas_status_size_increased ||
	       rc == rocblas_status_size_unchanged;
}

/* Between these two calls the library only says what it would need. */
static eh_status ask_workspace(const eh_device *d, hip_product *p, eh_error *error)
{
	const rocblas_api *api = &library_of(d)->api.roc;
	const uint64_t limit = p->gemm.workspace_limit / GRANULE * GRANULE;
	const char *where = "rocblas_start_device_memory_size_query";
	rocblas_status rc = api->begin_query(d->gemm.roc), ended;
	size_t bytes = 0;
	char text[48];

	if (rc == rocblas_status_success) {
		where = "rocblas_gemm_strided_batched_ex";
		rc = call(d, p, d->gemm.nothing, d->gemm.nothing, d->gemm.nothing);
		ended = api->end_query(d->gemm.roc, &bytes);
		if (is_size(rc)) {
			where = "rocblas_stop_device_memory_size_query";
			rc = ended;
		}
	}
	if (rc == rocblas_status_success) {
		p->workspace = bytes < limit ? bytes : limit;
		return EH_OK;
	}
	products_text(&p->gemm, text, sizeof(text));
	return hip_rocblas_failed(error, rc, where, "rocBLAS %.40s does not take a product of %s on %.40s",
	                          library_of(d)->version, text, d->info.name);
}

static eh_status prepare(eh_device *d, hip_product *p, eh_error *error)
{
	const eh_status status = get_handle(d, error);

	if (status != EH_OK)
		return status;
	p->alpha = products_factor_of(&p->gemm, p->gemm.alpha);
	p->beta = products_factor_of(&p->gemm, p->gemm.beta);
	snprintf(p->kernel, sizeof(p->kernel), "not told");
	return ask_workspace(d, p, error);
}

/* The factors are read before the call returns. */
static eh_status enqueue(eh_queue *queue, hip_product *p, const eh_gemm_operands *o, eh_error *error)
{
	eh_device *d = queue->device;
	void *workspace = p->workspace > 0 ? stream_products_at(o->workspace, 0) : d->gemm.nothing;
	const char *where = "rocblas_set_stream";
	rocblas_status rc = rocblas_status_success;
	const eh_status status = set_workspace(d, workspace, p->workspace > 0 ? (size_t)p->workspace : NOTHING,
	                                       error);

	if (status != EH_OK)
		return status;
	if (d->gemm.stream != queue->stream)
		rc = library_of(d)->api.roc.set_stream(d->gemm.roc, queue->stream);
	if (rc == rocblas_status_success) {
		d->gemm.stream = queue->stream;
		where = "rocblas_gemm_strided_batched_ex";
		rc = call(d, p, stream_products_at(o->a, o->offset_a), stream_products_at(o->b, o->offset_b),
		          stream_products_at(o->c, o->offset_c));
	}
	if (rc == rocblas_status_success)
		return EH_OK;
	return hip_rocblas_failed(error, rc, where, "rocBLAS %.40s does not make the product on %s",
	                          library_of(d)->version, d->info.name);
}

/* The library looks at the stream that it has when it gets another. */
void hip_gemm_forget(const eh_queue *queue)
{
	eh_device *d = queue->device;
	rocblas_status rc;

	hip_hipblaslt_forget(queue);
	if (d->gemm.roc == NULL || d->gemm.stream != queue->stream || d->lost != hipSuccess)
		return;
	stream_devices_enter_quietly(d);
	rc = library_of(d)->api.roc.set_stream(d->gemm.roc, NULL);
	/* A handle that keeps the stream goes while that is there; the next product makes another. */
	if (rc != rocblas_status_success)
		release(d);
	d->gemm.stream = NULL;
}

static void facts(const hip_library *l, const hip_product *p, eh_layer *layer)
{
	wording_detail(layer, "compute", p->types.roc_compute);
	wording_detail(layer, "numerics", "not told");
	wording_detail(layer, "interface", "rocblas_gemm_strided_batched_ex");
	wording_detail(layer, "hipblaslt", l->beside[0] != '\0' ? l->beside : "not linked");
}

static void free_product(const hip_library *l, hip_product *p)
{
	(void)l;
	(void)p;
}

static const char *const variables[] = { "ROCBLAS_", "TENSILE_", "HIPBLASLT_", NULL };

const hip_maker hip_rocblas = {
	.name = "rocblas",
	.title = "rocBLAS",
	.variables = variables,
	.check = hip_gemm_types_roc,
	.prepare = prepare,
	.enqueue = enqueue,
	.picked = "rocblas_gemm_algo_standard",
	.facts = facts,
	.free = free_product,
	.release = release,
};

/* SPDX-License-Identifier: Apache-2.0 */
/* eh.gemm.1 by oneDNN: an engine for each device, a stream for each queue, a primitive for each product. */
#include <dlfcn.h>
#include <stdlib.h>

#include "lz_state.h"
#include "onednn_ze_abi.h"
#include "shared/onednngpu.h"

typedef struct interop {
#define X(field, names, arguments) dnnl_status_t (*field) arguments;
	ONEDNN_ZE_FUNCTIONS(X)
#undef X
} interop;

static const vendorlib_symbol symbols[] = {
#define X(field, names, arguments) VENDORLIB_REQUIRED(interop, field, names)
	ONEDNN_ZE_FUNCTIONS(X)
#undef X
};

static const onednngpu_way way = { .api = "Level Zero", .backend = "levelzero", .runtime = DNNL_RUNTIME_ZE,
	                           .symbols = symbols, .symbol_count = sizeof(symbols) / sizeof(symbols[0]) };

/* Of a started backend, from the first product on. */
struct lz_onednn {
	onednngpu library;
	interop calls;
};

struct eh_gemm_plan {
	eh_device *device;
	eh_gemm gemm;
	products_bytes bytes;
	const char *kernel;
	onednn_product product;
};

/* oneDNN opens the loader by its name, and one loader knows no other one's objects. */
static bool same_loader(const lz_api *api)
{
	void *by_name = dlopen("libze_loader.so.1", RTLD_NOW | RTLD_NOLOAD);

	if (by_name != NULL)
		(void)dlclose(by_name);
	return by_name != NULL && by_name == api->library.handle;
}

static eh_status open_library(lz_self *self, eh_error *error)
{
	if (self->onednn == NULL)
		self->onednn = calloc(1, sizeof(*self->onednn));
	if (self->onednn == NULL)
		return failure_set(error, EH_E_NO_MEMORY, "gemm", "No memory is left for oneDNN.");
	if (!same_loader(&self->api))
		return failure_set(error, EH_E_INCOMPATIBLE, "gemm", "oneDNN calls libze_loader.so.1, which is "
		                   "another loader than %.100s; leave out --set levelzero.library.",
		                   self->api.library.path);
	return onednngpu_open(&self->onednn->library, &way, self->host, &self->onednn->calls, error);
}

static bool keeps_order(const eh_device *d)
{
	return !d->self->regular && d->self->in_order && d->place.driver->api >= LZ_API_IN_ORDER;
}

static eh_status check(const eh_device *d, const eh_gemm *gemm, eh_error *error)
{
	const eh_status status = onednngpu_check(gemm, error);

	if (status != EH_OK || keeps_order(d))
		return status;
	return failure_set(error, EH_E_UNSUPPORTED, "gemm", "oneDNN takes only immediate command lists that keep "
	                   "order themselves, and %s has none with this driver and these settings.",
	                   d->info.name);
}

/* It knows the root devices of the first driver, and calls others a wrong argument. */
static eh_status open_engine(eh_device *d, const eh_gemm *gemm, eh_error *error)
{
	const struct lz_onednn *l = d->self->onednn;
	dnnl_status_t rc;

	if (d->dnnl != NULL)
		return EH_OK;
	rc = l->calls.engine_create(&d->dnnl, d->place.driver->handle, d->place.device, d->context);
	if (rc == dnnl_success)
		return EH_OK;
	d->dnnl = NULL;
	if (rc == dnnl_invalid_arguments)
		return failure_set(error, EH_E_UNSUPPORTED, "dnnl_ze_interop_engine_create", "oneDNN %s does not know "
		                   "%s: it takes whole devices of the first driver.", l->library.api.version_text,
		                   d->info.name);
	return onednngpu_failed(&l->library, gemm, d->info.name, "dnnl_ze_interop_engine_create", rc, error);
}

static eh_status prepare(eh_device *d, const eh_gemm *gemm, eh_gemm_plan **out, uint64_t *workspace_bytes,
                         eh_error *error)
{
	products_bytes bytes = { 0 };
	eh_gemm_plan *plan;
	eh_status status = products_check(gemm, &bytes, error);

	if (status == EH_OK)
		status = lz_devices_enter(d, "gemm", error);
	if (status == EH_OK)
		status = check(d, gemm, error);
	if (status == EH_OK)
		status = open_library(d->self, error);
	if (status == EH_OK)
		status = open_engine(d, gemm, error);
	if (status != EH_OK)
		return status;
	plan = calloc(1, sizeof(*plan));
	if (plan == NULL)
		return failure_set(error, EH_E_NO_MEMORY, "gemm", "No memory is left for a product.");
	plan->device = d;
	plan->gemm = *gemm;
	plan->bytes = bytes;
	status = onednngpu_build(&d->self->onednn->library, d->dnnl, gemm, d->info.name, &plan->product,
	                         &plan->kernel, error);
	if (status != EH_OK) {
		free(plan);
		return status;
	}
	products_kernel_add(&d->products, plan->kernel);
	*out = plan;
	*workspace_bytes = 0;
	return EH_OK;
}

static eh_status check_operand(const eh_buffer *buffer, uint64_t offset, uint64_t bytes, eh_error *error)
{
	if (buffer->kind != EH_MEMORY_DEVICE)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "gemm", "The matrices of a product lie in device "
		                   "memory.");
	if (offset % 16 != 0)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "gemm", "The offsets of matrices are multiples of "
		                   "16 bytes.");
	return checks_range("gemm", buffer->bytes, offset, bytes, error);
}

static eh_status check_operands(const eh_queue *q, const eh_gemm_plan *plan, const eh_gemm_operands *o,
                                eh_error *error)
{
	eh_status status;

	if (q->device != plan->device || o->a == NULL || o->b == NULL || o->c == NULL)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "gemm", "A product needs three matrices, and the "
		                   "queue of the device that it was prepared for.");
	if (q->recording != NULL)
		return failure_set(error, EH_E_UNSUPPORTED, "gemm", "A product of oneDNN cannot be recorded: it "
		                   "enqueues kernels by itself.");
	if (q->immediate == NULL || !q->in_order)
		return failure_set(error, EH_E_UNSUPPORTED, "gemm", "oneDNN takes only immediate command lists that "
		                   "keep order themselves, and %s gave another one.", q->device->info.name);
	status = check_operand(o->a, o->offset_a, plan->bytes.a, error);
	if (status == EH_OK)
		status = check_operand(o->b, o->offset_b, plan->bytes.b, error);
	if (status == EH_OK)
		status = check_operand(o->c, o->offset_c, plan->bytes.c, error);
	return status;
}

static eh_status open_stream(eh_queue *q, const eh_gemm *gemm, eh_error *error)
{
	const struct lz_onednn *l = q->device->self->onednn;
	dnnl_status_t rc;

	if (q->dnnl != NULL)
		return EH_OK;
	rc = l->calls.stream_create(&q->dnnl, q->device->dnnl, q->immediate, 0);
	if (rc == dnnl_success)
		return EH_OK;
	q->dnnl = NULL;
	return onednngpu_failed(&l->library, gemm, q->device->info.name, "dnnl_ze_interop_stream_create", rc,
	                        error);
}

static eh_status enqueue(eh_queue *q, eh_gemm_plan *plan, const eh_gemm_operands *o, eh_error *error)
{
	const struct { const eh_buffer *buffer; uint64_t offset; } places[ONEDNN_MATRICES] = {
		[ONEDNN_A] = { o->a, o->offset_a },
		[ONEDNN_B] = { o->b, o->offset_b },
		[ONEDNN_C] = { o->c, o->offset_c },
	};
	ze_command_list_handle_t list = NULL;
	const char *where = "dnnl_memory_set_data_handle";
	const onednngpu *l;
	dnnl_status_t rc = dnnl_success;
	eh_status status = check_operands(q, plan, o, error);

	if (status == EH_OK)
		status = lz_queue_list(q, &list, error);
	if (status == EH_OK)
		status = open_stream(q, &plan->gemm, error);
	if (status != EH_OK)
		return status;
	l = &q->device->self->onednn->library;
	for (int i = 0; i < ONEDNN_MATRICES && rc == dnnl_success; i++)
		rc = l->api.memory_set(plan->product.memory[i], places[i].buffer->address + places[i].offset);
	if (rc == dnnl_success) {
		where = "dnnl_primitive_execute";
		rc = onednn_execute(&l->api, &plan->product, q->dnnl);
	}
	if (rc != dnnl_success)
		return onednngpu_failed(l, &plan->gemm, q->device->info.name, where, rc, error);
	lz_queue_appended(q);
	return EH_OK;
}

static eh_status layer(eh_gemm_plan *plan, eh_layer *out, eh_error *error)
{
	eh_layer full;

	(void)error;
	onednngpu_layer(&plan->device->self->onednn->library, NULL, &full);
	wording_detail(&full, "kernel", plan->kernel);
	wording_detail(&full, "interface", "matmul");
	eh_give(out, &full, sizeof(full));
	return EH_OK;
}

static void destroy(eh_gemm_plan *plan)
{
	if (plan == NULL)
		return;
	onednn_release(&plan->device->self->onednn->library.api, &plan->product);
	free(plan);
}

bool lz_gemm_layer(const eh_device *d, eh_layer *out)
{
	if (d->products.count == 0)
		return false;
	onednngpu_layer(&d->self->onednn->library, NULL, out);
	products_kernels_detail(out, &d->products);
	return true;
}

/* What oneDNN has of a lost device stays: only a new process helps anyway. */
void lz_gemm_forget(eh_queue *q)
{
	if (q->dnnl != NULL && q->device->lost == ZE_RESULT_SUCCESS)
		(void)q->device->self->onednn->library.api.stream_destroy(q->dnnl);
	q->dnnl = NULL;
}

void lz_gemm_close(eh_device *d)
{
	if (d->dnnl != NULL && d->lost == ZE_RESULT_SUCCESS)
		(void)d->self->onednn->library.api.engine_destroy(d->dnnl);
	d->dnnl = NULL;
}

const eh_gemm_ops lz_gemm_table = {
	.struct_size = sizeof(lz_gemm_table),
	.prepare = prepare,
	.enqueue = enqueue,
	.layer = layer,
	.destroy = destroy,
};

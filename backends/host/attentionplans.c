/* SPDX-License-Identifier: Apache-2.0 */
/* The table of eh.attention.0: which library makes attention, and its command in the queue. */
#include "attentionplans.h"

#include <stdlib.h>
#include <string.h>

#include "faults.h"
#include "gemmlibrary.h"
#include "queue.h"
#include "recording.h"

/* The bytes of a tensor of four dimensions; 0 when they are too many. */
static uint64_t tensor_bytes(uint64_t batch, uint64_t heads, uint64_t rows, uint64_t head, uint64_t element)
{
	uint64_t bytes;

	if (__builtin_mul_overflow(batch, heads, &bytes) || __builtin_mul_overflow(bytes, rows, &bytes) ||
	    __builtin_mul_overflow(bytes, head, &bytes) || __builtin_mul_overflow(bytes, element, &bytes) ||
	    bytes > INT64_MAX)
		return 0;
	return bytes;
}

static eh_status check(eh_attention_plan *plan, eh_error *error)
{
	const eh_attention *a = &plan->attention;
	const uint64_t element = products_type_bytes(a->type);

	if ((a->flags & ~(uint32_t)EH_ATTENTION_CAUSAL) != 0)
		return faults_set(error, EH_E_INVALID_ARGUMENT, "The flags 0x%x of attention are unknown", a->flags);
	if (strcmp(a->type, "f32") != 0 && strcmp(a->type, "f16") != 0 && strcmp(a->type, "bf16") != 0)
		return faults_set(error, EH_E_INVALID_ARGUMENT, "%.7s is no type of %s", a->type,
		                  EH_ATTENTION_NAME);
	if (strcmp(a->accumulate, "f32") != 0)
		return faults_set(error, EH_E_UNSUPPORTED, "Attention is added up in f32, not in %.7s",
		                  a->accumulate);
	if (a->kv_heads == 0 || a->heads % a->kv_heads != 0)
		return faults_set(error, EH_E_INVALID_ARGUMENT, "%llu heads of K and V do not divide %llu of Q",
		                  (unsigned long long)a->kv_heads, (unsigned long long)a->heads);
	if ((a->flags & EH_ATTENTION_CAUSAL) != 0 && a->query > a->keys)
		return faults_set(error, EH_E_INVALID_ARGUMENT, "The first of %llu queries sees none of %llu keys",
		                  (unsigned long long)a->query, (unsigned long long)a->keys);
	plan->bytes_q = tensor_bytes(a->batch, a->heads, a->query, a->head, element);
	plan->bytes_k = tensor_bytes(a->batch, a->kv_heads, a->keys, a->head, element);
	if (plan->bytes_q == 0 || plan->bytes_k == 0)
		return faults_set(error, EH_E_INVALID_ARGUMENT, "An operand of attention is empty, or larger than "
		                  "2^63 bytes");
	return EH_OK;
}

static void release(eh_attention_plan *plan)
{
	if (plan->own != NULL)
		plan->library->vendor->attention->release(plan);
}

/* The first that can; the reason is the last one's. */
static eh_status choose(eh_attention_plan *plan, gemm_library *libraries, eh_error *error)
{
	eh_status status = EH_E_UNSUPPORTED;

	for (unsigned i = 0; i < GEMMLIBRARY_COUNT && status != EH_OK; i++) {
		if (libraries[i].vendor->attention == NULL)
			continue;
		plan->library = &libraries[i];
		status = gemmlibrary_open(plan->device, plan->library, error);
		if (status == EH_OK)
			status = plan->library->vendor->attention->prepare(plan, error);
		if (status != EH_OK)
			release(plan);
	}
	return status;
}

static void destroy(eh_attention_plan *plan)
{
	if (plan != NULL)
		release(plan);
	free(plan);
}

static eh_status prepare(eh_device *device, const eh_attention *attention, eh_attention_plan **out,
                         uint64_t *workspace_bytes, eh_error *error)
{
	gemm_library *libraries = gemmlibrary_all(device->state);
	eh_attention_plan *plan = calloc(1, sizeof(*plan));
	gemmlibrary_cpus was;
	eh_status status;

	if (plan == NULL || libraries == NULL) {
		free(plan);
		return faults_set(error, EH_E_NO_MEMORY, "Memory is exhausted");
	}
	plan->device = device;
	if (attention->struct_size < sizeof(*attention)) {
		free(plan);
		return faults_set(error, EH_E_INVALID_ARGUMENT, "The description of attention has %u bytes, and "
		                  "%s has %zu", attention->struct_size, EH_ATTENTION_NAME, sizeof(*attention));
	}
	plan->attention = *attention;
	status = check(plan, error);
	if (status == EH_OK) {
		/* A library counts the CPUs of the thread that opens it, and its threads inherit them. */
		gemmlibrary_widen(device->state, &was);
		status = choose(plan, libraries, error);
		gemmlibrary_narrow(&was);
	}
	if (status != EH_OK) {
		destroy(plan);
		return status;
	}
	gemmlibrary_keep(plan->library, plan->kernel, plan->interface);
	*out = plan;
	*workspace_bytes = 0;
	return EH_OK;
}

/* ---- the command ------------------------------------------------------------------------------- */

typedef struct attending {
	eh_attention_plan *plan;
	const unsigned char *q, *k, *v;
	unsigned char *o;
} attending;

static eh_status make(const void *context, eh_error *error)
{
	const attending *c = context;

	return c->plan->library->vendor->attention->run(c->plan, c->q, c->k, c->v, c->o, error);
}

static eh_status run(const attending *c, eh_error *error)
{
	return gemmlibrary_call(c->plan->device->state, c->plan->library, make, c, error);
}

static void run_recorded(const eh_queue *queue, void *context)
{
	eh_error error = { .struct_size = sizeof(error) };

	if (run(context, &error) != EH_OK)
		state_log(queue->device->state, EH_LOG_ERROR, "%s", error.message);
}

static eh_status enqueue(eh_queue *queue, eh_attention_plan *plan, const eh_attention_operands *o,
                         eh_error *error)
{
	attending c = { .plan = plan };
	eh_status status;

	if (queue->device != plan->device || o->q == NULL || o->k == NULL || o->v == NULL || o->o == NULL)
		return faults_set(error, EH_E_INVALID_ARGUMENT, "Attention needs Q, K, V and O, and the queue of "
		                  "the device that it was prepared for");
	if (o->offset_q % 16 != 0 || o->offset_k % 16 != 0 || o->offset_v % 16 != 0 || o->offset_o % 16 != 0)
		return faults_set(error, EH_E_INVALID_ARGUMENT, "The offsets of operands are multiples of 16 bytes");
	status = buffer_check(o->q, o->offset_q, plan->bytes_q, error);
	if (status == EH_OK)
		status = buffer_check(o->k, o->offset_k, plan->bytes_k, error);
	if (status == EH_OK)
		status = buffer_check(o->v, o->offset_v, plan->bytes_k, error);
	if (status == EH_OK)
		status = buffer_check(o->o, o->offset_o, plan->bytes_q, error);
	if (status != EH_OK)
		return status;
	c.q = o->q->data + o->offset_q;
	c.k = o->k->data + o->offset_k;
	c.v = o->v->data + o->offset_v;
	c.o = o->o->data + o->offset_o;
	if (queue->recording != NULL)
		return recording_add(queue, run_recorded, &c, sizeof(c), error);
	return run(&c, error);
}

static eh_status layer(eh_attention_plan *plan, eh_layer *out, eh_error *error)
{
	eh_layer full = { 0 };

	(void)error;
	gemmlibrary_layer(plan->library, plan->kernel, plan->interface, plan->device->state->threads, &full);
	eh_give(out, &full, sizeof(full));
	return EH_OK;
}

const eh_attention_ops attention_table = {
	.struct_size = sizeof(attention_table),
	.prepare = prepare,
	.enqueue = enqueue,
	.layer = layer,
	.destroy = destroy,
};

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xfer - copies between host and device: up, down, within the device, and both ways at once.
 *
 * "duplex" downloads in the case's queue and uploads in a second one, which begins and ends with the
 * first: a stack that overlaps them shows up to twice the rate.  "bidirectional" enqueues both in one
 * in-order queue, where no stack may overlap them.
 */
#include "../blocks.h"

enum direction { H2D, D2H, D2D, BIDIRECTIONAL, DUPLEX };

static const eh_param xfer_params[] = {
	{"direction", EH_PARAM_ENUM, 0, "h2d", "h2d|d2h|d2d|bidirectional|duplex", NULL,
	 "host to device, back, inside the device, up and down in one queue, or in two"},
	{"memory", EH_PARAM_ENUM, 0, "pageable", "pinned|pageable", NULL,
	 "the host's side; d2d has none"},
	{"bytes", EH_PARAM_BYTES, 0, "64MiB", "4..1GiB", NULL, "per direction; a multiple of 4"},
	{NULL, 0, 0, NULL, NULL, NULL, NULL},
};

/* One side of a copy: device memory, or host memory, pinned or not. */
typedef struct side {
	eh_buffer *buffer; /* device or pinned                                                    */
	void *host;        /* host address; NULL on the device                                    */
	int pageable;      /* host was allocated here                                             */
} side;

typedef struct path {
	side from, to;
	unsigned char *block; /* the block that it carries, repeated                              */
} path;

typedef struct xfer_state {
	const eh_bench *bench;
	uint64_t bytes;
	uint64_t block;
	uint32_t path_count;
	path paths[2];
	unsigned char *got;
	eh_queue *second;      /* of uploads; NULL = all is in the bench's                         */
	eh_mark *fork, *join;  /* where the second queue begins and ends                           */
} xfer_state;

static eh_status xfer_describe(const eh_case *values, eh_work *work, eh_error *error)
{
	const uint64_t direction = eh_case_value(values, "direction")->number;
	const uint64_t bytes = eh_case_number(values, "bytes");
	const int pinned = strcmp(eh_case_text(values, "memory"), "pinned") == 0;
	const int twice = direction == D2D || direction == BIDIRECTIONAL || direction == DUPLEX;

	if (bytes % 4 != 0)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "xfer: bytes=%s is not a multiple of 4",
		                     eh_case_text(values, "bytes"));
	support_work_clear(work);
	work->metric = EH_METRIC_BYTES_PER_SECOND;
	work->region = EH_REGION_EXECUTION;
	work->bytes = (twice ? 2.0 : 1.0) * (double)bytes;
	work->amount = work->bytes;
	work->needs = pinned && direction != D2D ? EH_CAP_PINNED : 0;
	work->device_bytes = twice ? 2 * bytes : bytes;
	work->working_set_bytes = work->device_bytes;
	snprintf(work->precision, sizeof work->precision, "u8");
	snprintf(work->bytes_formula, sizeof work->bytes_formula, "%s",
	         direction == D2D ? "2*B (read and written)"
	         : twice          ? "2*B (B each way)"
	                          : "B");
	return EH_OK;
}

/* ---- sides ---------------------------------------------------------------------------------- */

static eh_status side_make(const eh_bench *b, side *s, int device, int pinned, uint64_t bytes,
                           eh_error *error)
{
	eh_status status;
	if (!device && !pinned) {
		s->host = aligned_alloc(4096, (bytes + 4095) & ~UINT64_C(4095));
		s->pageable = 1;
		if (s->host == NULL)
			return support_error(error, EH_E_NO_MEMORY, "xfer: no host memory");
		return EH_OK;
	}
	status = support_alloc(b, device ? EH_MEMORY_DEVICE : EH_MEMORY_PINNED, bytes, &s->buffer,
	                       error);
	if (status != EH_OK || device)
		return status;
	if (EH_HAS(b->ops, eh_backend_ops, buffer_host_pointer))
		s->host = b->ops->buffer_host_pointer(s->buffer);
	if (s->host == NULL)
		return support_error(error, EH_E_UNSUPPORTED,
		                     "xfer: the backend gives no host address of its pinned memory");
	return EH_OK;
}

static void side_free(const eh_bench *b, side *s)
{
	support_free(b, s->buffer);
	if (s->pageable)
		free(s->host);
}

static eh_status side_load(xfer_state *x, const path *p, eh_error *error)
{
	uint64_t at;
	if (p->from.host == NULL)
		return support_upload_repeated(x->bench, p->from.buffer, x->bytes, p->block,
		                               x->block,
		                               error);
	for (at = 0; at < x->bytes; at += x->block)
		memcpy((unsigned char *)p->from.host + at, p->block,
		       x->bytes - at < x->block ? x->bytes - at : x->block);
	return EH_OK;
}

/* ---- the workload --------------------------------------------------------------------------- */

static eh_status xfer_data(xfer_state *x, uint32_t variant, eh_error *error)
{
	eh_status status = EH_OK;
	uint32_t i;
	for (i = 0; i < x->path_count && status == EH_OK; i++) {
		x->bench->fill_bytes(x->bench, x->paths[i].block, 0, x->block, x->bench->values->seed,
		                     2 * variant + i);
		status = side_load(x, &x->paths[i], error);
	}
	return status;
}

static void xfer_finish(void *state)
{
	xfer_state *x = state;
	int i;
	if (x == NULL)
		return;
	/* It may still copy: nothing is freed before it is done. */
	if (x->second != NULL)
		x->bench->ops->queue_destroy(x->second);
	for (i = 0; i < 2; i++) {
		side_free(x->bench, &x->paths[i].from);
		side_free(x->bench, &x->paths[i].to);
		free(x->paths[i].block);
	}
	x->bench->ops->mark_destroy(x->fork);
	x->bench->ops->mark_destroy(x->join);
	free(x->got);
	free(x);
}

static eh_status second_queue(xfer_state *x, eh_error *error)
{
	const eh_backend_ops *ops = x->bench->ops;
	eh_status status;

	if (!EH_HAS(ops, eh_backend_ops, queue_wait_mark))
		return support_error(error, EH_E_UNSUPPORTED,
		                     "xfer: the backend orders no two queues (queue_wait_mark)");
	status = ops->mark_create(x->bench->device, 0, &x->fork, error);
	if (status == EH_OK)
		status = ops->mark_create(x->bench->device, 0, &x->join, error);
	if (status == EH_OK)
		status = ops->queue_create(x->bench->device, EH_COPIES, &x->second, error);
	return status;
}

static eh_status xfer_prepare(const eh_bench *bench, void **state, eh_error *error)
{
	xfer_state *x = calloc(1, sizeof *x);
	const uint64_t direction = eh_case_value(bench->values, "direction")->number;
	const int pinned = strcmp(eh_case_text(bench->values, "memory"), "pinned") == 0;
	eh_status status = EH_OK;
	uint32_t i;

	if (x == NULL)
		return support_error(error, EH_E_NO_MEMORY, "xfer: no host memory");
	x->bench = bench;
	x->bytes = eh_case_number(bench->values, "bytes");
	x->block = blocks_period(x->bytes);
	x->path_count = direction == BIDIRECTIONAL || direction == DUPLEX ? 2 : 1;
	x->got = malloc(x->bytes < SUPPORT_CHUNK ? x->bytes : SUPPORT_CHUNK);
	for (i = 0; i < x->path_count && status == EH_OK; i++) {
		path *p = &x->paths[i];
		const int up = direction == H2D || (x->path_count == 2 && i == 0);
		const int down = direction == D2H || (x->path_count == 2 && i == 1);
		p->block = malloc(x->block);
		if (p->block == NULL || x->got == NULL)
			status = support_error(error, EH_E_NO_MEMORY, "xfer: no host memory");
		if (status == EH_OK)
			status = side_make(bench, &p->from, !up, pinned, x->bytes, error);
		if (status == EH_OK)
			status = side_make(bench, &p->to, !down, pinned, x->bytes, error);
	}
	if (status == EH_OK)
		status = xfer_data(x, 0, error);
	if (status == EH_OK && direction == DUPLEX)
		status = second_queue(x, error);
	if (status != EH_OK) {
		xfer_finish(x);
		return status;
	}
	*state = x;
	return EH_OK;
}

static eh_status move(const xfer_state *x, eh_queue *q, const path *p, eh_error *error)
{
	const eh_backend_ops *ops = x->bench->ops;

	if (p->from.pageable)
		return ops->upload(q, p->to.buffer, 0, p->from.host, x->bytes, error);
	if (p->to.pageable)
		return ops->download(q, p->to.host, p->from.buffer, 0, x->bytes, error);
	return ops->copy(q, p->to.buffer, 0, p->from.buffer, 0, x->bytes, error);
}

/* Commands in `then` start when those enqueued in `first` are done. */
static eh_status follow(const xfer_state *x, eh_queue *then, eh_queue *first, eh_mark *mark,
                        eh_error *error)
{
	const eh_status status = x->bench->ops->mark_record(first, mark, error);

	return status == EH_OK ? x->bench->ops->queue_wait_mark(then, mark, error) : status;
}

static eh_status xfer_enqueue(void *state, uint64_t iteration, eh_error *error)
{
	xfer_state *x = state;
	eh_queue *q = x->bench->queue;
	eh_status status = EH_OK;
	uint32_t i;
	(void)iteration;
	if (x->second != NULL)
		status = follow(x, x->second, q, x->fork, error);
	for (i = 0; i < x->path_count && status == EH_OK; i++)
		status = move(x, i == 0 && x->second != NULL ? x->second : q, &x->paths[i], error);
	if (status == EH_OK && x->second != NULL)
		status = follow(x, q, x->second, x->join, error);
	return status;
}

static eh_status xfer_poison(void *state, eh_error *error)
{
	xfer_state *x = state;
	eh_status status = EH_OK;
	uint32_t i;
	for (i = 0; i < x->path_count && status == EH_OK; i++) {
		if (x->paths[i].to.host != NULL)
			/* An enqueued copy may still be writing there. */
			status = x->bench->ops->queue_wait(x->bench->queue, error);
		if (status == EH_OK && x->paths[i].to.host != NULL)
			memset(x->paths[i].to.host, 0xad, x->bytes);
		else if (status == EH_OK)
			status = support_poison(x->bench, x->paths[i].to.buffer, x->bytes, error);
	}
	return status;
}

static eh_status xfer_check(void *state, uint64_t iteration, eh_check *check, eh_error *error)
{
	xfer_state *x = state;
	uint32_t p;
	(void)iteration;
	support_check_begin(check, "A");
	snprintf(check->tolerance, sizeof check->tolerance, "every byte equal");
	for (p = 0; p < x->path_count; p++) {
		const side *to = &x->paths[p].to;
		uint64_t first, n;
		for (first = 0; first < x->bytes; first += n) {
			const unsigned char *got = x->got;
			n = x->bytes - first < SUPPORT_CHUNK ? x->bytes - first : SUPPORT_CHUNK;
			if (to->host != NULL) {
				got = (const unsigned char *)to->host + first;
			} else {
				const eh_status status =
					support_fetch(x->bench, x->got, to->buffer, first, n,
					              error);
				if (status != EH_OK)
					return status;
			}
			blocks_compare(check, to->host != NULL ? "host" : "device", got, first, n,
			               x->paths[p].block, x->block);
		}
	}
	support_check_end(check);
	return EH_OK;
}

static eh_status xfer_vary(void *state, uint32_t variant, eh_error *error)
{
	return xfer_data(state, variant, error);
}

static const eh_workload xfer_workload = {
	.magic = EH_WORKLOAD_MAGIC,
	.struct_size = sizeof(eh_workload),
	.abi_major = EH_ABI_MAJOR,
	.abi_minor = EH_ABI_MINOR,
	.pointer_bytes = sizeof(void *),
	.revision = 1,
	.name = "xfer",
	.summary = "copies between host and device, pinned or pageable, bit-exact",
	.params = xfer_params,
	.describe = xfer_describe,
	.prepare = xfer_prepare,
	.enqueue = xfer_enqueue,
	.poison = xfer_poison,
	.check = xfer_check,
	.vary = xfer_vary,
	.finish = xfer_finish,
	.checks = "every byte, against an incompressible block that repeats with a prime period",
};

const eh_workload *eh_workload_entry_v1(void)
{
	return &xfer_workload;
}

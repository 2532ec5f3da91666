/* SPDX-License-Identifier: Apache-2.0 */
/*
 * p2p - copies between the device and another one of its backend: to it, from it, or both ways at once.
 *
 * eh.peer.1 makes the copies, in the way that the case asks for or not at all.  One way is enqueued in the
 * case's queue.  Of both ways each device sends its own: the other's copy is in a queue of the other
 * device, which begins and ends with the case's.  Staged copies are timed by the host's clock: where the
 * host carries the bytes, marks of one queue do not enclose what the other device does.
 */
#include "../blocks.h"
#include "evenhand/extensions.h"

enum direction { TO, FROM, BOTH };

static const eh_param p2p_params[] = {
	{"direction", EH_PARAM_ENUM, 0, "to", "to|from|both", NULL,
	 "to the other device, from it, or both ways at once"},
	{"access", EH_PARAM_ENUM, 0, "direct", "direct|staged", NULL,
	 "one device reaches the other's memory, or copies pass through the host's"},
	{"peer", EH_PARAM_UINT, 0, "0", "0..4094", NULL,
	 "which other device: its number among those of the backend that are not this one"},
	{"bytes", EH_PARAM_BYTES, 0, "64MiB", "4..16GiB", NULL, "per direction; a multiple of 4"},
	{NULL, 0, 0, NULL, NULL, NULL, NULL},
};

enum { OWN, OTHER }; /* the devices                                                          */

typedef struct path {
	int from, to;         /* OWN, OTHER                                                   */
	eh_buffer *buffers[2]; /* of each device                                              */
	unsigned char *block; /* what it carries, repeated                                    */
} path;

typedef struct p2p_state {
	const eh_bench *bench;
	eh_bench sides[2];    /* the bench with each device and a queue of it, for the functions of support.h */
	const eh_peer_ops *peer;
	eh_peer_link *link;
	eh_device_info info;  /* of the other                                                 */
	uint64_t bytes, period;
	uint32_t path_count;
	path paths[2];
	unsigned char *got;
	eh_mark *fork, *join; /* where the other's queue begins and ends; NULL: one way       */
} p2p_state;

static int is_staged(const eh_case *values)
{
	return eh_case_value(values, "access")->number != 0;
}

static eh_status p2p_describe(const eh_case *values, eh_work *work, eh_error *error)
{
	const uint64_t bytes = eh_case_number(values, "bytes");
	const int both = eh_case_value(values, "direction")->number == BOTH;

	if (bytes % 4 != 0)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "p2p: bytes=%s is not a multiple of 4",
		                     eh_case_text(values, "bytes"));
	support_work_clear(work);
	work->metric = EH_METRIC_BYTES_PER_SECOND;
	work->region = is_staged(values) ? EH_REGION_ROUND_TRIP : EH_REGION_EXECUTION;
	work->bytes = (both ? 2.0 : 1.0) * (double)bytes;
	work->amount = work->bytes;
	work->device_bytes = both ? 2 * bytes : bytes;
	work->working_set_bytes = work->device_bytes;
	snprintf(work->precision, sizeof work->precision, "u8");
	snprintf(work->bytes_formula, sizeof work->bytes_formula, "%s",
	         both ? "2*B (B each way)" : "B");
	return EH_OK;
}

static void p2p_finish(void *state)
{
	p2p_state *x = state;
	const eh_backend_ops *ops;
	int i, side;
	if (x == NULL)
		return;
	ops = x->bench->ops;
	/* Copies may still run: nothing is freed before they are done. */
	(void)ops->queue_wait(x->bench->queue, NULL);
	if (x->sides[OTHER].queue != NULL)
		(void)ops->queue_wait(x->sides[OTHER].queue, NULL);
	if (x->link != NULL)
		x->peer->disconnect(x->link);
	for (i = 0; i < 2; i++) {
		for (side = OWN; side <= OTHER; side++)
			support_free(x->bench, x->paths[i].buffers[side]);
		free(x->paths[i].block);
	}
	ops->mark_destroy(x->fork);
	ops->mark_destroy(x->join);
	if (x->sides[OTHER].queue != NULL)
		ops->queue_destroy(x->sides[OTHER].queue);
	if (x->sides[OTHER].device != NULL)
		ops->device_close(x->sides[OTHER].device);
	free(x->got);
	free(x);
}

/* New data in the sources. */
static eh_status p2p_load(p2p_state *x, uint32_t variant, eh_error *error)
{
	eh_status status = x->bench->ops->queue_wait(x->bench->queue, error);
	uint32_t i;
	for (i = 0; i < x->path_count && status == EH_OK; i++) {
		path *p = &x->paths[i];
		x->bench->fill_bytes(x->bench, p->block, 0, x->period, x->bench->values->seed,
		                     2 * variant + i);
		status = support_upload_repeated(&x->sides[p->from], p->buffers[p->from], x->bytes,
		                                 p->block, x->period, error);
	}
	return status;
}

/* Opens the other device and connects the two. */
static eh_status p2p_meet(p2p_state *x, eh_error *error)
{
	const eh_bench *b = x->bench;
	eh_status status;

	x->peer = b->extension(b, EH_PEER_NAME);
	if (x->peer == NULL)
		return support_error(error, EH_E_UNSUPPORTED,
		                     "p2p: the backend copies nothing between devices (%s)", EH_PEER_NAME);
	if (!EH_ROOM(b->struct_size, eh_bench, open_other))
		return support_error(error, EH_E_UNSUPPORTED, "p2p: this evenhand opens one device only");
	status = b->open_other(b, eh_case_number(b->values, "peer"), &x->info,
	                       &x->sides[OTHER].device, error);
	if (status != EH_OK) {
		x->sides[OTHER].device = NULL;
		return status;
	}
	status = b->ops->queue_create(x->sides[OTHER].device, 0, &x->sides[OTHER].queue, error);
	if (status != EH_OK) {
		x->sides[OTHER].queue = NULL;
		return status;
	}
	status = x->peer->connect(b->device, x->sides[OTHER].device,
	                          is_staged(b->values) ? EH_PEER_STAGED : EH_PEER_DIRECT, &x->link,
	                          error);
	if (status != EH_OK)
		x->link = NULL;
	return status;
}

static eh_status p2p_make(p2p_state *x, eh_error *error)
{
	const eh_backend_ops *ops = x->bench->ops;
	const uint64_t direction = eh_case_value(x->bench->values, "direction")->number;
	eh_status status = EH_OK;
	uint32_t i;
	int side;

	x->path_count = direction == BOTH ? 2 : 1;
	x->got = malloc(x->bytes < SUPPORT_CHUNK ? x->bytes : SUPPORT_CHUNK);
	for (i = 0; i < x->path_count && status == EH_OK; i++) {
		path *p = &x->paths[i];
		p->from = direction == FROM || i == 1 ? OTHER : OWN;
		p->to = p->from == OWN ? OTHER : OWN;
		p->block = malloc(x->period);
		if (p->block == NULL || x->got == NULL)
			status = support_error(error, EH_E_NO_MEMORY, "p2p: no host memory");
		for (side = OWN; side <= OTHER && status == EH_OK; side++)
			status = support_alloc(&x->sides[side], EH_MEMORY_DEVICE, x->bytes,
			                       &p->buffers[side], error);
	}
	if (status == EH_OK && direction == BOTH)
		status = ops->mark_create(x->bench->device, 0, &x->fork, error);
	if (status == EH_OK && direction == BOTH)
		status = ops->mark_create(x->sides[OTHER].device, 0, &x->join, error);
	return status == EH_OK ? p2p_load(x, 0, error) : status;
}

static eh_status p2p_prepare(const eh_bench *bench, void **state, eh_error *error)
{
	p2p_state *x = calloc(1, sizeof *x);
	eh_status status;

	if (x == NULL)
		return support_error(error, EH_E_NO_MEMORY, "p2p: no host memory");
	x->bench = bench;
	memcpy(&x->sides[OWN], bench,
	       bench->struct_size < sizeof *bench ? bench->struct_size : sizeof *bench);
	x->sides[OTHER].struct_size = sizeof x->sides[OTHER];
	x->sides[OTHER].ops = bench->ops;
	x->sides[OTHER].info = &x->info;
	x->info.struct_size = sizeof x->info;
	x->bytes = eh_case_number(bench->values, "bytes");
	x->period = blocks_period(x->bytes);
	status = p2p_meet(x, error);
	if (status == EH_OK)
		status = p2p_make(x, error);
	if (status != EH_OK) {
		p2p_finish(x);
		return status;
	}
	*state = x;
	return EH_OK;
}

static eh_status carry(const p2p_state *x, const path *p, eh_queue *queue, eh_error *error)
{
	return x->peer->copy(queue, x->link, p->buffers[p->to], 0, p->buffers[p->from], 0, x->bytes,
	                     error);
}

/* What is enqueued in `then` from now on waits for what is in `first`. */
static eh_status follow(const p2p_state *x, eh_queue *then, eh_queue *first, eh_mark *mark,
                        eh_error *error)
{
	const eh_status status = x->bench->ops->mark_record(first, mark, error);
	return status == EH_OK ? x->peer->queue_wait_mark(then, mark, error) : status;
}

static eh_status p2p_enqueue(void *state, uint64_t iteration, eh_error *error)
{
	p2p_state *x = state;
	eh_queue *own = x->bench->queue, *other = x->sides[OTHER].queue;
	eh_status status = EH_OK;
	(void)iteration;
	if (x->path_count == 1)
		return carry(x, &x->paths[0], own, error);
	status = follow(x, other, own, x->fork, error);
	if (status == EH_OK)
		status = carry(x, &x->paths[1], other, error);
	if (status == EH_OK)
		status = carry(x, &x->paths[0], own, error);
	return status == EH_OK ? follow(x, own, other, x->join, error) : status;
}

static eh_status p2p_poison(void *state, eh_error *error)
{
	p2p_state *x = state;
	/* The other's queue knows nothing of copies in this one. */
	eh_status status = x->bench->ops->queue_wait(x->bench->queue, error);
	uint32_t i;
	for (i = 0; i < x->path_count && status == EH_OK; i++) {
		const path *p = &x->paths[i];
		status = support_poison(&x->sides[p->to], p->buffers[p->to], x->bytes, error);
		if (status == EH_OK)
			status = x->bench->ops->queue_wait(x->sides[p->to].queue, error);
	}
	return status;
}

static eh_status p2p_check(void *state, uint64_t iteration, eh_check *check, eh_error *error)
{
	p2p_state *x = state;
	uint32_t i;
	(void)iteration;
	support_check_begin(check, "A");
	snprintf(check->tolerance, sizeof check->tolerance, "every byte equal");
	for (i = 0; i < x->path_count; i++) {
		const path *p = &x->paths[i];
		uint64_t first, n;
		for (first = 0; first < x->bytes; first += n) {
			eh_status status;
			n = x->bytes - first < SUPPORT_CHUNK ? x->bytes - first : SUPPORT_CHUNK;
			status = support_fetch(&x->sides[p->to], x->got, p->buffers[p->to], first, n,
			                       error);
			if (status != EH_OK)
				return status;
			blocks_compare(check, p->to == OWN ? "from the other device" : "to the other device",
			               x->got, first, n, p->block, x->period);
		}
	}
	support_check_end(check);
	if (check->passed)
		snprintf(check->detail, sizeof check->detail, "with %s (%.40s), %s: %s", x->info.id,
		         x->info.name, eh_case_text(x->bench->values, "access"),
		         x->peer->describe(x->link));
	return EH_OK;
}

static eh_status p2p_vary(void *state, uint32_t variant, eh_error *error)
{
	return p2p_load(state, variant, error);
}

static const eh_workload p2p_workload = {
	.magic = EH_WORKLOAD_MAGIC,
	.struct_size = sizeof(eh_workload),
	.abi_major = EH_ABI_MAJOR,
	.abi_minor = EH_ABI_MINOR,
	.pointer_bytes = sizeof(void *),
	.revision = 1,
	.name = "p2p",
	.summary = "copies between two devices of a backend, direct or staged, bit-exact",
	.params = p2p_params,
	.describe = p2p_describe,
	.prepare = p2p_prepare,
	.enqueue = p2p_enqueue,
	.poison = p2p_poison,
	.check = p2p_check,
	.vary = p2p_vary,
	.finish = p2p_finish,
	.checks = "every byte on the device that received it, against an incompressible block that repeats "
	          "with a prime period",
};

const eh_workload *eh_workload_entry_v1(void)
{
	return &p2p_workload;
}

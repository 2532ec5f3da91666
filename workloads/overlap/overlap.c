/* SPDX-License-Identifier: Apache-2.0 */
/*
 * overlap - how well copies and arithmetic run at once.
 *
 * One operation is a kernel of multiply-adds (that of fma, in floats) and copies between pinned host
 * memory and the device.  "overlapped" copies in a second queue, which begins and ends with the first;
 * "serial" has both in one in-order queue; "compute" and "copy" do one of them alone, each where
 * "overlapped" does it.  So the rows of one run say what is hidden.
 *
 * The data repeat an incompressible block with a prime number of bytes, and every byte is compared;
 * every element of the kernel's output is recomputed here and compared bit by bit.
 */
#include "../support.h"

enum mode { OVERLAPPED, SERIAL, COMPUTE, COPY };
enum direction { H2D, D2H, BOTH };

#define BLOCK_BYTES UINT64_C(1048583)
#define GROUP_ITEMS 256
/* Of the kernel: eight chains of four floats fit into the registers of every device. */
#define WIDTH 4
#define CHAINS 8
#define GROUP_ELEMENTS (GROUP_ITEMS * WIDTH)
#define GROUP_BYTES (GROUP_ELEMENTS * sizeof(float))

static const eh_param overlap_params[] = {
	{"mode", EH_PARAM_ENUM, 0, "overlapped", "overlapped|serial|compute|copy", NULL,
	 "in two queues, in one, the kernel alone, the copies alone"},
	{"direction", EH_PARAM_ENUM, 0, "h2d", "h2d|d2h|both", NULL,
	 "of the copies: host to device, back, up and then down"},
	{"bytes", EH_PARAM_BYTES, 0, "16MiB", "4..1GiB", NULL, "per direction; a multiple of 4"},
	{"rounds", EH_PARAM_UINT, 0, "256", "2..65536", NULL,
	 "multiply-adds per chain and element of the kernel; even"},
	{"groups", EH_PARAM_UINT, 0, "512", "1..1048576", NULL, "work-groups of 256 work-items"},
	{NULL, 0, 0, NULL, NULL, NULL, NULL},
};

/* A copy: one end is pinned host memory, the other on the device. */
typedef struct path {
	eh_buffer *from, *to;
	unsigned char *host;  /* address of the pinned end                                        */
	int up;               /* from the host                                                    */
	unsigned char *block; /* the block that it carries, repeated                              */
} path;

typedef struct overlap_state {
	const eh_bench *bench;
	enum mode mode;
	uint64_t bytes, block, rounds, groups;
	uint32_t path_count;
	path paths[2];
	float addend[2];       /* of the two steps of a chain                                      */
	eh_kernel *kernel;
	eh_buffer *out, *start;
	float *begin, *want;   /* GROUP_ELEMENTS each: inputs, expected sums                       */
	unsigned char *got;
	eh_queue *second;      /* of the copies; NULL = they are in the bench's                    */
	eh_mark *fork, *join;  /* where the second queue begins and ends                           */
} overlap_state;

static int computes(uint64_t mode)
{
	return mode != COPY;
}

static int copies(uint64_t mode)
{
	return mode != COMPUTE;
}

static eh_status overlap_describe(const eh_case *values, eh_work *work, eh_error *error)
{
	const uint64_t mode = eh_case_value(values, "mode")->number;
	const uint64_t direction = eh_case_value(values, "direction")->number;
	const uint64_t bytes = eh_case_number(values, "bytes");
	const uint64_t rounds = eh_case_number(values, "rounds");
	const uint64_t groups = eh_case_number(values, "groups");
	const uint64_t ways = direction == BOTH ? 2 : 1;

	if (bytes % 4 != 0)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "overlap: bytes=%s is not a multiple of 4",
		                     eh_case_text(values, "bytes"));
	if (rounds % 2 != 0)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "overlap: rounds=%" PRIu64 " is odd; the chain alternates two steps",
		                     rounds);
	support_work_clear(work);
	work->metric = EH_METRIC_SECONDS;
	work->region = EH_REGION_EXECUTION;
	work->amount = 1;
	snprintf(work->precision, sizeof work->precision, "%s", computes(mode) ? "f32" : "u8");
	if (copies(mode)) {
		work->needs = EH_CAP_PINNED;
		work->bytes = (double)(ways * bytes);
		work->device_bytes = ways * bytes;
		snprintf(work->bytes_formula, sizeof work->bytes_formula, "%s%s",
		         ways == 2 ? "2*B (B each way)" : "B",
		         computes(mode) ? " + (G+1)*256*4*s" : "");
	}
	if (computes(mode)) {
		work->flops = 2.0 * (double)groups * GROUP_ITEMS * CHAINS * WIDTH * (double)rounds;
		work->bytes += (double)((groups + 1) * GROUP_BYTES);
		work->device_bytes += (groups + 1) * GROUP_BYTES;
		work->group_items = GROUP_ITEMS;
		snprintf(work->flops_formula, sizeof work->flops_formula,
		         "2*G*256*8*4*R (groups, 8 chains, 4 wide, rounds)");
		if (!copies(mode))
			snprintf(work->bytes_formula, sizeof work->bytes_formula, "(G+1)*256*4*s");
		snprintf(work->kernel, sizeof work->kernel, "fma");
		support_define(work, "EH_F_REAL", "float");
		support_define(work, "EH_F_VECTOR", "eh_f32x%d", WIDTH);
		support_define(work, "EH_F_CHAINS", "%d", CHAINS);
	}
	work->working_set_bytes = work->device_bytes;
	return EH_OK;
}

/* ---- data ------------------------------------------------------------------------------------ */

/* What one group of the identity rotation ends at.  Multiplying by 1/2 and 2 is exact, so fused and
 * separate arithmetic agree. */
static void expect(overlap_state *o)
{
	uint64_t i, r;
	int c;

	for (i = 0; i < GROUP_ELEMENTS; i++)
		o->want[i] = 0;
	for (c = 0; c < CHAINS; c++)
		for (i = 0; i < GROUP_ELEMENTS; i++) {
			float x = o->begin[i] + (float)c * 0.0625f;
			for (r = 0; r < o->rounds; r += 2) {
				x = x * 0.5f + o->addend[0];
				x = x * 2.0f + o->addend[1];
			}
			o->want[i] = c == 0 ? x : o->want[i] + x;
		}
}

static eh_status kernel_data(overlap_state *o, uint32_t variant, eh_error *error)
{
	const eh_bench *b = o->bench;
	float u;

	b->fill_uniform(b, o->begin, 0, GROUP_ELEMENTS, "f32", b->values->seed, 4 * variant);
	b->fill_uniform(b, &u, 0, 1, "f32", b->values->seed, 4 * variant + 1);
	/* Both steps add 2b + d, 2^-8: every round moves the outcome. */
	o->addend[0] = 0.75f + u / 4;
	o->addend[1] = 0x1p-8f - 2 * o->addend[0];
	expect(o);
	return support_upload_repeated(b, o->start, GROUP_BYTES, o->begin, GROUP_BYTES, error);
}

static eh_status path_data(overlap_state *o, path *p, uint32_t stream, eh_error *error)
{
	uint64_t at;

	o->bench->fill_bytes(o->bench, p->block, 0, o->block, o->bench->values->seed, stream);
	if (!p->up)
		return support_upload_repeated(o->bench, p->from, o->bytes, p->block, o->block,
		                               error);
	for (at = 0; at < o->bytes; at += o->block)
		memcpy(p->host + at, p->block, o->bytes - at < o->block ? o->bytes - at : o->block);
	return EH_OK;
}

static eh_status overlap_data(overlap_state *o, uint32_t variant, eh_error *error)
{
	eh_status status = computes(o->mode) ? kernel_data(o, variant, error) : EH_OK;
	uint32_t i;

	for (i = 0; i < o->path_count && status == EH_OK; i++)
		status = path_data(o, &o->paths[i], 4 * variant + 2 + i, error);
	return status;
}

/* ---- preparing ------------------------------------------------------------------------------- */

static void overlap_finish(void *state)
{
	overlap_state *o = state;
	int i;
	if (o == NULL)
		return;
	/* It may still copy: nothing is freed before it is done. */
	if (o->second != NULL)
		o->bench->ops->queue_destroy(o->second);
	for (i = 0; i < 2; i++) {
		support_free(o->bench, o->paths[i].from);
		support_free(o->bench, o->paths[i].to);
		free(o->paths[i].block);
	}
	o->bench->ops->mark_destroy(o->fork);
	o->bench->ops->mark_destroy(o->join);
	support_free(o->bench, o->out);
	support_free(o->bench, o->start);
	free(o->begin);
	free(o->want);
	free(o->got);
	free(o);
}

static eh_status path_make(overlap_state *o, path *p, int up, eh_error *error)
{
	const eh_bench *b = o->bench;
	eh_buffer *pinned;
	eh_status status;

	p->up = up;
	p->block = malloc(o->block);
	if (p->block == NULL)
		return support_error(error, EH_E_NO_MEMORY, "overlap: no host memory");
	status = support_alloc(b, up ? EH_MEMORY_PINNED : EH_MEMORY_DEVICE, o->bytes, &p->from, error);
	if (status == EH_OK)
		status = support_alloc(b, up ? EH_MEMORY_DEVICE : EH_MEMORY_PINNED, o->bytes, &p->to,
		                       error);
	if (status != EH_OK)
		return status;
	pinned = up ? p->from : p->to;
	if (EH_HAS(b->ops, eh_backend_ops, buffer_host_pointer))
		p->host = b->ops->buffer_host_pointer(pinned);
	if (p->host == NULL)
		return support_error(error, EH_E_UNSUPPORTED,
		                     "overlap: the backend gives no host address of its pinned memory");
	return EH_OK;
}

static eh_status second_queue(overlap_state *o, eh_error *error)
{
	const eh_backend_ops *ops = o->bench->ops;
	eh_status status;

	if (!EH_HAS(ops, eh_backend_ops, queue_wait_mark))
		return support_error(error, EH_E_UNSUPPORTED,
		                     "overlap: the backend orders no two queues (queue_wait_mark)");
	status = ops->mark_create(o->bench->device, 0, &o->fork, error);
	if (status == EH_OK)
		status = ops->mark_create(o->bench->device, 0, &o->join, error);
	if (status == EH_OK)
		status = ops->queue_create(o->bench->device, EH_COPIES, &o->second, error);
	return status;
}

static eh_status make_kernel(overlap_state *o, eh_error *error)
{
	const eh_bench *b = o->bench;
	eh_status status;

	o->begin = malloc(GROUP_BYTES);
	o->want = malloc(GROUP_BYTES);
	if (o->begin == NULL || o->want == NULL)
		return support_error(error, EH_E_NO_MEMORY, "overlap: no host memory");
	status = b->ops->kernel_get(b->program, "eh_fma", &o->kernel, error);
	if (status == EH_OK)
		status = support_alloc(b, EH_MEMORY_DEVICE, o->groups * GROUP_BYTES, &o->out, error);
	if (status == EH_OK)
		status = support_alloc(b, EH_MEMORY_DEVICE, GROUP_BYTES, &o->start, error);
	return status;
}

static eh_status make_copies(overlap_state *o, uint64_t direction, eh_error *error)
{
	eh_status status = EH_OK;
	uint32_t i;

	o->path_count = direction == BOTH ? 2 : 1;
	for (i = 0; i < o->path_count && status == EH_OK; i++)
		status = path_make(o, &o->paths[i], i == 0 && direction != D2H, error);
	if (status == EH_OK && o->mode != SERIAL)
		status = second_queue(o, error);
	return status;
}

static eh_status overlap_prepare(const eh_bench *bench, void **state, eh_error *error)
{
	const eh_case *values = bench->values;
	overlap_state *o = calloc(1, sizeof *o);
	eh_status status = EH_OK;

	if (o == NULL)
		return support_error(error, EH_E_NO_MEMORY, "overlap: no host memory");
	o->bench = bench;
	o->mode = (enum mode)eh_case_value(values, "mode")->number;
	o->bytes = eh_case_number(values, "bytes");
	o->block = o->bytes < BLOCK_BYTES ? o->bytes : BLOCK_BYTES;
	o->rounds = eh_case_number(values, "rounds");
	o->groups = eh_case_number(values, "groups");
	o->got = malloc(SUPPORT_CHUNK);
	if (o->got == NULL)
		status = support_error(error, EH_E_NO_MEMORY, "overlap: no host memory");
	if (status == EH_OK && computes(o->mode))
		status = make_kernel(o, error);
	if (status == EH_OK && copies(o->mode))
		status = make_copies(o, eh_case_value(values, "direction")->number, error);
	if (status == EH_OK)
		status = overlap_data(o, 0, error);
	if (status != EH_OK) {
		overlap_finish(o);
		return status;
	}
	*state = o;
	return EH_OK;
}

/* ---- one operation --------------------------------------------------------------------------- */

/* Commands in `then` start when those enqueued in `first` are done. */
static eh_status follow(const overlap_state *o, eh_queue *then, eh_queue *first, eh_mark *mark,
                        eh_error *error)
{
	const eh_status status = o->bench->ops->mark_record(first, mark, error);

	return status == EH_OK ? o->bench->ops->queue_wait_mark(then, mark, error) : status;
}

static eh_status copy_all(const overlap_state *o, eh_queue *q, eh_error *error)
{
	const eh_backend_ops *ops = o->bench->ops;
	eh_status status = EH_OK;
	uint32_t i;

	for (i = 0; i < o->path_count && status == EH_OK; i++)
		status = ops->copy(q, o->paths[i].to, 0, o->paths[i].from, 0, o->bytes, error);
	/* So that they need not wait until the kernel is enqueued. */
	if (status == EH_OK && q == o->second && EH_HAS(ops, eh_backend_ops, queue_flush))
		status = ops->queue_flush(q, error);
	return status;
}

static eh_status compute(const overlap_state *o, eh_error *error)
{
	static const float multiplier[2] = {0.5f, 2};
	const uint32_t pairs = (uint32_t)(o->rounds / 2);
	eh_arg args[7];

	args[0] = support_buffer(o->out);
	args[1] = support_buffer(o->start);
	args[2] = support_value(&multiplier[0], sizeof multiplier[0]);
	args[3] = support_value(&o->addend[0], sizeof o->addend[0]);
	args[4] = support_value(&multiplier[1], sizeof multiplier[1]);
	args[5] = support_value(&o->addend[1], sizeof o->addend[1]);
	args[6] = support_value(&pairs, sizeof pairs);
	return support_launch(o->bench, o->kernel, (uint32_t)o->groups, 1, GROUP_ITEMS, 1, args, 7,
	                      error);
}

static eh_status overlap_enqueue(void *state, uint64_t iteration, eh_error *error)
{
	overlap_state *o = state;
	eh_queue *q = o->bench->queue;
	eh_status status = EH_OK;
	(void)iteration;

	if (o->second != NULL)
		status = follow(o, o->second, q, o->fork, error);
	if (status == EH_OK && copies(o->mode))
		status = copy_all(o, o->second != NULL ? o->second : q, error);
	if (status == EH_OK && computes(o->mode))
		status = compute(o, error);
	if (status == EH_OK && o->second != NULL)
		status = follow(o, q, o->second, o->join, error);
	return status;
}

static eh_status overlap_poison(void *state, eh_error *error)
{
	overlap_state *o = state;
	eh_status status = EH_OK;
	uint32_t i;

	if (computes(o->mode))
		status = support_poison(o->bench, o->out, o->groups * GROUP_BYTES, error);
	for (i = 0; i < o->path_count && status == EH_OK; i++) {
		const path *p = &o->paths[i];
		if (p->up) {
			status = support_poison(o->bench, p->to, o->bytes, error);
			continue;
		}
		/* An enqueued copy may still be writing there. */
		status = o->bench->ops->queue_wait(o->bench->queue, error);
		if (status == EH_OK)
			memset(p->host, 0xad, o->bytes);
	}
	return status;
}

/* ---- checking -------------------------------------------------------------------------------- */

/* Counts the bytes that differ, and describes the first. */
static void compare(eh_check *check, const path *p, const unsigned char *got,
                    const unsigned char *want, uint64_t first, uint64_t n)
{
	uint64_t i;
	check->checked += n;
	if (memcmp(got, want, n) == 0)
		return;
	for (i = 0; i < n; i++)
		if (got[i] != want[i] && check->failed++ == 0)
			snprintf(check->detail, sizeof check->detail,
			         "copied %s: byte %" PRIu64 " is 0x%02x, want 0x%02x",
			         p->up ? "up" : "down", first + i, got[i], want[i]);
	check->max_error = HUGE_VAL;
}

static eh_status check_path(overlap_state *o, const path *p, eh_check *check, eh_error *error)
{
	uint64_t first, done, n;

	for (first = 0; first < o->bytes; first += n) {
		const unsigned char *got = o->got;
		n = o->bytes - first < SUPPORT_CHUNK ? o->bytes - first : SUPPORT_CHUNK;
		if (p->up) {
			const eh_status status = support_fetch(o->bench, o->got, p->to, first, n,
			                                       error);
			if (status != EH_OK)
				return status;
		} else {
			got = p->host + first;
		}
		for (done = 0; done < n;) {
			const uint64_t at = (first + done) % o->block;
			const uint64_t run = o->block - at < n - done ? o->block - at : n - done;
			compare(check, p, got + done, p->block + at, first + done, run);
			done += run;
		}
	}
	return EH_OK;
}

static eh_status check_kernel(overlap_state *o, eh_check *check, eh_error *error)
{
	const uint64_t step = SUPPORT_CHUNK / GROUP_BYTES;
	uint64_t first, g;

	for (first = 0; first < o->groups; first += step) {
		const uint64_t n = o->groups - first < step ? o->groups - first : step;
		const eh_status status = support_fetch(o->bench, o->got, o->out,
		                                       first * GROUP_BYTES, n * GROUP_BYTES, error);
		if (status != EH_OK)
			return status;
		for (g = 0; g < n; g++) {
			/* The kernel starts group g at item g of the inputs. */
			const uint64_t turn = (first + g) % GROUP_ITEMS * WIDTH;
			const uint64_t at = (first + g) * GROUP_ELEMENTS;
			const unsigned char *got = o->got + g * GROUP_BYTES;
			support_check_bits(check, o->bench, "element", at, got, o->want + turn,
			                   GROUP_ELEMENTS - turn, "f32");
			support_check_bits(check, o->bench, "element", at + GROUP_ELEMENTS - turn,
			                   got + (GROUP_ELEMENTS - turn) * sizeof(float), o->want,
			                   turn, "f32");
		}
	}
	return EH_OK;
}

static eh_status overlap_check(void *state, uint64_t iteration, eh_check *check, eh_error *error)
{
	overlap_state *o = state;
	eh_status status = EH_OK;
	uint32_t i;
	(void)iteration;

	support_check_begin(check, "A");
	snprintf(check->tolerance, sizeof check->tolerance,
	         "every byte copied and every element computed equal");
	if (computes(o->mode))
		status = check_kernel(o, check, error);
	for (i = 0; i < o->path_count && status == EH_OK; i++)
		status = check_path(o, &o->paths[i], check, error);
	support_check_end(check);
	return status;
}

static eh_status overlap_vary(void *state, uint32_t variant, eh_error *error)
{
	return overlap_data(state, variant, error);
}

static const eh_workload overlap_workload = {
	.magic = EH_WORKLOAD_MAGIC,
	.struct_size = sizeof(eh_workload),
	.abi_major = EH_ABI_MAJOR,
	.abi_minor = EH_ABI_MINOR,
	.pointer_bytes = sizeof(void *),
	.revision = 1,
	.name = "overlap",
	.summary = "copies and arithmetic at once, in one queue, and alone",
	.params = overlap_params,
	.describe = overlap_describe,
	.prepare = overlap_prepare,
	.enqueue = overlap_enqueue,
	.poison = overlap_poison,
	.check = overlap_check,
	.vary = overlap_vary,
	.finish = overlap_finish,
	.checks = "every byte copied and every element of the kernel, bit by bit",
};

const eh_workload *eh_workload_entry_v1(void)
{
	return &overlap_workload;
}

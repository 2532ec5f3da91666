/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alloc - the cost of allocating memory and giving it back.
 *
 * One operation frees the buffers of the one before and allocates as many.  "untouched" ends there,
 * and is timed as calls of the host; "touched" fills each new buffer once and waits, which is when
 * a system that hands out pages on first use pays for them.
 *
 * So the buffers of the last operation are there when it is checked: touched ones hold the fill's
 * pattern, which is another in each operation; in untouched ones patterns are written now, all of
 * them before any is read, so that memory that was not there, or was handed out twice, is found.
 */
#include "../support.h"

enum mode { UNTOUCHED, TOUCHED };

/* What is read and written of a buffer that is checked: pieces, beginning at even distances. */
#define PIECE UINT64_C(4096)
#define PIECES_MOST UINT64_C(1024)
/* Of all buffers together. */
#define BYTES_MOST (UINT64_C(64) << 30)

static const eh_param alloc_params[] = {
	{"kind", EH_PARAM_ENUM, 0, "device", "device|pinned|shared", NULL, "of the memory"},
	{"bytes", EH_PARAM_BYTES, 0, "1MiB", "4KiB..8GiB", NULL, "of a buffer; a multiple of 4096"},
	{"mode", EH_PARAM_ENUM, 0, "untouched", "untouched|touched", NULL,
	 "free and allocate alone, or fill what was allocated as well"},
	{"count", EH_PARAM_UINT, 0, "1", "1..4096", NULL, "buffers per operation, live at once"},
	{NULL, 0, 0, NULL, NULL, NULL, NULL},
};

typedef struct alloc_state {
	const eh_bench *bench;
	enum mode mode;
	uint32_t kind, count;
	uint32_t salt;         /* of the patterns; another in each operation, and after vary     */
	uint32_t step;         /* odd, by which it changes                                       */
	uint64_t bytes;
	uint64_t stride;       /* from one checked piece to the next                             */
	eh_buffer **buffers;   /* those that are there; NULL = none                              */
	unsigned char *got;    /* a piece                                                        */
} alloc_state;

static eh_status alloc_describe(const eh_case *values, eh_work *work, eh_error *error)
{
	static const uint64_t needs[] = {0, EH_CAP_PINNED, EH_CAP_SHARED};
	const uint64_t kind = eh_case_value(values, "kind")->number;
	const uint64_t bytes = eh_case_number(values, "bytes");
	const uint64_t count = support_positive(values, "count");
	const int touched = eh_case_value(values, "mode")->number == TOUCHED;

	if (bytes % PIECE != 0)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "alloc: bytes=%s is not a multiple of 4096",
		                     eh_case_text(values, "bytes"));
	if (bytes > BYTES_MOST / count)
		return support_error(error, EH_E_INVALID_ARGUMENT,
		                     "alloc: count=%" PRIu64 " buffers of %s are more than 64GiB", count,
		                     eh_case_text(values, "bytes"));
	support_work_clear(work);
	work->metric = EH_METRIC_SECONDS;
	work->region = touched ? EH_REGION_ROUND_TRIP : EH_REGION_ENQUEUE;
	work->amount = (double)count;
	work->bytes = touched ? (double)(count * bytes) : 0;
	work->needs = needs[kind];
	work->device_bytes = needs[kind] == EH_CAP_PINNED ? 0 : count * bytes;
	work->working_set_bytes = count * bytes;
	snprintf(work->precision, sizeof work->precision, "u32");
	if (touched)
		snprintf(work->bytes_formula, sizeof work->bytes_formula, "C*B (count, bytes)");
	return EH_OK;
}

/* ---- buffers --------------------------------------------------------------------------------- */

static void free_all(alloc_state *a)
{
	uint32_t i;
	for (i = 0; i < a->count; i++) {
		support_free(a->bench, a->buffers[i]);
		a->buffers[i] = NULL;
	}
}

/* No command may use a buffer that is freed.  Only filling enqueues any, and in a round trip the queue
 * is idle here: then this returns at once. */
static eh_status free_idle(alloc_state *a, eh_error *error)
{
	const eh_status status = a->mode == TOUCHED ?
		a->bench->ops->queue_wait(a->bench->queue, error) : EH_OK;

	if (status == EH_OK)
		free_all(a);
	return status;
}

/* The word that the last operation's buffer i is filled with, from the piece at `offset` on. */
static uint32_t pattern(const alloc_state *a, uint32_t i, uint64_t offset)
{
	return a->salt + i * UINT32_C(0x85ebca6b) + (uint32_t)(offset / PIECE) * UINT32_C(0xc2b2ae35);
}

static void choose_salt(alloc_state *a, uint32_t variant)
{
	uint32_t random[2];
	a->bench->fill_bytes(a->bench, random, 0, sizeof random, a->bench->values->seed, variant);
	a->salt = random[0];
	a->step = random[1] | 1u;
}

/* ---- the workload ---------------------------------------------------------------------------- */

static void alloc_finish(void *state)
{
	alloc_state *a = state;
	if (a == NULL)
		return;
	if (a->buffers != NULL)
		free_all(a);
	free(a->buffers);
	free(a->got);
	free(a);
}

static eh_status alloc_prepare(const eh_bench *bench, void **state, eh_error *error)
{
	static const uint32_t kinds[] = {EH_MEMORY_DEVICE, EH_MEMORY_PINNED, EH_MEMORY_SHARED};
	alloc_state *a = calloc(1, sizeof *a);
	uint64_t pieces;

	if (a == NULL)
		return support_error(error, EH_E_NO_MEMORY, "alloc: no host memory");
	a->bench = bench;
	a->mode = (enum mode)eh_case_value(bench->values, "mode")->number;
	a->kind = kinds[eh_case_value(bench->values, "kind")->number];
	a->count = (uint32_t)support_positive(bench->values, "count");
	a->bytes = eh_case_number(bench->values, "bytes");
	/* Of many buffers fewer pieces each, and always the first and the last. */
	pieces = PIECES_MOST / support_positive(bench->values, "count");
	pieces = pieces < 2 ? 2 : pieces;
	a->stride = (a->bytes / PIECE + pieces - 1) / pieces * PIECE;
	a->buffers = calloc(a->count, sizeof(eh_buffer *));
	a->got = malloc(PIECE);
	if (a->buffers == NULL || a->got == NULL) {
		alloc_finish(a);
		return support_error(error, EH_E_NO_MEMORY, "alloc: no host memory");
	}
	choose_salt(a, 0);
	*state = a;
	return EH_OK;
}

static eh_status alloc_enqueue(void *state, uint64_t iteration, eh_error *error)
{
	alloc_state *a = state;
	const eh_bench *b = a->bench;
	eh_status status = free_idle(a, error);
	uint32_t i;
	(void)iteration;

	a->salt += a->step;
	for (i = 0; i < a->count && status == EH_OK; i++) {
		status = b->ops->buffer_alloc(b->device, a->kind, a->bytes, &a->buffers[i], error);
		if (status != EH_OK)
			a->buffers[i] = NULL;
		else if (a->mode == TOUCHED)
			status = b->ops->fill(b->queue, a->buffers[i], 0, a->bytes, pattern(a, i, 0),
			                      error);
	}
	return status;
}

/* The outputs are the buffers: without an operation there are none. */
static eh_status alloc_poison(void *state, eh_error *error)
{
	return free_idle(state, error);
}

/* ---- checking -------------------------------------------------------------------------------- */

/* The start of the piece behind the one at `offset`; the last one ends with the buffer. */
static uint64_t next_piece(const alloc_state *a, uint64_t offset)
{
	const uint64_t last = a->bytes - PIECE;

	return offset >= last ? a->bytes : last - offset < a->stride ? last : offset + a->stride;
}

/* Writes a pattern to each piece of the untouched buffers. */
static eh_status write_all(const alloc_state *a, eh_error *error)
{
	const eh_bench *b = a->bench;
	eh_status status = EH_OK;
	uint64_t at;
	uint32_t i;

	for (i = 0; i < a->count; i++)
		for (at = 0; at < a->bytes && status == EH_OK; at = next_piece(a, at))
			status = b->ops->fill(b->queue, a->buffers[i], at, PIECE, pattern(a, i, at),
			                      error);
	return status;
}

static void compare(eh_check *check, uint32_t buffer, uint64_t at, const unsigned char *got,
                    uint32_t want)
{
	uint32_t word;
	uint64_t i;

	check->checked += PIECE / sizeof word;
	for (i = 0; i < PIECE; i += sizeof word) {
		memcpy(&word, got + i, sizeof word);
		if (word == want)
			continue;
		check->max_error = HUGE_VAL;
		if (check->failed++ == 0)
			snprintf(check->detail, sizeof check->detail,
			         "buffer %" PRIu32 ": the word at byte %" PRIu64
			         " is 0x%08" PRIx32 ", want 0x%08" PRIx32,
			         buffer, at + i, word, want);
	}
}

static eh_status alloc_check(void *state, uint64_t iteration, eh_check *check, eh_error *error)
{
	alloc_state *a = state;
	eh_status status = EH_OK;
	uint64_t at;
	uint32_t i;
	(void)iteration;

	support_check_begin(check, "A");
	snprintf(check->tolerance, sizeof check->tolerance, "%s", a->mode == TOUCHED ?
	         "every word read holds the pattern of its buffer's first fill" :
	         "every word written to the new buffers is read back");
	for (i = 0; i < a->count; i++)
		if (a->buffers[i] == NULL) {
			check->checked = check->failed = 1;
			snprintf(check->detail, sizeof check->detail,
			         "buffer %" PRIu32 " was not allocated", i);
			return EH_OK;
		}
	if (a->mode == UNTOUCHED)
		status = write_all(a, error);
	for (i = 0; i < a->count; i++)
		for (at = 0; at < a->bytes && status == EH_OK; at = next_piece(a, at)) {
			status = support_fetch(a->bench, a->got, a->buffers[i], at, PIECE, error);
			if (status == EH_OK)
				compare(check, i, at, a->got,
				        pattern(a, i, a->mode == TOUCHED ? 0 : at));
		}
	support_check_end(check);
	return status;
}

static eh_status alloc_vary(void *state, uint32_t variant, eh_error *error)
{
	(void)error;
	choose_salt(state, variant);
	return EH_OK;
}

static const eh_workload alloc_workload = {
	.magic = EH_WORKLOAD_MAGIC,
	.struct_size = sizeof(eh_workload),
	.abi_major = EH_ABI_MAJOR,
	.abi_minor = EH_ABI_MINOR,
	.pointer_bytes = sizeof(void *),
	.revision = 1,
	.name = "alloc",
	.summary = "cost of allocating and freeing device, pinned and shared memory",
	.params = alloc_params,
	.describe = alloc_describe,
	.prepare = alloc_prepare,
	.enqueue = alloc_enqueue,
	.poison = alloc_poison,
	.check = alloc_check,
	.vary = alloc_vary,
	.finish = alloc_finish,
	.checks = "patterns written to the new buffers and read back, word by word",
};

const eh_workload *eh_workload_entry_v1(void)
{
	return &alloc_workload;
}

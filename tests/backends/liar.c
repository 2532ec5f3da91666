/* SPDX-License-Identifier: Apache-2.0 */
/*
 * liar - the skeleton backend with one fault, to see that no lie becomes a valid number.
 *
 * The fault is named by --set liar.fault=NAME or EVENHAND_LIAR_FAULT, its count N by --set
 * liar.n=NUMBER or EVENHAND_LIAR_N:
 *   honest      none: then it passes the conformance suite
 *   early       waits do not wait, and marks pass at once; uploads and downloads wait
 *   tick        marks are always 1 ns apart
 *   fast-clock  the time between marks is 10 times too short
 *   wrong       every 16th word of what is downloaded is changed
 *   stale       a download returns what the first download of the same range returned
 *   skip        launches after the first N (4) do nothing
 *   twin        allocations of 4 KiB to 16 MiB after the first N (0) are all the same memory
 *   no-copy     copies after the first N (4) do nothing
 *   no-fill     fills of more than 64 bytes after the first N (0) do nothing
 *   hang        waits after the first N (0) never return
 *   crash       launches after the first N (0) end in SIGSEGV
 *   oom         allocations after the first N (4) fail
 *   error       the N-th (50) command or wait fails, once
 *   slow        every launch takes 20 ms longer
 *   memo        launches are N (5000) us slower on inputs that were never uploaded before:
 *               repeated work is recognised
 *   unsettled   the first N (6) launches on inputs that were never uploaded before take 12 ms longer,
 *               by chance as it were, all others 2 ms, and uploads 150 ms: honest, and slow to write
 *   lost        the device is lost from the N-th (50) command or wait on
 */
#include "evenhand/backend.h"

/* The skeleton's own entry function becomes a static one of another name. */
#undef EH_EXPORT
#define EH_EXPORT __attribute__((unused)) static
#define eh_backend_entry_v1 honest_entry
#include "../../plugins/skeleton/compile.c"
#include "../../plugins/skeleton/queue.c"
#include "../../plugins/skeleton/skeleton.c"
#undef eh_backend_entry_v1
#undef EH_EXPORT
#define EH_EXPORT __attribute__((visibility("default")))

#include <signal.h>

enum fault {
	FAULT_HONEST,
	FAULT_EARLY,
	FAULT_TICK,
	FAULT_FAST_CLOCK,
	FAULT_WRONG,
	FAULT_STALE,
	FAULT_SKIP,
	FAULT_TWIN,
	FAULT_NO_COPY,
	FAULT_NO_FILL,
	FAULT_HANG,
	FAULT_CRASH,
	FAULT_OOM,
	FAULT_ERROR,
	FAULT_SLOW,
	FAULT_LOST,
	FAULT_MEMO,
	FAULT_UNSETTLED,
	FAULT_COUNT
};
static const struct { const char *name; uint64_t n;
} faults[FAULT_COUNT] = {
	[FAULT_HONEST] = { "honest", 0 }, [FAULT_EARLY] = { "early", 0 },
	[FAULT_TICK] = { "tick", 0 },     [FAULT_FAST_CLOCK] = { "fast-clock", 0 },
	[FAULT_WRONG] = { "wrong", 0 },   [FAULT_STALE] = { "stale", 0 },
	[FAULT_SKIP] = { "skip", 4 },     [FAULT_HANG] = { "hang", 0 },
	[FAULT_CRASH] = { "crash", 0 },   [FAULT_OOM] = { "oom", 4 },
	[FAULT_ERROR] = { "error", 50 },  [FAULT_SLOW] = { "slow", 0 },
	[FAULT_LOST] = { "lost", 50 }, [FAULT_MEMO] = { "memo", 5000 },
	[FAULT_UNSETTLED] = { "unsettled", 6 },
	[FAULT_TWIN] = { "twin", 0 },
	[FAULT_NO_COPY] = { "no-copy", 4 }, [FAULT_NO_FILL] = { "no-fill", 0 },
};

/* What was downloaded once, for `stale`. */
typedef struct memory {
	struct memory *next;
	const eh_buffer *buffer;
	uint64_t offset, bytes;
	unsigned char data[];
} memory;

/* The contents that were uploaded, for `memo` and `unsettled`; enough for a case of the tests. */
enum { SEEN_MOST = 4096 };

static struct {
	enum fault fault;
	uint64_t seen[SEEN_MOST];
	size_t seen_count;
	int fresh; /* an upload since the last launch was new */
	uint64_t n, commands, launches, waits, allocations, slowed, copies, fills;
	memory *remembered;
	eh_queue *queues[64]; /* those that are there, for `early` */
} liar;

/* For what is only safe when nothing runs any more. */
static void drain(void)
{
	for (size_t i = 0; i < sizeof(liar.queues) / sizeof(liar.queues[0]); i++)
		if (liar.queues[i] != NULL)
			queue_wait(liar.queues[i], NULL);
}

static void replace_queue(eh_queue *old, eh_queue *new)
{
	size_t i = 0;

	while (i + 1 < sizeof(liar.queues) / sizeof(liar.queues[0]) && liar.queues[i] != old)
		i++;
	liar.queues[i] = new;
}

/* ---- what every command goes through -------------------------------------------------------- */

static eh_status liar_step(const char *where, eh_error *error)
{
	liar.commands++;
	if (liar.fault == FAULT_ERROR && liar.commands == liar.n)
		return eh_fail(error, EH_E_DEVICE, where, "the device failed at command %llu",
		                     (unsigned long long)liar.commands);
	if (liar.fault == FAULT_LOST && liar.commands >= liar.n)
		return eh_fail(error, EH_E_DEVICE_LOST, where,
		                     "the device is lost since command %llu",
		                     (unsigned long long)liar.n);
	return EH_OK;
}

static eh_status liar_wait(const char *where, eh_error *error)
{
	eh_status status = liar_step(where, error);

	if (status == EH_OK && liar.fault == FAULT_HANG && liar.waits++ >= liar.n)
		for (;;)
			pause();
	return status;
}

static eh_status liar_start(const eh_host *host, void **self, eh_error *error)
{
	const char *name = host->option(host->ctx, "fault"), *n = host->option(host->ctx, "n");
	int fault;

	if (name == NULL)
		name = getenv("EVENHAND_LIAR_FAULT");
	if (n == NULL)
		n = getenv("EVENHAND_LIAR_N");
	for (fault = 0;
	     name != NULL && fault < FAULT_COUNT && strcmp(faults[fault].name, name) != 0; fault++)
		;
	if (name == NULL)
		fault = FAULT_HONEST;
	if (fault == FAULT_COUNT)
		return eh_fail(error, EH_E_INVALID_ARGUMENT, "start",
		                     "liar has no fault called '%.40s'", name);
	liar.fault = (enum fault)fault;
	liar.n = n != NULL ? strtoull(n, NULL, 10) : faults[fault].n;
	return skeleton_start(host, self, error);
}

static eh_status liar_device_info(void *self, uint32_t index, eh_device_info *info, eh_error *error)
{
	eh_device_info whole = { .struct_size = sizeof(whole) };
	eh_status status = skeleton_device_info(self, index, &whole, error);

	if (status != EH_OK)
		return status;
	whole.caps |= EH_CAP_DEVICE_TIME | EH_CAP_SIMULATED;
	snprintf(whole.id, sizeof(whole.id), "%s", faults[liar.fault].name);
	snprintf(whole.name, sizeof(whole.name), "TEST device that is %s", faults[liar.fault].name);
	eh_give(info, &whole, sizeof(whole));
	return EH_OK;
}

/* The memory of all buffers of `twin`. */
static unsigned char twins[16 << 20];

static eh_status liar_buffer_alloc(eh_device *device, uint32_t kind, uint64_t bytes,
                                   eh_buffer **buffer, eh_error *error)
{
	eh_status status;

	if (liar.fault == FAULT_OOM && liar.allocations++ >= liar.n)
		return eh_fail(error, EH_E_NO_MEMORY, "buffer_alloc",
		                     "the device has no memory left");
	status = skeleton_buffer_alloc(device, kind, bytes, buffer, error);
	if (status == EH_OK && liar.fault == FAULT_TWIN && bytes >= 4096 && bytes <= sizeof(twins) &&
	    liar.allocations++ >= liar.n) {
		free((*buffer)->data);
		(*buffer)->data = twins;
	}
	return status;
}

static void liar_buffer_free(eh_buffer *buffer)
{
	memory **at = &liar.remembered;

	drain();
	if (buffer != NULL && buffer->data == twins)
		buffer->data = NULL;
	while (*at != NULL) {
		memory *m = *at;

		if (m->buffer == buffer) {
			*at = m->next;
			free(m);
		} else
			at = &m->next;
	}
	skeleton_buffer_free(buffer);
}

static eh_status liar_queue_create(eh_device *device, uint32_t flags, eh_queue **queue,
                                   eh_error *error)
{
	eh_status status = queue_create(device, flags, queue, error);

	if (status == EH_OK)
		replace_queue(NULL, *queue);
	return status;
}

static void liar_queue_destroy(eh_queue *queue)
{
	if (queue != NULL)
		replace_queue(queue, NULL);
	queue_destroy(queue);
}

static eh_status liar_queue_wait(eh_queue *queue, eh_error *error)
{
	eh_status status = liar_wait("queue_wait", error);

	return status != EH_OK || liar.fault == FAULT_EARLY ? status : queue_wait(queue, error);
}

static eh_status liar_fill(eh_queue *queue, eh_buffer *buffer, uint64_t offset, uint64_t bytes,
                           uint32_t pattern, eh_error *error)
{
	eh_status status = liar_step("fill", error);

	if (status == EH_OK && liar.fault == FAULT_NO_FILL && bytes > 64 && liar.fills++ >= liar.n)
		return EH_OK;
	return status != EH_OK ? status :
	       skeleton_fill(queue, buffer, offset, bytes, pattern, error);
}

static eh_status liar_copy(eh_queue *queue, eh_buffer *to, uint64_t to_offset, eh_buffer *from,
                           uint64_t from_offset, uint64_t bytes, eh_error *error)
{
	eh_status status = liar_step("copy", error);

	if (status == EH_OK && liar.fault == FAULT_NO_COPY && liar.copies++ >= liar.n)
		return EH_OK;
	return status != EH_OK ? status :
	       skeleton_copy(queue, to, to_offset, from, from_offset, bytes, error);
}

/* FNV-1a. */
static uint64_t content_of(const void *data, uint64_t bytes)
{
	const unsigned char *at = data;
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (uint64_t i = 0; i < bytes; i++)
		hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
	return hash;
}

static void remember_content(const void *data, uint64_t bytes)
{
	uint64_t hash = content_of(data, bytes);

	for (size_t i = 0; i < liar.seen_count; i++)
		if (liar.seen[i] == hash)
			return;
	if (liar.seen_count < SEEN_MOST)
		liar.seen[liar.seen_count++] = hash;
	liar.fresh = 1;
}

static eh_status liar_upload(eh_queue *queue, eh_buffer *to, uint64_t offset, const void *from,
                             uint64_t bytes, eh_error *error)
{
	eh_status status = liar_step("upload", error);

	if (status == EH_OK && (liar.fault == FAULT_MEMO || liar.fault == FAULT_UNSETTLED))
		remember_content(from, bytes);
	if (status == EH_OK && liar.fault == FAULT_UNSETTLED)
		usleep(150000);
	if (status == EH_OK)
		status = skeleton_upload(queue, to, offset, from, bytes, error);
	if (status == EH_OK && liar.fault == FAULT_EARLY)
		status = queue_wait(queue, error);
	return status;
}

static void stale_data(void *to, const eh_buffer *from, uint64_t offset, uint64_t bytes)
{
	memory *m = liar.remembered;

	while (m != NULL && (m->buffer != from || m->offset != offset || m->bytes != bytes))
		m = m->next;
	if (m != NULL) {
		memcpy(to, m->data, bytes);
		return;
	}
	m = malloc(sizeof(*m) + bytes);
	if (m == NULL)
		return;
	m->next = liar.remembered;
	m->buffer = from;
	m->offset = offset;
	m->bytes = bytes;
	memcpy(m->data, to, bytes);
	liar.remembered = m;
}

static eh_status liar_download(eh_queue *queue, void *to, eh_buffer *from, uint64_t offset,
                               uint64_t bytes, eh_error *error)
{
	eh_status status = liar_step("download", error);

	if (status == EH_OK)
		status = skeleton_download(queue, to, from, offset, bytes, error);
	if (status == EH_OK && (liar.fault == FAULT_EARLY || liar.fault == FAULT_STALE ||
	                        liar.fault == FAULT_WRONG))
		status = queue_wait(queue, error);
	if (status == EH_OK && liar.fault == FAULT_STALE)
		stale_data(to, from, offset, bytes);
	if (status == EH_OK && liar.fault == FAULT_WRONG) {
		for (uint64_t at = 3; at < bytes; at += 64)
			((unsigned char *)to)[at] ^= 0x40;
	}
	return status;
}

static void liar_program_destroy(eh_program *program)
{
	drain();
	skeleton_program_destroy(program);
}

static eh_status run_slowly(eh_queue *queue, const command *self, eh_error *error)
{
	(void)queue;
	(void)error;
	usleep((useconds_t)self->fill.bytes);
	return EH_OK;
}

static void slow_down(eh_queue *queue, uint64_t us)
{
	queue_add(queue, &(command){ .run = run_slowly, .fill = { .bytes = us } });
}

static eh_status liar_launch(eh_queue *queue, eh_kernel *kernel, const eh_launch *launch,
                             eh_error *error)
{
	eh_status status = liar_step("launch", error);

	if (status != EH_OK)
		return status;
	liar.launches++;
	if (liar.fault == FAULT_CRASH && liar.launches > liar.n) {
		signal(SIGSEGV, SIG_DFL);
		raise(SIGSEGV);
	}
	if (liar.fault == FAULT_SKIP && liar.launches > liar.n)
		return EH_OK;
	if (liar.fault == FAULT_SLOW)
		slow_down(queue, 20000);
	if (liar.fresh && liar.fault == FAULT_MEMO)
		slow_down(queue, liar.n);
	if (liar.fault == FAULT_UNSETTLED)
		slow_down(queue, liar.fresh && liar.slowed++ < liar.n ? 12000 : 2000);
	liar.fresh = 0;
	return skeleton_launch(queue, kernel, launch, error);
}

/* `early`: the mark passes now, and no command knows of it. */
static eh_status liar_mark_record(eh_queue *queue, eh_mark *mark, eh_error *error)
{
	eh_status status = liar_step("mark_record", error);

	if (status != EH_OK || liar.fault != FAULT_EARLY)
		return status != EH_OK ? status : mark_record(queue, mark, error);
	mark->queue = queue;
	mark->ns = now_ns(queue->device);
	mark->passed.value = ++mark->recorded;
	return EH_OK;
}

static eh_status liar_mark_wait(eh_mark *mark, eh_error *error)
{
	eh_status status = liar_wait("mark_wait", error);

	return status != EH_OK ? status : mark_wait(mark, error);
}

static eh_status liar_mark_elapsed(eh_mark *from, eh_mark *to, uint64_t *ns, eh_error *error)
{
	eh_status status = mark_elapsed(from, to, ns, error);

	if (status == EH_OK && liar.fault == FAULT_TICK)
		*ns = 1;
	if (status == EH_OK && liar.fault == FAULT_FAST_CLOCK)
		*ns /= 10;
	return status;
}

EH_EXPORT const eh_backend *eh_backend_entry_v1(void)
{
	static eh_backend_ops ops;
	static eh_backend backend;

	if (backend.ops != NULL)
		return &backend;
	ops = skeleton_ops;
	ops.start = liar_start;
	ops.device_info = liar_device_info;
	ops.buffer_alloc = liar_buffer_alloc;
	ops.buffer_free = liar_buffer_free;
	ops.queue_create = liar_queue_create;
	ops.queue_destroy = liar_queue_destroy;
	ops.queue_wait = liar_queue_wait;
	ops.fill = liar_fill;
	ops.copy = liar_copy;
	ops.upload = liar_upload;
	ops.download = liar_download;
	ops.program_destroy = liar_program_destroy;
	ops.launch = liar_launch;
	ops.mark_record = liar_mark_record;
	ops.mark_wait = liar_mark_wait;
	ops.mark_elapsed = liar_mark_elapsed;
	backend = skeleton_backend;
	backend.name = "liar";
	backend.title = "A backend for tests that lies";
	backend.ops = &ops;
	return &backend;
}

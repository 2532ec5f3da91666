/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of queues and marks by their flags, and of one queue that waits for another's mark. */
#include "conformance_kit.h"

enum { WORDS = 4096, UNKNOWN_FLAG = 1 << 30 };

/* Static, because a command of a backend that does not wait may still write there. */
static uint32_t got[WORDS];

static void refused(kit *k, const char *what, eh_status status)
{
	(void)kit_expect(k, what, status, EH_E_INVALID_ARGUMENT);
}

void conformance_queue_flags(kit *k)
{
	eh_queue *plain, *queue = NULL;
	eh_mark *from, *to, *mark = NULL, *untimed;
	uint64_t ns = 0;

	if (!kit_queue(k, 0, &plain) || !kit_mark(k, EH_TIMED, &from) || !kit_mark(k, EH_TIMED, &to) ||
	    !kit_mark(k, 0, &untimed) ||
	    !kit_ok(k, "mark_record", k->ops->mark_record(plain, from, &k->error)) ||
	    !kit_ok(k, "mark_record", k->ops->mark_record(plain, to, &k->error)) ||
	    !kit_ok(k, "mark_wait", k->ops->mark_wait(to, &k->error)))
		return;
	refused(k, "mark_elapsed in a queue without EH_TIMED",
	        k->ops->mark_elapsed(from, to, &ns, &k->error));
	if (!kit_ok(k, "mark_record", k->ops->mark_record(k->queue, from, &k->error)) ||
	    !kit_ok(k, "mark_record", k->ops->mark_record(k->queue, untimed, &k->error)) ||
	    !kit_ok(k, "mark_wait", k->ops->mark_wait(untimed, &k->error)))
		return;
	refused(k, "mark_elapsed of a mark without EH_TIMED",
	        k->ops->mark_elapsed(from, untimed, &ns, &k->error));
	refused(k, "queue_create with a flag that does not exist",
	        k->ops->queue_create(k->device, UNKNOWN_FLAG, &queue, &k->error));
	refused(k, "mark_create with a flag that does not exist",
	        k->ops->mark_create(k->device, UNKNOWN_FLAG, &mark, &k->error));
}

void conformance_queue_copies(kit *k)
{
	uint32_t want[WORDS];
	eh_buffer *a, *b;
	eh_queue *queue;

	kit_pattern((unsigned char *)want, sizeof(want), 41);
	if (!kit_queue(k, EH_COPIES, &queue) || !kit_buffer(k, EH_MEMORY_DEVICE, sizeof(want), &a) ||
	    !kit_buffer(k, EH_MEMORY_DEVICE, sizeof(want), &b) ||
	    !kit_ok(k, "upload", k->ops->upload(queue, a, 0, want, sizeof(want), &k->error)) ||
	    !kit_ok(k, "fill", k->ops->fill(queue, b, 0, sizeof(want), 0x33333333, &k->error)) ||
	    !kit_ok(k, "copy", k->ops->copy(queue, b, 64, a, 64, sizeof(want) - 64, &k->error)) ||
	    !kit_ok(k, "download", k->ops->download(queue, got, b, 0, sizeof(got), &k->error)) ||
	    !kit_ok(k, "queue_wait", k->ops->queue_wait(queue, &k->error)))
		return;
	if (kit_all(k, (unsigned char *)got, 64, 0x33, "filled before a copy in a queue of copies"))
		(void)kit_same(k, (unsigned char *)got + 64, (unsigned char *)want + 64, sizeof(want) - 64,
		               "uploaded, copied and downloaded in a queue of copies");
}

/* One queue works and copies; the other waits for its mark, and downloads what was copied. */
void conformance_queue_wait_mark(kit *k)
{
	uint32_t want[WORDS];
	eh_buffer *from, *to;
	eh_queue *other;
	eh_mark *mark;
	kit_spin spin;

	kit_pattern((unsigned char *)want, sizeof(want), 42);
	if (!EH_HAS(k->ops, eh_backend_ops, queue_wait_mark)) {
		kit_skip(k, "queue_wait_mark is not provided");
		return;
	}
	if (!kit_spin_make(k, &spin) || !kit_queue(k, 0, &other) || !kit_mark(k, 0, &mark) ||
	    !kit_buffer(k, EH_MEMORY_DEVICE, sizeof(want), &from) ||
	    !kit_buffer(k, EH_MEMORY_DEVICE, sizeof(want), &to))
		return;
	refused(k, "queue_wait_mark of a mark that was not recorded",
	        k->ops->queue_wait_mark(other, mark, &k->error));
	for (int round = 0; round < 2; round++) {
		if (!kit_upload(k, from, 0, want, sizeof(want)) ||
		    !kit_fill(k, to, 0, sizeof(want), 0x11111111) || !kit_wait(k) ||
		    !kit_spin_launch(k, &spin, k->queue) || !kit_copy(k, to, 0, from, 0, sizeof(want)) ||
		    !kit_ok(k, "mark_record", k->ops->mark_record(k->queue, mark, &k->error)) ||
		    !kit_ok(k, "queue_wait_mark", k->ops->queue_wait_mark(other, mark, &k->error)) ||
		    !kit_ok(k, "download", k->ops->download(other, got, to, 0, sizeof(got), &k->error)) ||
		    !kit_ok(k, "queue_wait", k->ops->queue_wait(other, &k->error)) || !kit_wait(k) ||
		    !kit_same(k, (unsigned char *)got, (unsigned char *)want, sizeof(want),
		              "read behind another queue's mark"))
			return;
	}
}

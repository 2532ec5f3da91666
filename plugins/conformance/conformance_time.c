/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of order, waiting and time.  A busy machine may delay anything, so a test fails only when
 * several tries fail. */
#include <stdlib.h>
#include <string.h>

#include "conformance_kit.h"

#define TRIES 4
#define LONG_NS UINT64_C(40000000)

bool kit_spin_launch(kit *k, const kit_spin *spin, eh_queue *queue)
{
	const eh_arg args[] = { ARG_BUFFER(spin->state), ARG_VALUE(spin->rounds) };
	const eh_launch launch = { .struct_size = sizeof(launch),
		                   .arg_count = 2,
		                   .groups = { 1, 1, 1 },
		                   .group_size = { 1, 1, 1 },
		                   .args = args };

	return kit_ok(k, "launch", k->ops->launch(queue, spin->kernel, &launch, &k->error));
}

uint32_t kit_steps(uint32_t x, uint64_t count)
{
	while (count-- > 0)
		x = (x * 2654435761u) ^ (0xfffffffbu / (x | 1u));
	return x;
}

/* Times launch, wait and download together, so the work is included wherever a backend does it. */
static bool spin_once(kit *k, const kit_spin *spin, uint64_t *ns)
{
	uint32_t start[2] = { 2463534242u, 0 }, state[2] = { 0, 0 }, x = start[0];
	uint64_t begin;

	if (!kit_upload(k, spin->state, 0, start, sizeof(start)) || !kit_wait(k))
		return false;
	begin = kit_now(k);
	if (!kit_spin_launch(k, spin, k->queue) || !kit_wait(k) ||
	    !kit_download(k, state, spin->state, 0, sizeof(state)))
		return false;
	*ns = kit_now(k) - begin;
	x = kit_steps(x, (uint64_t)spin->rounds * KIT_SPIN_STEPS);
	if (state[0] != x || state[1] != spin->rounds) {
		kit_fail(k, "a kernel of %u times %d dependent steps gave a wrong value",
		         spin->rounds, KIT_SPIN_STEPS);
		return false;
	}
	return true;
}

/* The shortest of three: work that was slow once would make half its time look short. */
static bool spin_time(kit *k, kit_spin *spin)
{
	for (int i = 0; i < 3; i++) {
		uint64_t ns;

		if (!spin_once(k, spin, &ns))
			return false;
		if (i == 0 || ns < spin->ns)
			spin->ns = ns;
		if (spin->ns < LONG_NS)
			break;
	}
	return true;
}

bool kit_spin_make(kit *k, kit_spin *spin)
{
	memset(spin, 0, sizeof(*spin));
	spin->rounds = 8;
	if (!kit_kernel(k, "cf_spin", &spin->kernel) ||
	    !kit_buffer(k, EH_MEMORY_DEVICE, 64, &spin->state) ||
	    !spin_once(k, spin, &spin->ns)) /* the first launch may compile */
		return false;
	for (;;) {
		if (!spin_time(k, spin))
			return false;
		if (spin->ns >= LONG_NS)
			return true;
		if (spin->rounds >= UINT32_C(1) << 20) {
			kit_fail(k, "a kernel of %u times %d dependent steps took only %llu us",
			         spin->rounds, KIT_SPIN_STEPS, (unsigned long long)(spin->ns / 1000));
			return false;
		}
		spin->rounds *= spin->ns < LONG_NS / 16 ? 8 : 2;
	}
}

void conformance_queue_in_order(kit *k)
{
	enum { COUNT = 4096 };
	const uint32_t n = COUNT;
	uint32_t got[COUNT];
	eh_buffer *a, *b;
	eh_kernel *kernel;

	if (!kit_kernel(k, "cf_affine", &kernel) ||
	    !kit_buffer(k, EH_MEMORY_DEVICE, sizeof(got), &a) ||
	    !kit_buffer(k, EH_MEMORY_DEVICE, sizeof(got), &b))
		return;
	for (uint32_t round = 1; round <= 20; round++) {
		const uint32_t factor = 3, addend = round, factor2 = 5, addend2 = 1;
		const eh_arg one[] = { ARG_BUFFER(b), ARG_BUFFER(a), ARG_VALUE(factor),
			               ARG_VALUE(addend), ARG_VALUE(n) };
		const eh_arg two[] = { ARG_BUFFER(a), ARG_BUFFER(b), ARG_VALUE(factor2),
			               ARG_VALUE(addend2), ARG_VALUE(n) };
		const uint32_t want = (round * 3 + round) * 5 + 1;

		if (!kit_fill(k, a, 0, sizeof(got), round) ||
		    !kit_launch_x(k, kernel, COUNT / 64, 64, one, 5) ||
		    !kit_fill(k, a, 0, sizeof(got), 0x77777777) ||
		    !kit_launch_x(k, kernel, COUNT / 64, 64, two, 5) ||
		    !kit_copy(k, b, 0, a, 0, sizeof(got)) || !kit_fill(k, a, 0, sizeof(got), 0) ||
		    !kit_download(k, got, b, 0, sizeof(got)))
			return;
		for (uint32_t i = 0; i < COUNT; i++) {
			if (got[i] != want) {
				kit_fail(k,
				         "fill, launch, fill, launch, copy, fill, download: "
				         "element %u is 0x%x "
				         "instead of 0x%x in round %u",
				         i, got[i], want, round);
				return;
			}
		}
	}
}

void conformance_queue_many(kit *k)
{
	enum { LAUNCHES = 1000 };
	const uint32_t factor = 1, addend = 1, n = 64;
	uint32_t got[64];
	eh_buffer *a;
	eh_kernel *kernel;

	if (!kit_kernel(k, "cf_affine", &kernel) ||
	    !kit_buffer(k, EH_MEMORY_DEVICE, sizeof(got), &a) || !kit_fill(k, a, 0, sizeof(got), 0))
		return;
	const eh_arg args[] = { ARG_BUFFER(a), ARG_BUFFER(a), ARG_VALUE(factor), ARG_VALUE(addend),
		                ARG_VALUE(n) };
	for (int i = 0; i < LAUNCHES; i++) {
		if (!kit_launch_x(k, kernel, 1, 64, args, 5))
			return;
	}
	if (!kit_download(k, got, a, 0, sizeof(got)))
		return;
	for (int i = 0; i < 64; i++) {
		if (got[i] != LAUNCHES) {
			kit_fail(k, "after %d launches that add one, element %d is %u", LAUNCHES, i,
			         got[i]);
			return;
		}
	}
}

void conformance_queue_two(kit *k)
{
	uint32_t got[2][64];
	eh_buffer *b[2];
	eh_queue *second;

	if (!kit_queue(k, EH_TIMED, &second) || !kit_buffer(k, EH_MEMORY_DEVICE, sizeof(got[0]), &b[0]) ||
	    !kit_buffer(k, EH_MEMORY_DEVICE, sizeof(got[1]), &b[1]))
		return;
	for (uint32_t round = 1; round <= 20; round++) {
		if (!kit_ok(k, "fill",
		            k->ops->fill(second, b[1], 0, sizeof(got[1]), round * 2, &k->error)) ||
		    !kit_fill(k, b[0], 0, sizeof(got[0]), round) || !kit_wait(k) ||
		    !kit_ok(k, "queue_wait", k->ops->queue_wait(second, &k->error)) ||
		    !kit_ok(k, "download",
		            k->ops->download(second, got[0], b[0], 0, sizeof(got[0]), &k->error)) ||
		    !kit_download(k, got[1], b[1], 0, sizeof(got[1])) ||
		    !kit_ok(k, "queue_wait", k->ops->queue_wait(second, &k->error)))
			return;
		for (int i = 0; i < 64; i++) {
			if (got[0][i] != round || got[1][i] != round * 2) {
				kit_fail(k,
				         "what one queue wrote and finished, the other did not see "
				         "in round %u",
				         round);
				return;
			}
		}
	}
}

void conformance_queue_destroy_waits(kit *k)
{
	kit_spin spin;
	uint32_t state[2] = { 1, 0 };
	eh_queue *queue;

	if (!kit_spin_make(k, &spin) || !kit_upload(k, spin.state, 0, state, sizeof(state)) ||
	    !kit_wait(k) || !kit_queue(k, EH_TIMED, &queue))
		return;
	if (!kit_spin_launch(k, &spin, queue))
		return;
	kit_drop(k, queue);
	if (kit_download(k, state, spin.state, 0, sizeof(state)) && state[1] != spin.rounds)
		kit_fail(k, "a kernel enqueued before the queue was destroyed had no effect");
}

/* Launches work, calls `wait`, and times the download after it.  If `wait` returned too early, the
 * download takes the time of the work. */
static void wait_waits(kit *k, bool (*wait)(kit *k, void *context), void *context, const char *what)
{
	uint64_t waited = 0, after = 0;
	kit_spin spin;

	if (!kit_spin_make(k, &spin))
		return;
	for (int i = 0; i < TRIES; i++) {
		uint32_t state[2] = { 1, 0 };
		uint64_t begin, middle;

		if (!kit_upload(k, spin.state, 0, state, sizeof(state)) || !kit_wait(k))
			return;
		begin = kit_now(k);
		if (!kit_spin_launch(k, &spin, k->queue) || !wait(k, context))
			return;
		middle = kit_now(k);
		if (!kit_download(k, state, spin.state, 0, sizeof(state)))
			return;
		waited = middle - begin;
		after = kit_now(k) - middle;
		if (state[1] != spin.rounds) {
			kit_fail(k, "after %s the data were not there", what);
			return;
		}
		if (after < (waited + after) / 4)
			return;
	}
	kit_fail(k,
	         "%s returned after %llu us, and then a download of 8 bytes took %llu us: the work "
	         "was not "
	         "done when the wait said so",
	         what, (unsigned long long)(waited / 1000), (unsigned long long)(after / 1000));
}

static bool wait_queue(kit *k, void *context)
{
	(void)context;
	return kit_wait(k);
}

static bool wait_flushed(kit *k, void *context)
{
	(void)context;
	return kit_ok(k, "queue_flush", k->ops->queue_flush(k->queue, &k->error)) && kit_wait(k);
}

static bool wait_mark(kit *k, void *context)
{
	return kit_ok(k, "mark_record", k->ops->mark_record(k->queue, context, &k->error)) &&
	       kit_ok(k, "mark_wait", k->ops->mark_wait(context, &k->error));
}

#define WAIT_BYTES (UINT64_C(16) << 20)
#define LATE_NS UINT64_C(300000000)

/* Needs no kernel and runs before all tests that rely on queue_wait.  If the download was late, its
 * memory is not freed, as it may still be written. */
void conformance_queue_wait_waits(kit *k)
{
	unsigned char *want = kit_memory(WAIT_BYTES), *got = kit_memory(WAIT_BYTES);
	eh_buffer *a, *b;

	kit_pattern(want, WAIT_BYTES, 77);
	if (!kit_buffer(k, EH_MEMORY_DEVICE, WAIT_BYTES, &a) ||
	    !kit_buffer(k, EH_MEMORY_DEVICE, WAIT_BYTES, &b))
		goto done;
	for (int i = 0; i < TRIES; i++) {
		memset(got, 0x5a, WAIT_BYTES);
		if (!kit_upload(k, a, 0, want, WAIT_BYTES) || !kit_copy(k, b, 0, a, 0, WAIT_BYTES) ||
		    !kit_download(k, got, b, 0, WAIT_BYTES))
			goto done;
		if (memcmp(got, want, WAIT_BYTES) != 0)
			goto wrong;
	}
	goto done;
wrong:
	kit_sleep(LATE_NS);
	if (!kit_same(k, got, want, WAIT_BYTES, "16 MiB uploaded, copied and downloaded"))
		return;
	kit_fail(k, "queue_wait returned before a download had ended: its data came later");
	k->unwaited = true;
	return;
done:
	kit_settle(k);
	free(want);
	free(got);
}

void conformance_queue_wait_kernel(kit *k)
{
	wait_waits(k, wait_queue, NULL, "queue_wait");
}

void conformance_queue_flush(kit *k)
{
	const bool provided = EH_HAS(k->ops, eh_backend_ops, queue_flush);
	uint64_t took = 0, slept;
	kit_spin spin;

	if (!kit_spin_make(k, &spin))
		return;
	slept = spin.ns * 3 > LONG_NS * 3 ? spin.ns * 3 : LONG_NS * 3;
	for (int i = 0; i < TRIES; i++) {
		uint64_t begin;

		if (!kit_spin_launch(k, &spin, k->queue) ||
		    (provided &&
		     !kit_ok(k, "queue_flush", k->ops->queue_flush(k->queue, &k->error))))
			return;
		kit_sleep(slept);
		begin = kit_now(k);
		if (!kit_wait(k))
			return;
		took = kit_now(k) - begin;
		if (took < spin.ns / 2)
			break;
	}
	if (took >= spin.ns / 2)
		kit_fail(k,
		         "%llu us of work were launched%s, and %llu us later queue_wait still took "
		         "%llu us: %s",
		         (unsigned long long)(spin.ns / 1000), provided ? " and flushed" : "",
		         (unsigned long long)(slept / 1000), (unsigned long long)(took / 1000),
		         provided ? "queue_flush does not start it"
		                  : "without a queue_flush every command must start by itself");
	else if (provided)
		wait_waits(k, wait_flushed, NULL, "queue_wait behind a queue_flush");
}

void conformance_mark_wait_waits(kit *k)
{
	eh_mark *mark;

	if (kit_mark(k, EH_TIMED, &mark))
		wait_waits(k, wait_mark, mark, "mark_wait");
}

#define POLL_NS UINT64_C(10000000000)

static bool wait_polled(kit *k, void *context)
{
	const uint64_t begin = kit_now(k);
	uint32_t passed = 0;

	if (!kit_ok(k, "mark_record", k->ops->mark_record(k->queue, context, &k->error)) ||
	    (EH_HAS(k->ops, eh_backend_ops, queue_flush) &&
	     !kit_ok(k, "queue_flush", k->ops->queue_flush(k->queue, &k->error))))
		return false;
	while (passed == 0) {
		if (!kit_ok(k, "mark_passed", k->ops->mark_passed(context, &passed, &k->error)))
			return false;
		if (passed > 1) {
			kit_fail(k, "mark_passed answered %u: it is 1 or 0", (unsigned)passed);
			return false;
		}
		if (passed == 0 && kit_now(k) - begin > POLL_NS) {
			kit_fail(k, "mark_passed still answered 0 after 10 s of asking");
			return false;
		}
	}
	return true;
}

void conformance_mark_passed(kit *k)
{
	eh_mark *mark;

	if (!EH_HAS(k->ops, eh_backend_ops, mark_passed))
		kit_skip(k, "mark_passed is not provided");
	else if (kit_mark(k, EH_TIMED, &mark))
		wait_waits(k, wait_polled, mark, "mark_passed");
}

void conformance_queue_async(kit *k)
{
	uint64_t enqueue = 0, whole = 0;
	kit_spin spin;

	if (!kit_has(k, EH_CAP_ASYNC, "EH_CAP_ASYNC") || !kit_spin_make(k, &spin))
		return;
	for (int i = 0; i < TRIES; i++) {
		uint64_t begin = kit_now(k);

		if (!kit_spin_launch(k, &spin, k->queue))
			return;
		enqueue = kit_now(k) - begin;
		if (!kit_wait(k))
			return;
		whole = kit_now(k) - begin;
		if (enqueue < whole / 2)
			return;
	}
	kit_fail(k, "launch took %llu us of the %llu us until the work was done",
	         (unsigned long long)(enqueue / 1000), (unsigned long long)(whole / 1000));
}

static bool record(kit *k, eh_mark *mark)
{
	return kit_ok(k, "mark_record", k->ops->mark_record(k->queue, mark, &k->error));
}

/* EH_E_UNSUPPORTED is allowed: the core then uses the host's clock. */
static bool elapsed(kit *k, eh_mark *from, eh_mark *to, uint64_t *ns)
{
	eh_status status = k->ops->mark_elapsed(from, to, ns, &k->error);

	if (status != EH_E_UNSUPPORTED)
		return kit_ok(k, "mark_elapsed", status);
	kit_skip(k, "%.*s", (int)sizeof(k->error.message), k->error.message);
	return false;
}

void conformance_mark_adds_up(kit *k)
{
	uint64_t ab, bc, ac, slack, difference;
	eh_mark *a, *b, *c;
	kit_spin spin;

	if (!kit_spin_make(k, &spin) || !kit_mark(k, EH_TIMED, &a) || !kit_mark(k, EH_TIMED, &b) || !kit_mark(k, EH_TIMED, &c))
		return;
	if (!record(k, a) || !kit_spin_launch(k, &spin, k->queue) || !record(k, b) ||
	    !kit_spin_launch(k, &spin, k->queue) || !record(k, c) ||
	    !kit_ok(k, "mark_wait", k->ops->mark_wait(c, &k->error)) ||
	    !elapsed(k, a, b, &ab) || !elapsed(k, b, c, &bc) || !elapsed(k, a, c, &ac))
		return;
	slack = ac / 100 + 2000 + 3 * k->info.timer_resolution_ns;
	difference = ac > ab + bc ? ac - (ab + bc) : ab + bc - ac;
	if (difference > slack)
		kit_fail(k,
		         "of three marks in a row the first two are %llu ns apart, the last two "
		         "%llu, and first "
		         "and last %llu",
		         (unsigned long long)ab, (unsigned long long)bc, (unsigned long long)ac);
}

void conformance_mark_again(kit *k)
{
	uint64_t with, without = 0;
	eh_mark *a, *b;
	kit_spin spin;

	if (!kit_spin_make(k, &spin) || !kit_mark(k, EH_TIMED, &a) || !kit_mark(k, EH_TIMED, &b))
		return;
	if (!record(k, a) || !kit_spin_launch(k, &spin, k->queue) || !record(k, b) ||
	    !kit_ok(k, "mark_wait", k->ops->mark_wait(b, &k->error)) || !elapsed(k, a, b, &with))
		return;
	for (int i = 0; i < TRIES; i++) {
		if (!record(k, a) || !record(k, b) ||
		    !kit_ok(k, "mark_wait", k->ops->mark_wait(a, &k->error)) ||
		    !kit_ok(k, "mark_wait", k->ops->mark_wait(b, &k->error)) ||
		    !elapsed(k, a, b, &without))
			return;
		if (without < with / 2)
			return;
	}
	kit_fail(k,
	         "marks around a long kernel were %llu ns apart, and recorded again around nothing "
	         "%llu ns",
	         (unsigned long long)with, (unsigned long long)without);
}

void conformance_mark_clock(kit *k)
{
	const bool device_time = (k->info.caps & EH_CAP_DEVICE_TIME) != 0;
	uint64_t best_device = 0, best_host = 1;
	eh_mark *a, *b;
	kit_spin spin;

	if (!kit_spin_make(k, &spin) || !kit_mark(k, EH_TIMED, &a) || !kit_mark(k, EH_TIMED, &b))
		return;
	for (int i = 0; i < TRIES; i++) {
		uint64_t device, host, begin = kit_now(k);

		if (!record(k, a) || !kit_spin_launch(k, &spin, k->queue) || !record(k, b) ||
		    !kit_ok(k, "mark_wait", k->ops->mark_wait(b, &k->error)))
			return;
		host = kit_now(k) - begin;
		if (!elapsed(k, a, b, &device))
			return;
		if (device > host + host / 20 + 2 * k->info.timer_resolution_ns) {
			kit_fail(k,
			         "marks are %llu us apart although the host saw only %llu us pass: "
			         "the clock is too "
			         "fast, or not in nanoseconds",
			         (unsigned long long)(device / 1000),
			         (unsigned long long)(host / 1000));
			return;
		}
		if ((double)device / (double)host > (double)best_device / (double)best_host) {
			best_device = device;
			best_host = host;
		}
	}
	if (best_device < best_host / 2)
		kit_fail(
			k,
			"marks around work that took the host %llu us are at most %llu ns apart: "
			"%s",
			(unsigned long long)(best_host / 1000), (unsigned long long)best_device,
			device_time
				? "the device's clock lies; take EH_CAP_DEVICE_TIME out of caps "
				  "where it cannot be trusted"
				: "the time must be that of the mark's passing, not of the call of "
				  "mark_record");
}

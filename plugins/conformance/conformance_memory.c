/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of buffers and of the commands that move bytes. */
#include <stdlib.h>
#include <string.h>

#include "conformance_kit.h"

static bool refused(kit *k, const char *what, uint32_t kind, uint64_t bytes, eh_status want)
{
	eh_buffer *const nothing = (eh_buffer *)(void *)&k->error;
	eh_buffer *buffer = nothing;
	eh_status status = k->ops->buffer_alloc(k->device, kind, bytes, &buffer, &k->error);

	if (status == EH_OK) {
		kit_own(k, KIT_BUFFER, buffer);
		kit_fail(k, "%s was not refused", what);
		return false;
	}
	if (buffer != nothing) {
		kit_fail(k, "%s was refused and the output was written all the same", what);
		return false;
	}
	return want == EH_OK ? kit_explained(k, what, status) : kit_expect(k, what, status, want);
}

void conformance_buffer_kinds(kit *k)
{
	const uint64_t caps = k->info.caps;
	const struct { uint32_t kind; bool listed; const char *name;
	} kinds[] = {
		{ EH_MEMORY_DEVICE, true, "EH_MEMORY_DEVICE" },
		{ EH_MEMORY_PINNED, (caps & EH_CAP_PINNED) != 0,
		  "EH_MEMORY_PINNED, which caps does not list," },
		{ EH_MEMORY_SHARED, (caps & EH_CAP_SHARED) != 0,
		  "EH_MEMORY_SHARED, which caps does not list," },
		{ 77, false, "memory of kind 77, which does not exist," },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		eh_buffer *buffer;

		if (kinds[i].listed ? !kit_buffer(k, kinds[i].kind, 4096, &buffer)
		                    : !refused(k, kinds[i].name, kinds[i].kind, 4096,
		                               kinds[i].kind == 77 ? EH_OK : EH_E_UNSUPPORTED))
			return;
	}
}

void conformance_buffer_zero(kit *k)
{
	refused(k, "a buffer of 0 bytes", EH_MEMORY_DEVICE, 0, EH_OK);
}

void conformance_buffer_huge(kit *k)
{
	const uint64_t sizes[] = { UINT64_MAX, UINT64_MAX - 63, UINT64_C(1) << 63,
		                   UINT64_C(1) << 60 };
	eh_buffer *buffer;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		if (!refused(k, "a buffer larger than any memory", EH_MEMORY_DEVICE, sizes[i],
		             EH_OK))
			return;
	}
	kit_buffer(k, EH_MEMORY_DEVICE, 4096, &buffer);
}

void conformance_buffer_alignment(kit *k)
{
	const uint64_t sizes[] = { 8, 24, 100, 4096, 70000 };
	eh_kernel *kernel;

	if (!kit_kernel(k, "cf_address", &kernel))
		return;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		eh_buffer *buffer;
		uint64_t address = 1;

		if (!kit_buffer(k, EH_MEMORY_DEVICE, sizes[i], &buffer))
			return;
		const eh_arg args[] = { ARG_BUFFER(buffer) };
		if (!kit_launch_x(k, kernel, 1, 1, args, 1) ||
		    !kit_download(k, &address, buffer, 0, 8))
			return;
		if (address == 0 || address % 64 != 0) {
			kit_fail(k,
			         "a buffer of %llu bytes lies at 0x%llx in the kernel, which is no "
			         "multiple of 64",
			         (unsigned long long)sizes[i], (unsigned long long)address);
			return;
		}
	}
}

void conformance_buffer_host_pointer(kit *k)
{
	const uint64_t caps = k->info.caps;
	eh_buffer *device, *buffer;
	unsigned char *p;

	if (!EH_HAS(k->ops, eh_backend_ops, buffer_host_pointer)) {
		if ((caps & (EH_CAP_PINNED | EH_CAP_SHARED)) != 0)
			kit_fail(k, "caps lists pinned or shared memory, but buffer_host_pointer "
			            "is not provided");
		else
			kit_skip(k, "buffer_host_pointer is not provided");
		return;
	}
	if (!kit_buffer(k, EH_MEMORY_DEVICE, 4096, &device))
		return;
	if (k->ops->buffer_host_pointer(device) != NULL) {
		kit_fail(k, "device memory has a host pointer");
		return;
	}
	for (uint32_t kind = EH_MEMORY_PINNED; kind <= EH_MEMORY_SHARED; kind++) {
		if ((caps & (kind == EH_MEMORY_PINNED ? EH_CAP_PINNED : EH_CAP_SHARED)) == 0)
			continue;
		if (!kit_buffer(k, kind, 100000, &buffer))
			return;
		p = k->ops->buffer_host_pointer(buffer);
		if (p == NULL || (uintptr_t)p % 64 != 0 ||
		    p != k->ops->buffer_host_pointer(buffer)) {
			kit_fail(k,
			         "memory of kind %u has no stable host pointer aligned to 64 bytes",
			         kind);
			return;
		}
		kit_pattern(p, 100000, kind);
	}
}

void conformance_transfer_fill(kit *k)
{
	static const struct { uint64_t offset, bytes; uint32_t pattern;
	} fills[] = {
		{ 0, 4000, 0xa5a5a5a5 }, { 4, 4, 0x01020304 },   { 100, 1000, 0xdeadbeef },
		{ 3996, 4, 0 },          { 12, 36, 0x80000001 },
	};
	unsigned char want[4000], got[4000];
	eh_buffer *b;

	if (!kit_buffer(k, EH_MEMORY_DEVICE, sizeof(want), &b))
		return;
	for (size_t i = 0; i < sizeof(fills) / sizeof(fills[0]); i++) {
		for (uint64_t at = 0; at < fills[i].bytes; at += 4)
			memcpy(want + fills[i].offset + at, &fills[i].pattern, 4);
		if (!kit_fill(k, b, fills[i].offset, fills[i].bytes, fills[i].pattern) ||
		    !kit_download(k, got, b, 0, sizeof(got)) ||
		    !kit_same(k, got, want, sizeof(want), "after a fill"))
			return;
	}
}

static const struct { uint64_t offset, bytes;
} spans[] = {
	{ 0, 1 },    { 1, 1 },    { 3, 7 },    { 63, 65 },   { 1000, 999 },
	{ 4095, 2 }, { 0, 8000 }, { 7999, 1 }, { 17, 4096 },
};

void conformance_transfer_both(kit *k)
{
	unsigned char want[8000], part[8000], got[8000];
	eh_buffer *b;

	kit_pattern(want, sizeof(want), 1);
	if (!kit_buffer(k, EH_MEMORY_DEVICE, sizeof(want), &b) ||
	    !kit_upload(k, b, 0, want, sizeof(want)) || !kit_wait(k))
		return;
	for (size_t i = 0; i < sizeof(spans) / sizeof(spans[0]); i++) {
		kit_pattern(part, spans[i].bytes, 100 + (uint32_t)i);
		memcpy(want + spans[i].offset, part, spans[i].bytes);
		memset(got, 0, sizeof(got));
		if (!kit_upload(k, b, spans[i].offset, part, spans[i].bytes) || !kit_wait(k) ||
		    !kit_download(k, got, b, 0, sizeof(got)) ||
		    !kit_same(k, got, want, sizeof(want), "after an upload to an odd place"))
			return;
		memset(got, 0x5a, sizeof(got));
		if (!kit_download(k, got, b, spans[i].offset, spans[i].bytes) ||
		    !kit_same(k, got, want + spans[i].offset, spans[i].bytes,
		              "a download from an odd place") ||
		    !kit_all(k, got + spans[i].bytes, sizeof(got) - spans[i].bytes, 0x5a,
		             "behind a download"))
			return;
	}
}

void conformance_transfer_copy(kit *k)
{
	unsigned char from[8000], want[9000], got[9000];
	eh_buffer *a, *b;

	kit_pattern(from, sizeof(from), 2);
	kit_pattern(want, sizeof(want), 3);
	if (!kit_buffer(k, EH_MEMORY_DEVICE, sizeof(from), &a) ||
	    !kit_buffer(k, EH_MEMORY_DEVICE, sizeof(want), &b) ||
	    !kit_upload(k, a, 0, from, sizeof(from)) || !kit_upload(k, b, 0, want, sizeof(want)) ||
	    !kit_wait(k))
		return;
	for (size_t i = 0; i < sizeof(spans) / sizeof(spans[0]); i++) {
		const uint64_t to = (spans[i].offset * 7 + 5) % (sizeof(want) - spans[i].bytes);

		memcpy(want + to, from + spans[i].offset, spans[i].bytes);
		if (!kit_copy(k, b, to, a, spans[i].offset, spans[i].bytes) ||
		    !kit_download(k, got, b, 0, sizeof(got)) ||
		    !kit_same(k, got, want, sizeof(want), "after a copy"))
			return;
	}
	if (kit_download(k, got, a, 0, sizeof(from)))
		kit_same(k, got, from, sizeof(from), "the source of the copies");
}

void conformance_transfer_large(kit *k)
{
	const size_t bytes = (12u << 20) + 13;
	unsigned char *want = kit_memory(bytes), *got = kit_memory(bytes);
	eh_buffer *a, *b;

	kit_pattern(want, bytes, 4);
	if (kit_buffer(k, EH_MEMORY_DEVICE, bytes, &a) &&
	    kit_buffer(k, EH_MEMORY_DEVICE, bytes, &b) && kit_upload(k, a, 0, want, bytes) &&
	    kit_copy(k, b, 0, a, 0, bytes) && kit_download(k, got, b, 0, bytes))
		kit_same(k, got, want, bytes,
		         "12 MiB and 13 bytes, uploaded, copied and downloaded");
	kit_settle(k);
	free(want);
	free(got);
}

void conformance_transfer_fresh(kit *k)
{
	uint32_t want[256], got[256];
	eh_buffer *b;

	if (!kit_buffer(k, EH_MEMORY_DEVICE, sizeof(want), &b))
		return;
	for (uint32_t round = 0; round < 20; round++) {
		kit_pattern(want, sizeof(want), 50 + round);
		if (!kit_upload(k, b, 0, want, sizeof(want)) || !kit_wait(k) ||
		    !kit_download(k, got, b, 0, sizeof(got)) ||
		    !kit_same(k, got, want, sizeof(want), round == 0 ? "the first download" :
		              "a later download of a buffer that was changed"))
			return;
	}
}

static void host_visible(kit *k, uint32_t kind)
{
	enum { COUNT = 5000 };
	const uint32_t factor = 3, addend = 7, n = COUNT;
	uint32_t want[COUNT];
	eh_buffer *device, *host;
	eh_kernel *kernel;
	uint32_t *p;

	if (!EH_HAS(k->ops, eh_backend_ops, buffer_host_pointer)) {
		kit_fail(k, "buffer_host_pointer is not provided");
		return;
	}
	if (!kit_kernel(k, "cf_affine", &kernel) ||
	    !kit_buffer(k, EH_MEMORY_DEVICE, sizeof(want), &device) ||
	    !kit_buffer(k, kind, sizeof(want), &host))
		return;
	p = k->ops->buffer_host_pointer(host);
	if (p == NULL) {
		kit_fail(k, "it has no host pointer");
		return;
	}
	for (uint32_t round = 0; round < 5; round++) {
		const eh_arg args[] = { ARG_BUFFER(host), ARG_BUFFER(device), ARG_VALUE(factor),
			                ARG_VALUE(addend), ARG_VALUE(n) };

		for (uint32_t i = 0; i < COUNT; i++)
			p[i] = i * 11 + round;
		for (uint32_t i = 0; i < COUNT; i++)
			want[i] = p[i];
		if (!kit_copy(k, device, 0, host, 0, sizeof(want)) ||
		    !kit_fill(k, host, 0, sizeof(want), round) || !kit_wait(k))
			return;
		for (uint32_t i = 0; i < COUNT; i++) {
			if (p[i] != round) {
				kit_fail(k,
				         "after queue_wait the host does not see a fill at element "
				         "%u",
				         i);
				return;
			}
		}
		if (kind == EH_MEMORY_SHARED) {
			if (!kit_launch_x(k, kernel, (COUNT + 63) / 64, 64, args, 5))
				return;
			for (uint32_t i = 0; i < COUNT; i++)
				want[i] = want[i] * factor + addend;
		} else if (!kit_copy(k, host, 0, device, 0, sizeof(want)))
			return;
		if (!kit_wait(k) ||
		    !kit_same(k, p, want, sizeof(want), "what the host sees after queue_wait"))
			return;
	}
}

void conformance_transfer_pinned(kit *k)
{
	if (kit_has(k, EH_CAP_PINNED, "EH_CAP_PINNED"))
		host_visible(k, EH_MEMORY_PINNED);
}

void conformance_transfer_shared(kit *k)
{
	if (kit_has(k, EH_CAP_SHARED, "EH_CAP_SHARED"))
		host_visible(k, EH_MEMORY_SHARED);
}

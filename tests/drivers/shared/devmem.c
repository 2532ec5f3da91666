/* SPDX-License-Identifier: Apache-2.0 */
#include "devmem.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* A copy that runs over the end by less than this meets no other block. */
#define GAP UINT64_C(4096)
/* Larger blocks are poisoned only so far: filling costs time. */
#define POISONED (UINT64_C(64) << 20)
#define POISON 0xCB

static struct {
	char *base;
	uint16_t *shadow;
	devmem_block *blocks; /* by offset */
	size_t count, room;
	uint64_t used[DEVMEM_DEVICES];
} mem;

char *devmem_base(void)
{
	return mem.base;
}

uint64_t devmem_span(void)
{
	return DEVMEM_SLICE * (DEVMEM_DEVICES + 1);
}

const uint16_t *devmem_shadow(void)
{
	return mem.shadow;
}

bool devmem_start(void)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	void *base, *shadow;

	if (mem.base != NULL)
		return true;
	base = mmap(NULL, devmem_span(), PROT_READ | PROT_WRITE, flags, -1, 0);
	if (base == MAP_FAILED)
		return false;
	shadow = mmap(NULL, (devmem_span() >> DEVMEM_GRANULE_BITS) * sizeof(uint16_t),
	              PROT_READ | PROT_WRITE, flags, -1, 0);
	if (shadow == MAP_FAILED) {
		(void)munmap(base, devmem_span());
		return false;
	}
	mem.base = base;
	mem.shadow = shadow;
	return true;
}

static uint64_t offset_of(uint64_t address)
{
	return (address & ~DEVMEM_TAG) - (uint64_t)(uintptr_t)mem.base;
}

static void mark_shadow(uint64_t offset, uint64_t bytes, bool in_use)
{
	for (uint64_t done = 0; done < bytes; done += DEVMEM_GRANULE) {
		uint64_t left = bytes - done;
		uint64_t here = left < DEVMEM_GRANULE ? left : DEVMEM_GRANULE;

		mem.shadow[(offset + done) >> DEVMEM_GRANULE_BITS] = (uint16_t)(in_use ? here : 0);
	}
}

/* The place in the list before which a block of this slice fits, and its offset. */
static bool find_room(uint64_t slice, uint64_t bytes, size_t *place, uint64_t *offset)
{
	uint64_t at = slice * DEVMEM_SLICE + GAP;
	const uint64_t end = (slice + 1) * DEVMEM_SLICE;
	size_t i = 0;

	while (i < mem.count && offset_of(mem.blocks[i].address) < at)
		i++;
	for (;; i++) {
		uint64_t next = end;

		if (i < mem.count && offset_of(mem.blocks[i].address) < end)
			next = offset_of(mem.blocks[i].address);
		if (next >= at && next - at >= bytes + GAP) {
			*place = i;
			*offset = at;
			return true;
		}
		if (next == end)
			return false;
		at = next + mem.blocks[i].bytes + GAP;
		at = (at + DEVMEM_GRANULE - 1) & ~(DEVMEM_GRANULE - 1);
	}
}

uint64_t devmem_allocate(int device, devmem_kind kind, uint64_t bytes, uint64_t limit)
{
	uint64_t offset = 0, address;
	size_t place = 0;

	if (bytes == 0 || bytes > DEVMEM_SLICE)
		return 0;
	if (kind == DEVMEM_OWN && (mem.used[device] > limit || bytes > limit - mem.used[device]))
		return 0;
	if (!find_room(kind == DEVMEM_OWN ? (uint64_t)device : DEVMEM_HOST, bytes, &place, &offset))
		return 0;
	if (mem.count == mem.room) {
		size_t room = mem.room == 0 ? 64 : mem.room * 2;
		devmem_block *blocks = realloc(mem.blocks, room * sizeof(*blocks));

		if (blocks == NULL)
			return 0;
		mem.blocks = blocks;
		mem.room = room;
	}
	address = (uint64_t)(uintptr_t)mem.base + offset;
	if (kind == DEVMEM_OWN) {
		address |= DEVMEM_TAG;
		mem.used[device] += bytes;
	}
	memmove(mem.blocks + place + 1, mem.blocks + place,
	        (mem.count - place) * sizeof(*mem.blocks));
	mem.blocks[place] = (devmem_block){ address, bytes, kind, device };
	mem.count++;
	mark_shadow(offset, bytes, true);
	memset(mem.base + offset, POISON, bytes < POISONED ? bytes : POISONED);
	return address;
}

const devmem_block *devmem_find(uint64_t address)
{
	size_t low = 0, high = mem.count;
	uint64_t offset;

	if (mem.base == NULL)
		return NULL;
	offset = offset_of(address);
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const devmem_block *b = &mem.blocks[middle];
		uint64_t begin = offset_of(b->address);

		if (offset < begin)
			high = middle;
		else if (offset - begin >= b->bytes)
			low = middle + 1;
		else
			return (address & DEVMEM_TAG) == (b->address & DEVMEM_TAG) ? b : NULL;
	}
	return NULL;
}

bool devmem_release(uint64_t address)
{
	const devmem_block *found = devmem_find(address);
	size_t place;
	uint64_t offset, page = 4096;

	if (found == NULL || found->address != address)
		return false;
	place = (size_t)(found - mem.blocks);
	offset = offset_of(address);
	if (found->kind == DEVMEM_OWN)
		mem.used[found->device] -= found->bytes;
	mark_shadow(offset, found->bytes, false);
	if (found->bytes >= 4 * page) {
		uint64_t from = (offset + page - 1) & ~(page - 1);

		(void)madvise(mem.base + from, (found->bytes - page) & ~(page - 1), MADV_DONTNEED);
	}
	mem.count--;
	memmove(mem.blocks + place, mem.blocks + place + 1,
	        (mem.count - place) * sizeof(*mem.blocks));
	return true;
}

char *devmem_view(uint64_t address, uint64_t bytes)
{
	const devmem_block *b = devmem_find(address);

	if (b == NULL || bytes > b->bytes - (address - b->address))
		return NULL;
	return mem.base + offset_of(address);
}

uint64_t devmem_used(int device)
{
	return mem.used[device];
}

size_t devmem_count(void)
{
	return mem.count;
}

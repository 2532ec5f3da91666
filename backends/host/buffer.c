/* SPDX-License-Identifier: Apache-2.0 */
#include "buffer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "faults.h"

enum {
	HUGE_PAGE = 2 << 20,
	SMALL_PAGE = 4096,
	MAPPED_FROM = 1 << 20, /* smaller blocks come from malloc                              */
	ASK_FROM = 64 << 20,   /* larger ones are checked against what is free                  */
};

typedef struct touching {
	unsigned char *data;
	uint64_t bytes;
} touching;

static void touch(void *context, int64_t first, int64_t end)
{
	const touching *t = context;

	for (int64_t page = first; page < end; page++) {
		volatile unsigned char *byte = t->data + (uint64_t)page * SMALL_PAGE;

		*byte = 0;
	}
}

/* Maps b->bytes at a multiple of a huge page.  Returns 0 or errno. */
static int map_block(eh_buffer *b)
{
	const uint64_t room = (b->bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
	touching t;
	uintptr_t start;

	b->mapping_bytes = (size_t)room + HUGE_PAGE;
	b->mapping = mmap(NULL, b->mapping_bytes, PROT_READ | PROT_WRITE,
	                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (b->mapping == MAP_FAILED) {
		b->mapping = NULL;
		return errno;
	}
	start = ((uintptr_t)b->mapping + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1);
	b->data = (unsigned char *)b->mapping + (start - (uintptr_t)b->mapping);
	/* Only advice: without it the pages are small. */
	(void)madvise(b->data, (size_t)room, MADV_HUGEPAGE);
	/* A compiler started meanwhile must not make the pages copy-on-write under a
	 * measurement. */
	(void)madvise(b->mapping, b->mapping_bytes, MADV_DONTFORK);
	t = (touching){ b->data, b->bytes };
	pool_run(b->device->pool, (int64_t)((b->bytes + SMALL_PAGE - 1) / SMALL_PAGE), touch, &t);
	return 0;
}

static eh_status check_kind(uint32_t kind, eh_error *error)
{
	if (kind == EH_MEMORY_DEVICE || kind == EH_MEMORY_PINNED || kind == EH_MEMORY_SHARED)
		return EH_OK;
	return faults_set(error, EH_E_UNSUPPORTED, "There is no memory of kind %u", kind);
}

static eh_status check_free(const eh_device *device, uint64_t bytes, eh_error *error)
{
	uint64_t available;

	if (bytes > device->state->cpu.memory_bytes && device->state->cpu.memory_bytes > 0)
		return faults_set(error, EH_E_NO_MEMORY, "A buffer of %llu bytes is larger than the "
		                  "memory of this machine", (unsigned long long)bytes);
	if (bytes < ASK_FROM)
		return EH_OK;
	available = cpu_memory_available();
	if (bytes > available)
		return faults_set(error, EH_E_NO_MEMORY, "A buffer of %llu bytes does not fit: %llu "
		                  "are free", (unsigned long long)bytes,
		                  (unsigned long long)available);
	return EH_OK;
}

eh_status buffer_alloc(eh_device *device, uint32_t kind, uint64_t bytes, eh_buffer **buffer,
                       eh_error *error)
{
	eh_status status = check_kind(kind, error);
	eh_buffer *b;
	int problem = 0;

	if (status == EH_OK && bytes == 0)
		status = faults_set(error, EH_E_INVALID_ARGUMENT, "A buffer needs at least one byte");
	if (status == EH_OK)
		status = check_free(device, bytes, error);
	if (status != EH_OK)
		return status;
	b = calloc(1, sizeof(*b));
	if (b == NULL)
		return faults_set(error, EH_E_NO_MEMORY, "Memory is exhausted");
	b->device = device;
	b->bytes = bytes;
	b->kind = kind;
	if (bytes >= MAPPED_FROM) {
		problem = map_block(b);
	} else {
		b->data = aligned_alloc(SMALL_PAGE, (size_t)((bytes + SMALL_PAGE - 1) / SMALL_PAGE *
		                                             SMALL_PAGE));
		if (b->data == NULL)
			problem = ENOMEM;
	}
	if (problem != 0) {
		free(b);
		return faults_system(error, EH_E_NO_MEMORY, "mmap", problem,
		                     "No %llu bytes of memory could be had",
		                     (unsigned long long)bytes);
	}
	*buffer = b;
	return EH_OK;
}

void buffer_free(eh_buffer *buffer)
{
	if (buffer == NULL)
		return;
	if (buffer->mapping != NULL)
		(void)munmap(buffer->mapping, buffer->mapping_bytes);
	else
		free(buffer->data);
	free(buffer);
}

void *buffer_host_pointer(eh_buffer *buffer)
{
	return buffer->kind == EH_MEMORY_DEVICE ? NULL : buffer->data;
}

eh_status buffer_check(const eh_buffer *buffer, uint64_t offset, uint64_t bytes,
                       eh_error *error)
{
	if (buffer != NULL && offset <= buffer->bytes && bytes <= buffer->bytes - offset)
		return EH_OK;
	if (buffer == NULL)
		return faults_set(error, EH_E_INVALID_ARGUMENT, "The buffer is missing");
	return faults_set(error, EH_E_INVALID_ARGUMENT, "%llu bytes at %llu reach beyond a buffer "
	                  "of %llu", (unsigned long long)bytes, (unsigned long long)offset,
	                  (unsigned long long)buffer->bytes);
}

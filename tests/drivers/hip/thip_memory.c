/* SPDX-License-Identifier: Apache-2.0 */
/* Memory, copies and fills.  A copy from or to ordinary host memory waits like any other command:
 * the API says that it "may" be synchronous, and what a program may not rely on is not given. */
#include <stdlib.h>
#include <string.h>

#include "thip_state.h"

enum { MEMORY = 1 << 30 };

typedef struct transfer {
	char *to_host;             /* NULL = to the device address                               */
	const char *from_host;
	uint64_t to, from, bytes;
	uint32_t pattern, width;   /* width of a fill's pattern, 0 = a copy                      */
} transfer;

static uint64_t number(const void *address)
{
	return (uint64_t)(uintptr_t)address;
}

static hipError_t allocate(thip_device *device, devmem_kind kind, uint64_t bytes, void **address)
{
	uint64_t found;

	if (bytes == 0 || address == NULL)
		return hipErrorInvalidValue;
	found = devmem_allocate(device->index, kind, bytes, faults_memory(MEMORY));
	if (found == 0)
		return hipErrorOutOfMemory;
	*address = (void *)(uintptr_t)found;
	return hipSuccess;
}

THIP_API hipMalloc(void **address, size_t bytes)
{
	THIP_ENTER_DEVICE("hipMalloc");

	return allocate(device, DEVMEM_OWN, bytes, address);
}

THIP_API hipMallocManaged(void **address, size_t bytes, unsigned flags)
{
	THIP_ENTER_DEVICE("hipMallocManaged");

	if (flags != hipMemAttachGlobal)
		return hipErrorInvalidValue;
	return allocate(device, DEVMEM_SHARED, bytes, address);
}

THIP_API hipHostMalloc(void **address, size_t bytes, unsigned flags)
{
	THIP_ENTER_DEVICE("hipHostMalloc");

	(void)flags;
	return allocate(device, DEVMEM_PINNED, bytes, address);
}

THIP_API hipHostGetDevicePointer(void **address, void *host, unsigned flags)
{
	THIP_ENTER("hipHostGetDevicePointer");

	if (flags != 0 || devmem_find(number(host)) == NULL)
		return hipErrorInvalidValue;
	*address = host;
	return hipSuccess;
}

/* Frees wait for what was enqueued, as the runtime's do. */
static hipError_t release(const void *pointer, bool host)
{
	const uint64_t address = number(pointer);
	const devmem_block *block = devmem_find(address);
	hipError_t rc;

	if (pointer == NULL)
		return hipSuccess;
	if (block == NULL || block->address != address || (block->kind == DEVMEM_PINNED) != host)
		return hipErrorInvalidValue;
	rc = (hipError_t)streams_device_wait(thip_of_index(block->device)->streams);
	(void)devmem_release(address);
	return rc;
}

THIP_API hipFree(void *address)
{
	THIP_ENTER("hipFree");

	return release(address, false);
}

THIP_API hipHostFree(void *address)
{
	THIP_ENTER("hipHostFree");

	return release(address, true);
}

static int64_t run_transfer(void *data)
{
	const transfer *x = data;
	char *to = x->to_host != NULL ? x->to_host : devmem_view(x->to, x->bytes);
	const char *from = x->from_host;

	if (from == NULL && x->width == 0)
		from = devmem_view(x->from, x->bytes);
	if (to == NULL || (from == NULL && x->width == 0))
		return hipErrorIllegalAddress;
	if (x->width == 0)
		memmove(to, from, x->bytes);
	else
		for (uint64_t at = 0; at < x->bytes; at += x->width)
			memcpy(to + at, &x->pattern, x->width);
	return 0;
}

static void spoil_transfer(void *data)
{
	const transfer *x = data;
	char *to = x->to_host != NULL ? x->to_host : devmem_view(x->to, x->bytes);

	to[x->bytes / 2] = (char)(to[x->bytes / 2] ^ 0x40);
}

static hipError_t enqueue(thip_device *device, hipStream_t handle, transfer x)
{
	streams_stream *stream = thip_stream_of(device, handle);
	transfer *data;

	if (stream == NULL)
		return hipErrorInvalidHandle;
	if (x.bytes == 0)
		return hipSuccess;
	if ((x.to_host == NULL && devmem_view(x.to, x.bytes) == NULL) ||
	    (x.from_host == NULL && x.width == 0 && devmem_view(x.from, x.bytes) == NULL))
		return hipErrorInvalidValue;
	data = malloc(sizeof(*data));
	if (data == NULL)
		abort();
	*data = x;
	return (hipError_t)streams_enqueue(stream,
	                                   (streams_work){ run_transfer, spoil_transfer, free, data });
}

/* Its header names the source const or not, as the version is. */
THIP_API thip_memcpy_up(void *to, const void *from, size_t bytes, hipStream_t stream)
	__asm__("hipMemcpyHtoDAsync");
THIP_API thip_memcpy_up(void *to, const void *from, size_t bytes, hipStream_t stream)
{
	THIP_ENTER_DEVICE("hipMemcpyHtoDAsync");

	return enqueue(device, stream, (transfer){ .to = number(to), .from_host = from, .bytes = bytes });
}

THIP_API hipMemcpyDtoHAsync(void *to, hipDeviceptr_t from, size_t bytes, hipStream_t stream)
{
	THIP_ENTER_DEVICE("hipMemcpyDtoHAsync");

	return enqueue(device, stream, (transfer){ .to_host = to, .from = number(from), .bytes = bytes });
}

THIP_API hipMemcpyDtoDAsync(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes, hipStream_t stream)
{
	THIP_ENTER_DEVICE("hipMemcpyDtoDAsync");

	return enqueue(device, stream,
	               (transfer){ .to = number(to), .from = number(from), .bytes = bytes });
}

/* Addresses that the runtime does not know are the host's. */
THIP_API hipMemcpyAsync(void *to, const void *from, size_t bytes, hipMemcpyKind kind,
                        hipStream_t stream)
{
	transfer x = { .to = number(to), .from = number(from), .bytes = bytes };
	THIP_ENTER_DEVICE("hipMemcpyAsync");

	if (kind != hipMemcpyDefault)
		return hipErrorInvalidMemcpyDirection;
	if (!(x.to & DEVMEM_TAG) && devmem_find(x.to) == NULL)
		x.to_host = to;
	if (!(x.from & DEVMEM_TAG) && devmem_find(x.from) == NULL)
		x.from_host = from;
	return enqueue(device, stream, x);
}

THIP_API hipMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t bytes,
                            hipStream_t stream)
{
	THIP_ENTER_DEVICE("hipMemcpyPeerAsync");

	if (thip_of_index(to_device) == NULL || thip_of_index(from_device) == NULL)
		return hipErrorInvalidDevice;
	return enqueue(device, stream,
	               (transfer){ .to = number(to), .from = number(from), .bytes = bytes });
}

THIP_API hipMemsetD32Async(hipDeviceptr_t to, int value, size_t count, hipStream_t stream)
{
	THIP_ENTER_DEVICE("hipMemsetD32Async");

	if (number(to) % 4 != 0 || count > UINT64_MAX / 4)
		return hipErrorInvalidValue;
	return enqueue(device, stream, (transfer){ .to = number(to), .bytes = count * 4,
	               .pattern = (uint32_t)value, .width = 4 });
}

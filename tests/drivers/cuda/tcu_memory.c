/* SPDX-License-Identifier: Apache-2.0 */
/* Memory, copies and fills.  A copy from or to ordinary host memory waits like any other command:
 * the API says that it "may" be synchronous, and what a program may not rely on is not given. */
#include <stdlib.h>
#include <string.h>

#include "tcu_state.h"

enum { MEMORY = 1 << 30 };

typedef struct transfer {
	char *to_host;             /* NULL = to the device address                               */
	const char *from_host;
	uint64_t to, from, bytes;
	uint32_t pattern, width;   /* width of a fill's pattern, 0 = a copy                      */
} transfer;

static CUresult allocate(devmem_kind kind, uint64_t bytes, uint64_t *address)
{
	tcu_device *device = tcu_current();

	if (bytes == 0)
		return CUDA_ERROR_INVALID_VALUE;
	*address = devmem_allocate(device->index, kind, bytes, faults_memory(MEMORY));
	return *address == 0 ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

TCU_API cuMemAlloc_v2(CUdeviceptr *address, size_t bytes)
{
	uint64_t found = 0;
	CUresult rc;
	TCU_ENTER_CONTEXT("cuMemAlloc_v2");

	rc = allocate(DEVMEM_OWN, bytes, &found);
	if (rc == CUDA_SUCCESS)
		*address = found;
	return rc;
}

TCU_API cuMemAllocManaged(CUdeviceptr *address, size_t bytes, unsigned flags)
{
	uint64_t found = 0;
	CUresult rc;
	TCU_ENTER_CONTEXT("cuMemAllocManaged");

	if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST)
		return CUDA_ERROR_INVALID_VALUE;
	rc = allocate(DEVMEM_SHARED, bytes, &found);
	if (rc == CUDA_SUCCESS)
		*address = found;
	return rc;
}

static CUresult allocate_host(void **host, size_t bytes)
{
	uint64_t found = 0;
	const CUresult rc = allocate(DEVMEM_PINNED, bytes, &found);

	if (rc == CUDA_SUCCESS)
		*host = (void *)(uintptr_t)found;
	return rc;
}

TCU_API cuMemHostAlloc(void **host, size_t bytes, unsigned flags)
{
	TCU_ENTER_CONTEXT("cuMemHostAlloc");

	(void)flags;
	return allocate_host(host, bytes);
}

TCU_API cuMemAllocHost_v2(void **host, size_t bytes)
{
	TCU_ENTER_CONTEXT("cuMemAllocHost_v2");

	return allocate_host(host, bytes);
}

TCU_API cuMemHostGetDevicePointer_v2(CUdeviceptr *address, void *host, unsigned flags)
{
	const devmem_block *block;
	TCU_ENTER_CONTEXT("cuMemHostGetDevicePointer_v2");

	block = devmem_find((uintptr_t)host);
	if (flags != 0 || block == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	*address = (uintptr_t)host;
	return CUDA_SUCCESS;
}

/* Frees wait for what was enqueued, as the driver's do. */
static CUresult release(tcu_device *device, uint64_t address, bool host)
{
	const devmem_block *block = devmem_find(address);
	CUresult rc;

	if (address == 0 && !host)
		return CUDA_SUCCESS;
	if (block == NULL || block->address != address || (block->kind == DEVMEM_PINNED) != host)
		return CUDA_ERROR_INVALID_VALUE;
	rc = (CUresult)streams_device_wait(device->streams);
	(void)devmem_release(address);
	return rc;
}

TCU_API cuMemFree_v2(CUdeviceptr address)
{
	TCU_ENTER("cuMemFree_v2");

	if (tcu_current() == NULL || tcu_current()->streams == NULL)
		return CUDA_ERROR_INVALID_CONTEXT;
	return release(tcu_current(), address, false);
}

TCU_API cuMemFreeHost(void *host)
{
	TCU_ENTER("cuMemFreeHost");

	if (tcu_current() == NULL || tcu_current()->streams == NULL)
		return CUDA_ERROR_INVALID_CONTEXT;
	return release(tcu_current(), (uintptr_t)host, true);
}

static int64_t run_transfer(void *data)
{
	const transfer *x = data;
	char *to = x->to_host != NULL ? x->to_host : devmem_view(x->to, x->bytes);
	const char *from = x->from_host;

	if (from == NULL && x->width == 0)
		from = devmem_view(x->from, x->bytes);
	if (to == NULL || (from == NULL && x->width == 0))
		return CUDA_ERROR_ILLEGAL_ADDRESS;
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

static CUresult enqueue(tcu_device *device, CUstream handle, transfer x, bool waits)
{
	streams_stream *stream = tcu_stream_of(device, handle);
	transfer *data;
	CUresult rc;

	if (stream == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	if (x.bytes == 0)
		return CUDA_SUCCESS;
	if ((x.to_host == NULL && devmem_view(x.to, x.bytes) == NULL) ||
	    (x.from_host == NULL && x.width == 0 && devmem_view(x.from, x.bytes) == NULL))
		return CUDA_ERROR_INVALID_VALUE;
	data = malloc(sizeof(*data));
	if (data == NULL)
		abort();
	*data = x;
	rc = (CUresult)streams_enqueue(stream, (streams_work){ run_transfer, spoil_transfer, free, data });
	if (rc == CUDA_SUCCESS && waits)
		rc = (CUresult)streams_wait(stream);
	return rc;
}

TCU_API cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
	TCU_ENTER_CONTEXT("cuMemcpyHtoDAsync_v2");

	return enqueue(device, stream, (transfer){ .to = to, .from_host = from, .bytes = bytes }, false);
}

TCU_API cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
	TCU_ENTER_CONTEXT("cuMemcpyDtoHAsync_v2");

	return enqueue(device, stream, (transfer){ .to_host = to, .from = from, .bytes = bytes }, false);
}

TCU_API cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
	TCU_ENTER_CONTEXT("cuMemcpyDtoDAsync_v2");

	return enqueue(device, stream, (transfer){ .to = to, .from = from, .bytes = bytes }, false);
}

/* Addresses that the driver does not know are the host's. */
TCU_API cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
	transfer x = { .to = to, .from = from, .bytes = bytes };
	TCU_ENTER_CONTEXT("cuMemcpyAsync");

	if (!(to & DEVMEM_TAG) && devmem_find(to) == NULL)
		x.to_host = (char *)(uintptr_t)to;
	if (!(from & DEVMEM_TAG) && devmem_find(from) == NULL)
		x.from_host = (const char *)(uintptr_t)from;
	return enqueue(device, stream, x, false);
}

TCU_API cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                          CUcontext from_context, size_t bytes, CUstream stream)
{
	TCU_ENTER_CONTEXT("cuMemcpyPeerAsync");

	if (tcu_of_context(to_context) == NULL || tcu_of_context(from_context) == NULL)
		return CUDA_ERROR_INVALID_CONTEXT;
	return enqueue(device, stream, (transfer){ .to = to, .from = from, .bytes = bytes }, false);
}

TCU_API cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes)
{
	TCU_ENTER_CONTEXT("cuMemcpyHtoD_v2");

	return enqueue(device, NULL, (transfer){ .to = to, .from_host = from, .bytes = bytes }, true);
}

TCU_API cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes)
{
	TCU_ENTER_CONTEXT("cuMemcpyDtoH_v2");

	return enqueue(device, NULL, (transfer){ .to_host = to, .from = from, .bytes = bytes }, true);
}

TCU_API cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
	TCU_ENTER_CONTEXT("cuMemcpyDtoD_v2");

	return enqueue(device, NULL, (transfer){ .to = to, .from = from, .bytes = bytes }, false);
}

static CUresult fill(tcu_device *device, uint64_t to, uint32_t pattern, uint32_t width,
                     uint64_t count, CUstream stream)
{
	if (to % width != 0 || count > UINT64_MAX / width)
		return CUDA_ERROR_INVALID_VALUE;
	return enqueue(device, stream,
	               (transfer){ .to = to, .bytes = count * width, .pattern = pattern, .width = width },
	               false);
}

#define FILL(bits, type)                                                                      \
	TCU_API cuMemsetD##bits##Async(CUdeviceptr to, type value, size_t count, CUstream stream)  \
	{                                                                                     \
		TCU_ENTER_CONTEXT("cuMemsetD" #bits "Async");                                 \
		return fill(device, to, value, bits / 8, count, stream);                      \
	}                                                                                     \
	TCU_API cuMemsetD##bits##_v2(CUdeviceptr to, type value, size_t count)                \
	{                                                                                     \
		TCU_ENTER_CONTEXT("cuMemsetD" #bits "_v2");                                   \
		return fill(device, to, value, bits / 8, count, NULL);                        \
	}
FILL(8, unsigned char)
FILL(16, unsigned short)
FILL(32, unsigned)

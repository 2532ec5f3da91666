/* SPDX-License-Identifier: Apache-2.0 */
/* The library itself, its devices, and the names of errors. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "tcu_state.h"

enum { MEMORY = 1 << 30, BUS = 0x40, L2 = 4 << 20, THREADS = 1024 };

TCU_API cuInit(unsigned flags)
{
	TCU_ENTER_ANY("cuInit");

	if (flags != 0)
		return CUDA_ERROR_INVALID_VALUE;
	tcu_initialise();
	if (!tcu_initialised())
		return CUDA_ERROR_OUT_OF_MEMORY;
	return tcu_device_count() == 0 ? CUDA_ERROR_NO_DEVICE : CUDA_SUCCESS;
}

TCU_API cuDriverGetVersion(int *version)
{
	TCU_ENTER_ANY("cuDriverGetVersion");

	*version = CUDA_VERSION;
	return CUDA_SUCCESS;
}

TCU_API cuDeviceGetCount(int *count)
{
	TCU_ENTER("cuDeviceGetCount");

	*count = tcu_device_count();
	return CUDA_SUCCESS;
}

TCU_API cuDeviceGet(CUdevice *device, int index)
{
	TCU_ENTER("cuDeviceGet");

	if (tcu_of_index(index) == NULL)
		return CUDA_ERROR_INVALID_DEVICE;
	*device = index;
	return CUDA_SUCCESS;
}

TCU_API cuDeviceGetName(char *name, int size, CUdevice device)
{
	TCU_ENTER("cuDeviceGetName");

	if (tcu_of_index(device) == NULL)
		return CUDA_ERROR_INVALID_DEVICE;
	if (size > 0)
		snprintf(name, (size_t)size, "TEST CUDA device %d", device);
	return CUDA_SUCCESS;
}

static CUresult uuid_of(CUuuid *uuid, CUdevice device)
{
	static const unsigned char bytes[15] = { 0x54, 0x45, 0x53, 0x54, 0x43, 0x55, 0x44, 0x41 };

	if (tcu_of_index(device) == NULL)
		return CUDA_ERROR_INVALID_DEVICE;
	memcpy(uuid->bytes, bytes, sizeof(bytes));
	uuid->bytes[15] = (char)(device + 1);
	return CUDA_SUCCESS;
}

TCU_API cuDeviceGetUuid(CUuuid *uuid, CUdevice device)
{
	TCU_ENTER("cuDeviceGetUuid");

	return uuid_of(uuid, device);
}

TCU_API cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device)
{
	TCU_ENTER("cuDeviceGetUuid_v2");

	return uuid_of(uuid, device);
}

TCU_API cuDeviceGetPCIBusId(char *id, int size, CUdevice device)
{
	TCU_ENTER("cuDeviceGetPCIBusId");

	if (tcu_of_index(device) == NULL)
		return CUDA_ERROR_INVALID_DEVICE;
	if (size > 0)
		snprintf(id, (size_t)size, "0000:%02x:00.0", (unsigned)(BUS + device));
	return CUDA_SUCCESS;
}

TCU_API cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
	TCU_ENTER("cuDeviceTotalMem_v2");

	if (tcu_of_index(device) == NULL)
		return CUDA_ERROR_INVALID_DEVICE;
	*bytes = faults_memory(MEMORY);
	return CUDA_SUCCESS;
}

TCU_API cuMemGetInfo_v2(size_t *left, size_t *total)
{
	TCU_ENTER_CONTEXT("cuMemGetInfo_v2");

	*total = faults_memory(MEMORY);
	*left = *total - devmem_used(device->index);
	return CUDA_SUCCESS;
}

TCU_API cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
	static const struct {
		CUdevice_attribute attribute;
		int value;
	} values[] = {
		{ CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, THREADS },
		{ CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, THREADS },
		{ CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, THREADS },
		{ CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64 },
		{ CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 2147483647 },
		{ CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535 },
		{ CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535 },
		{ CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, TCU_SHARED },
		{ CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 65536 },
		{ CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2 * THREADS },
		{ CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, 65536 },
		{ CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32 },
		{ CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 2 },
		{ CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1000000 },
		{ CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 1000000 },
		{ CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 64 },
		{ CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, L2 },
		{ CU_DEVICE_ATTRIBUTE_ECC_ENABLED, 1 },
		{ CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 1 },
		{ CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, 1 },
		{ CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, 1 },
		{ CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, 1 },
		{ CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM, 1 },
		{ CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, 2 },
		{ CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, CU_COMPUTEMODE_DEFAULT },
	};
	TCU_ENTER("cuDeviceGetAttribute");

	if (tcu_of_index(device) == NULL)
		return CUDA_ERROR_INVALID_DEVICE;
	*value = 0;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		if (values[i].attribute == attribute)
			*value = values[i].value;
	if (attribute == CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN ||
	    attribute == CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)
		*value = (int)tcu_shared_most();
	else if (attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)
		*value = tcu_of_index(device)->compute / 10;
	else if (attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)
		*value = tcu_of_index(device)->compute % 10;
	else if (attribute == CU_DEVICE_ATTRIBUTE_PCI_BUS_ID)
		*value = BUS + device;
	return CUDA_SUCCESS;
}

static const struct {
	CUresult code;
	const char *name, *text;
} errors[] = {
#define ERROR(code, text) { code, #code, text }
	ERROR(CUDA_SUCCESS, "no error"),
	ERROR(CUDA_ERROR_INVALID_VALUE, "invalid argument"),
	ERROR(CUDA_ERROR_OUT_OF_MEMORY, "out of memory"),
	ERROR(CUDA_ERROR_NOT_INITIALIZED, "initialization error"),
	ERROR(CUDA_ERROR_DEINITIALIZED, "driver shutting down"),
	ERROR(CUDA_ERROR_NO_DEVICE, "no CUDA-capable device is detected"),
	ERROR(CUDA_ERROR_INVALID_DEVICE, "invalid device ordinal"),
	ERROR(CUDA_ERROR_INVALID_IMAGE, "device kernel image is invalid"),
	ERROR(CUDA_ERROR_INVALID_CONTEXT, "invalid device context"),
	ERROR(CUDA_ERROR_NO_BINARY_FOR_GPU, "no kernel image is available for the device"),
	ERROR(CUDA_ERROR_ECC_UNCORRECTABLE, "uncorrectable ECC error encountered"),
	ERROR(CUDA_ERROR_INVALID_PTX, "a PTX JIT compilation failed"),
	ERROR(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, "the PTX was made with an unsupported toolchain"),
	ERROR(CUDA_ERROR_INVALID_HANDLE, "invalid resource handle"),
	ERROR(CUDA_ERROR_NOT_FOUND, "named symbol not found"),
	ERROR(CUDA_ERROR_NOT_READY, "device not ready"),
	ERROR(CUDA_ERROR_ILLEGAL_ADDRESS, "an illegal memory access was encountered"),
	ERROR(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "too many resources requested for launch"),
	ERROR(CUDA_ERROR_LAUNCH_TIMEOUT, "the launch timed out and was terminated"),
	ERROR(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, "peer access is already enabled"),
	ERROR(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, "peer access has not been enabled"),
	ERROR(CUDA_ERROR_ASSERT, "device-side assert triggered"),
	ERROR(CUDA_ERROR_ILLEGAL_INSTRUCTION, "an illegal instruction was encountered"),
	ERROR(CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned address"),
	ERROR(CUDA_ERROR_LAUNCH_FAILED, "unspecified launch failure"),
	ERROR(CUDA_ERROR_NOT_SUPPORTED, "operation not supported"),
	ERROR(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "operation not permitted when stream is capturing"),
	ERROR(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "the capture was invalidated"),
	ERROR(CUDA_ERROR_ILLEGAL_STATE, "the operation cannot be performed in the present state"),
	ERROR(CUDA_ERROR_UNKNOWN, "unknown error"),
#undef ERROR
};

TCU_API cuGetErrorName(CUresult code, const char **name)
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (errors[i].code == code) {
			*name = errors[i].name;
			return CUDA_SUCCESS;
		}
	*name = NULL;
	return CUDA_ERROR_INVALID_VALUE;
}

TCU_API cuGetErrorString(CUresult code, const char **text)
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (errors[i].code == code) {
			*text = errors[i].text;
			return CUDA_SUCCESS;
		}
	*text = NULL;
	return CUDA_ERROR_INVALID_VALUE;
}

/* The newest of the name's versions that is here. */
static void *newest(const char *name)
{
	static const char *const versions[] = { "_v4", "_v3", "_v2", "" };
	void *self = NULL, *found = NULL;
	char full[128];
	Dl_info info;

	if (dladdr((const void *)newest, &info) != 0)
		self = dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
	for (size_t i = 0; self != NULL && found == NULL && i < 4; i++) {
		snprintf(full, sizeof(full), "%s%s", name, versions[i]);
		found = dlsym(self, full);
	}
	if (self != NULL)
		(void)dlclose(self);
	return found;
}

TCU_API cuGetProcAddress_v2(const char *name, void **function, int version, cuuint64_t flags,
                            CUdriverProcAddressQueryResult *status)
{
	(void)version;
	(void)flags;
	*function = newest(name);
	if (status != NULL)
		*status = *function != NULL ? CU_GET_PROC_ADDRESS_SUCCESS
		                            : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
	return *function != NULL ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

TCU_API cuGetProcAddress(const char *name, void **function, int version, cuuint64_t flags)
{
	return cuGetProcAddress_v2(name, function, version, flags, NULL);
}

/* NVRTC opens libcuda.so.1 itself and reads the size in the table's first word without looking at
 * the result, so that this function is never made to fail. */
TCU_API cuGetExportTable(const void **table, const CUuuid *id)
{
	static const uint64_t empty[1] = { sizeof(uint64_t) };

	(void)id;
	*table = empty;
	return CUDA_SUCCESS;
}

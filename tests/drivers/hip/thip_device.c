/* SPDX-License-Identifier: Apache-2.0 */
/* The library itself, its devices, and the names of errors. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "thip_state.h"

enum { MEMORY = 1 << 30, BUS = 0x60, L2 = 4 << 20, LDS = 64 << 10, ITEMS = 1024 };

THIP_API hipInit(unsigned flags)
{
	THIP_ENTER("hipInit");

	if (flags != 0)
		return hipErrorInvalidValue;
	return thip_device_count() == 0 ? hipErrorNoDevice : hipSuccess;
}

static int version(void)
{
	return thip_major() * 10000000 + 2 * 100000 + 12345;
}

THIP_API hipDriverGetVersion(int *out)
{
	THIP_ENTER("hipDriverGetVersion");

	*out = version();
	return hipSuccess;
}

THIP_API hipRuntimeGetVersion(int *out)
{
	THIP_ENTER("hipRuntimeGetVersion");

	*out = version();
	return hipSuccess;
}

THIP_API hipGetDeviceCount(int *count)
{
	THIP_ENTER("hipGetDeviceCount");

	*count = thip_device_count();
	return *count == 0 ? hipErrorNoDevice : hipSuccess;
}

static void name_of(char *name, size_t size, int device)
{
	snprintf(name, size, "TEST HIP device %d", device);
}

THIP_API hipDeviceGetName(char *name, int size, hipDevice_t device)
{
	THIP_ENTER("hipDeviceGetName");

	if (thip_of_index(device) == NULL)
		return hipErrorInvalidDevice;
	if (size > 0)
		name_of(name, (size_t)size, device);
	return hipSuccess;
}

/* AMD's are the digits of a number, as text. */
THIP_API hipDeviceGetUuid(hipUUID *uuid, hipDevice_t device)
{
	char text[17];
	THIP_ENTER("hipDeviceGetUuid");

	if (thip_of_index(device) == NULL)
		return hipErrorInvalidDevice;
	snprintf(text, sizeof(text), "7e57411b%08x", (unsigned)device + 1);
	memcpy(uuid->bytes, text, sizeof(uuid->bytes));
	return hipSuccess;
}

THIP_API hipDeviceGetPCIBusId(char *id, int size, int device)
{
	THIP_ENTER("hipDeviceGetPCIBusId");

	if (thip_of_index(device) == NULL)
		return hipErrorInvalidDevice;
	if (size > 0)
		snprintf(id, (size_t)size, "0000:%02x:00.0", (unsigned)(BUS + device));
	return hipSuccess;
}

THIP_API hipDeviceTotalMem(size_t *bytes, hipDevice_t device)
{
	THIP_ENTER("hipDeviceTotalMem");

	if (thip_of_index(device) == NULL)
		return hipErrorInvalidDevice;
	*bytes = faults_memory(MEMORY);
	return hipSuccess;
}

THIP_API hipDeviceGetAttribute(int *value, hipDeviceAttribute_t attribute, int device)
{
	static const struct {
		hipDeviceAttribute_t attribute;
		int value;
	} values[] = {
		{ hipDeviceAttributeEccEnabled, 1 },
		{ hipDeviceAttributeMaxThreadsPerBlock, ITEMS },
		{ hipDeviceAttributeMaxBlockDimX, ITEMS },
		{ hipDeviceAttributeMaxBlockDimY, ITEMS },
		{ hipDeviceAttributeMaxBlockDimZ, ITEMS },
		{ hipDeviceAttributeMaxGridDimX, 2147483647 },
		{ hipDeviceAttributeMaxGridDimY, 65535 },
		{ hipDeviceAttributeMaxGridDimZ, 65535 },
		{ hipDeviceAttributeMaxSharedMemoryPerBlock, LDS },
		{ hipDeviceAttributeMaxSharedMemoryPerMultiprocessor, LDS },
		{ hipDeviceAttributeMaxThreadsPerMultiProcessor, 2 * ITEMS },
		{ hipDeviceAttributeWarpSize, 64 },
		{ hipDeviceAttributeMultiprocessorCount, 2 },
		{ hipDeviceAttributeClockRate, 1000000 },
		{ hipDeviceAttributeMemoryClockRate, 1000000 },
		{ hipDeviceAttributeMemoryBusWidth, 64 },
		{ hipDeviceAttributeL2CacheSize, L2 },
		{ hipDeviceAttributeManagedMemory, 1 },
		{ hipDeviceAttributeConcurrentManagedAccess, 1 },
		{ hipDeviceAttributeIsLargeBar, 1 },
	};
	THIP_ENTER("hipDeviceGetAttribute");

	if (thip_of_index(device) == NULL)
		return hipErrorInvalidDevice;
	*value = 0;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		if (values[i].attribute == attribute)
			*value = values[i].value;
	return hipSuccess;
}

/* Where the two layouts of hipDeviceProp_t have gcnArchName, and how large they are. */
enum { NAME_5 = 396, SIZE_5 = 792, NAME_6 = 1160, SIZE_6 = 1472 };

static hipError_t fill_properties(char *properties, int device, size_t at, size_t size)
{
	if (thip_of_index(device) == NULL)
		return hipErrorInvalidDevice;
	memset(properties, 0, size);
	name_of(properties, 256, device);
	snprintf(properties + at, 256, "%s", thip_architecture());
	return hipSuccess;
}

/* Headers of ROCm 6 make the first name mean the second. */
THIP_API thip_properties_5(void *properties, int device) __asm__("hipGetDeviceProperties");
THIP_API thip_properties_5(void *properties, int device)
{
	THIP_ENTER("hipGetDeviceProperties");

	return fill_properties(properties, device, NAME_5, SIZE_5);
}

/* Hidden in the library of ROCm 5 (five.map). */
THIP_API thip_properties_6(void *properties, int device) __asm__("hipGetDevicePropertiesR0600");
THIP_API thip_properties_6(void *properties, int device)
{
	THIP_ENTER("hipGetDevicePropertiesR0600");

	return fill_properties(properties, device, NAME_6, SIZE_6);
}

#ifdef HIP_VERSION_MAJOR
#if HIP_VERSION_MAJOR == 5
_Static_assert(offsetof(hipDeviceProp_t, gcnArchName) == NAME_5, "the member is elsewhere");
_Static_assert(sizeof(hipDeviceProp_t) == SIZE_5, "the struct has another size");
#endif
#endif

static const struct {
	hipError_t code;
	const char *name;
} errors[] = {
	{ hipSuccess, "hipSuccess" },
	{ hipErrorInvalidValue, "hipErrorInvalidValue" },
	{ hipErrorOutOfMemory, "hipErrorOutOfMemory" },
	{ hipErrorNotReady, "hipErrorNotReady" },
	{ hipErrorMapFailed, "hipErrorMapFailed" },
	{ hipErrorLaunchFailure, "hipErrorLaunchFailure" },
	{ hipErrorUnknown, "hipErrorUnknown" },
};

__attribute__((visibility("default"))) const char *hipGetErrorName(hipError_t code)
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (errors[i].code == code)
			return errors[i].name;
	return "hipErrorUnknown";
}

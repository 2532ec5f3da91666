/* SPDX-License-Identifier: Apache-2.0 */
#include "lz_error.h"

#include <stdarg.h>

static const struct {
	failure_code code;
	const char *remedy;
} codes[] = {
	{ FAILURE_CODE(ZE_RESULT_SUCCESS, EH_OK), NULL },
	{ FAILURE_CODE(ZE_RESULT_NOT_READY, EH_E_INVALID_ARGUMENT), NULL },
	{ FAILURE_CODE(ZE_RESULT_ERROR_DEVICE_LOST, EH_E_DEVICE_LOST),
	  "The device hung or was reset; the kernel log (dmesg, lines with i915 or xe) says more, and a "
	  "new process gets a new context." },
	{ FAILURE_CODE(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, EH_E_NO_MEMORY), NULL },
	{ FAILURE_CODE(ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY, EH_E_NO_MEMORY),
	  "Free memory on the device, or ask for less." },
	{ FAILURE_CODE(ZE_RESULT_ERROR_MODULE_BUILD_FAILURE, EH_E_BUILD), NULL },
	{ FAILURE_CODE(ZE_RESULT_ERROR_MODULE_LINK_FAILURE, EH_E_BUILD), NULL },
	{ FAILURE_CODE(ZE_RESULT_ERROR_DEVICE_REQUIRES_RESET, EH_E_DEVICE_LOST),
	  "Reset the device, for an Intel one with xpu-smi, or reboot." },
	{ FAILURE_CODE(ZE_RESULT_ERROR_DEVICE_IN_LOW_POWER_STATE, EH_E_UNAVAILABLE), NULL },
	{ FAILURE_CODE(ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS, EH_E_UNAVAILABLE),
	  "Join the groups render and video." },
	{ FAILURE_CODE(ZE_RESULT_ERROR_NOT_AVAILABLE, EH_E_UNAVAILABLE), NULL },
	{ FAILURE_CODE(ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE, EH_E_UNAVAILABLE),
	  "The driver misses one of its own libraries: install its compiler (libigc) and its graphics "
	  "memory library (libigdgmm) of the same release." },
	{ FAILURE_CODE(ZE_RESULT_ERROR_UNINITIALIZED, EH_E_UNAVAILABLE), NULL },
	{ FAILURE_CODE(ZE_RESULT_ERROR_UNSUPPORTED_VERSION, EH_E_INCOMPATIBLE),
	  "Loader and driver are too far apart in age: update both." },
	{ FAILURE_CODE(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, EH_E_UNSUPPORTED), NULL },
	{ FAILURE_CODE(ZE_RESULT_ERROR_INVALID_ARGUMENT, EH_E_INVALID_ARGUMENT), NULL },
	{ FAILURE_CODE(ZE_RESULT_ERROR_INVALID_NULL_HANDLE, EH_E_INTERNAL), NULL },
	{ FAILURE_CODE(ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE, EH_E_INTERNAL), NULL },
	{ FAILURE_CODE(ZE_RESULT_ERROR_INVALID_NULL_POINTER, EH_E_INTERNAL), NULL },
	{ FAILURE_CODE(ZE_RESULT_ERROR_INVALID_SIZE, EH_E_INVALID_ARGUMENT), NULL },
	{ FAILURE_CODE(ZE_RESULT_ERROR_UNSUPPORTED_SIZE, EH_E_NO_MEMORY),
	  "The driver makes no single allocation of this size." },
	{ FAILURE_CODE(ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT, EH_E_UNSUPPORTED), NULL },
	{ FAILURE_CODE(ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT, EH_E_INTERNAL), NULL },
	{ FAILURE_CODE(ZE_RESULT_ERROR_INVALID_ENUMERATION, EH_E_INTERNAL), NULL },
	{ FAILURE_CODE(ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION, EH_E_UNSUPPORTED), NULL },
	{ FAILURE_CODE(ZE_RESULT_ERROR_INVALID_NATIVE_BINARY, EH_E_INCOMPATIBLE),
	  "The driver does not take this SPIR-V: update the driver, or set levelzero.compiler." },
	{ FAILURE_CODE(ZE_RESULT_ERROR_INVALID_KERNEL_NAME, EH_E_INVALID_ARGUMENT), NULL },
	{ FAILURE_CODE(ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION, EH_E_UNSUPPORTED), NULL },
	{ FAILURE_CODE(ZE_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION, EH_E_UNSUPPORTED), NULL },
	{ FAILURE_CODE(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX, EH_E_INVALID_ARGUMENT),
	  NULL },
	{ FAILURE_CODE(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE, EH_E_INVALID_ARGUMENT),
	  NULL },
	{ FAILURE_CODE(ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED, EH_E_BUILD), NULL },
	{ FAILURE_CODE(ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE, EH_E_INTERNAL), NULL },
	{ FAILURE_CODE(ZE_RESULT_ERROR_OVERLAPPING_REGIONS, EH_E_INVALID_ARGUMENT), NULL },
	{ FAILURE_CODE(ZE_RESULT_ERROR_UNKNOWN, EH_E_DEVICE),
	  "The kernel log (dmesg, lines with i915 or xe) may say more." },
};

enum { CODE_COUNT = sizeof(codes) / sizeof(codes[0]) };

static size_t find(ze_result_t rc)
{
	size_t i = 0;

	while (i < CODE_COUNT && codes[i].code.native != (int64_t)rc)
		i++;
	return i;
}

const char *lz_error_name(ze_result_t rc)
{
	const size_t i = find(rc);

	return i < CODE_COUNT ? codes[i].code.name : "unknown Level Zero result";
}

bool lz_error_is_loss(ze_result_t rc)
{
	const size_t i = find(rc);

	return i < CODE_COUNT && codes[i].code.status == EH_E_DEVICE_LOST;
}

eh_status lz_error_call(eh_error *error, ze_result_t rc, const char *where, const char *format,
                        ...)
{
	const size_t i = find(rc);
	const eh_status code = i < CODE_COUNT ? codes[i].code.status : EH_E_DEVICE;
	va_list arguments;

	va_start(arguments, format);
	(void)failure_native_list(error, code, where, (int64_t)rc, lz_error_name(rc),
	                          i < CODE_COUNT ? codes[i].remedy : NULL, format, arguments);
	va_end(arguments);
	return code;
}

eh_status lz_error_as(eh_error *error, eh_status code, ze_result_t rc, const char *where,
                      const char *format, ...)
{
	const size_t i = find(rc);
	va_list arguments;

	va_start(arguments, format);
	(void)failure_native_list(error, code, where, (int64_t)rc, lz_error_name(rc),
	                          i < CODE_COUNT ? codes[i].remedy : NULL, format, arguments);
	va_end(arguments);
	return code;
}

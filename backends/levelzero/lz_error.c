/* SPDX-License-Identifier: Apache-2.0 */
#include "lz_error.h"

#include <stdarg.h>

/* Numbers where headers of different ages disagree on what they have. */
static const struct {
	failure_code code;
	const char *remedy;
} codes[] = {
	{ { 0, EH_OK, "ZE_RESULT_SUCCESS" }, NULL },
	{ { 1, EH_E_INVALID_ARGUMENT, "ZE_RESULT_NOT_READY" }, NULL },
	{ { 0x70000001, EH_E_DEVICE_LOST, "ZE_RESULT_ERROR_DEVICE_LOST" },
	  "The device hung or was reset; the kernel log (dmesg, lines with i915 or xe) says more, and a "
	  "new process gets a new context." },
	{ { 0x70000002, EH_E_NO_MEMORY, "ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY" }, NULL },
	{ { 0x70000003, EH_E_NO_MEMORY, "ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY" },
	  "Free memory on the device, or ask for less." },
	{ { 0x70000004, EH_E_BUILD, "ZE_RESULT_ERROR_MODULE_BUILD_FAILURE" }, NULL },
	{ { 0x70000005, EH_E_BUILD, "ZE_RESULT_ERROR_MODULE_LINK_FAILURE" }, NULL },
	{ { 0x70000006, EH_E_DEVICE_LOST, "ZE_RESULT_ERROR_DEVICE_REQUIRES_RESET" },
	  "Reset the device, for an Intel one with xpu-smi, or reboot." },
	{ { 0x70000007, EH_E_UNAVAILABLE, "ZE_RESULT_ERROR_DEVICE_IN_LOW_POWER_STATE" }, NULL },
	{ { 0x70010000, EH_E_UNAVAILABLE, "ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS" },
	  "Join the groups render and video." },
	{ { 0x70010001, EH_E_UNAVAILABLE, "ZE_RESULT_ERROR_NOT_AVAILABLE" }, NULL },
	{ { 0x70020000, EH_E_UNAVAILABLE, "ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE" },
	  "The driver misses one of its own libraries: install its compiler (libigc) and its graphics "
	  "memory library (libigdgmm) of the same release." },
	{ { 0x78000001, EH_E_UNAVAILABLE, "ZE_RESULT_ERROR_UNINITIALIZED" }, NULL },
	{ { 0x78000002, EH_E_INCOMPATIBLE, "ZE_RESULT_ERROR_UNSUPPORTED_VERSION" },
	  "Loader and driver are too far apart in age: update both." },
	{ { 0x78000003, EH_E_UNSUPPORTED, "ZE_RESULT_ERROR_UNSUPPORTED_FEATURE" }, NULL },
	{ { 0x78000004, EH_E_INVALID_ARGUMENT, "ZE_RESULT_ERROR_INVALID_ARGUMENT" }, NULL },
	{ { 0x78000005, EH_E_INTERNAL, "ZE_RESULT_ERROR_INVALID_NULL_HANDLE" }, NULL },
	{ { 0x78000006, EH_E_INTERNAL, "ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE" }, NULL },
	{ { 0x78000007, EH_E_INTERNAL, "ZE_RESULT_ERROR_INVALID_NULL_POINTER" }, NULL },
	{ { 0x78000008, EH_E_INVALID_ARGUMENT, "ZE_RESULT_ERROR_INVALID_SIZE" }, NULL },
	{ { 0x78000009, EH_E_NO_MEMORY, "ZE_RESULT_ERROR_UNSUPPORTED_SIZE" },
	  "The driver makes no single allocation of this size." },
	{ { 0x7800000a, EH_E_UNSUPPORTED, "ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT" }, NULL },
	{ { 0x7800000b, EH_E_INTERNAL, "ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT" }, NULL },
	{ { 0x7800000c, EH_E_INTERNAL, "ZE_RESULT_ERROR_INVALID_ENUMERATION" }, NULL },
	{ { 0x7800000d, EH_E_UNSUPPORTED, "ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION" }, NULL },
	{ { 0x7800000f, EH_E_INCOMPATIBLE, "ZE_RESULT_ERROR_INVALID_NATIVE_BINARY" },
	  "The driver does not take this SPIR-V: update the driver, or set levelzero.compiler." },
	{ { 0x78000011, EH_E_INVALID_ARGUMENT, "ZE_RESULT_ERROR_INVALID_KERNEL_NAME" }, NULL },
	{ { 0x78000013, EH_E_UNSUPPORTED, "ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION" }, NULL },
	{ { 0x78000014, EH_E_UNSUPPORTED, "ZE_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION" }, NULL },
	{ { 0x78000015, EH_E_INVALID_ARGUMENT, "ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX" },
	  NULL },
	{ { 0x78000016, EH_E_INVALID_ARGUMENT, "ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE" },
	  NULL },
	{ { 0x78000018, EH_E_BUILD, "ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED" }, NULL },
	{ { 0x78000019, EH_E_INTERNAL, "ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE" }, NULL },
	{ { 0x7800001a, EH_E_INVALID_ARGUMENT, "ZE_RESULT_ERROR_OVERLAPPING_REGIONS" }, NULL },
	{ { 0x7ffffffe, EH_E_DEVICE, "ZE_RESULT_ERROR_UNKNOWN" },
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

/* SPDX-License-Identifier: Apache-2.0 */
#ifdef ABI_OF_VENDOR
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#endif
#include "opencl/ocl_abi.h"
#include "facts.h"

/* Two functions took another argument with version 0.9.5 of the extension: headers have one of the two
 * forms, and older ones neither. */
#if !defined(ABI_OF_VENDOR) || defined(cl_khr_command_buffer)
#define X(field, name, result, arguments) typedef result(CL_API_CALL *type_of_##field) arguments;
OCL_COMMANDS_BEFORE(X)
OCL_COMMANDS_SINCE(X)
#undef X
#endif
#ifdef ABI_OF_VENDOR
#define EITHER(name, before, since) \
	__typeof__(__builtin_choose_expr(__builtin_types_compatible_p(__typeof__(&name), before), \
	                                 (before)NULL, (since)NULL))
#else
#define EITHER(name, before, since) since
#endif
#define COPY EITHER(clCommandCopyBufferKHR, type_of_copy_before, type_of_copy) declared
#define FILL EITHER(clCommandFillBufferKHR, type_of_fill_before, type_of_fill) declared

static void functions(void)
{
	CHECK_copy(COPY)
	CHECK_copy_before(COPY)
	CHECK_fill(FILL)
	CHECK_fill_before(FILL)
#define X(field, name, result, arguments) CHECK(result(CL_API_CALL *declared), field, arguments)
	OCL_REQUIRED(X)
	OCL_OPTIONAL(X)
	OCL_COMMANDS(X)
#undef X
}

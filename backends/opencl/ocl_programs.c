/* SPDX-License-Identifier: Apache-2.0 */
/* Programs: compiled at run time by the platform's own compiler. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ocl_state.h"
#include "shared/wording.h"

/* The compiler's messages, cut to log_size and terminated. */
static void copy_log(eh_device *device, cl_program program, char *log, size_t log_size)
{
	const ocl_api *api = device->api;
	size_t size = 0;
	char *text = NULL;
	cl_int rc;
	if (log == NULL || log_size == 0)
		return;
	log[0] = '\0';
	rc = api->clGetProgramBuildInfo(program, device->listing->id, CL_PROGRAM_BUILD_LOG, 0, NULL,
	    &size);
	if (rc == CL_SUCCESS && size > 0) {
		text = calloc(1, size + 1);
		rc = text == NULL ? CL_OUT_OF_HOST_MEMORY : api->clGetProgramBuildInfo(program,
		    device->listing->id, CL_PROGRAM_BUILD_LOG, size, text, NULL);
	}
	if (rc != CL_SUCCESS)
		wording_no_log("clGetProgramBuildInfo", ocl_error_name(rc), rc, log, log_size);
	else if (text != NULL)
		snprintf(log, log_size, "%s", text);
	free(text);
}

eh_status ocl_programs_build(eh_device *device, const eh_source *source, eh_program **out,
                             char *log, size_t log_size, eh_error *error)
{
	const ocl_api *api = device->api;
	cl_int rc = CL_SUCCESS;
	eh_status status;
	const char *text;
	char *assembled;
	eh_program *p = calloc(1, sizeof(*p));
	if (log != NULL && log_size > 0)
		log[0] = '\0';
	assembled = wording_source(source);
	if (p == NULL || assembled == NULL) {
		status = failure_set(error, EH_E_NO_MEMORY, "program_build",
		    "No memory is left to build %s.", source->name);
		goto undo_text;
	}
	p->device = device;
	text = assembled;
	p->program = api->clCreateProgramWithSource(device->context, 1, &text, NULL, &rc);
	if (rc != CL_SUCCESS || p->program == NULL) {
		status = ocl_error_call(error, rc, "clCreateProgramWithSource", "%s cannot be built",
		    source->name);
		goto undo_text;
	}
	rc = api->clBuildProgram(p->program, 1, &device->listing->id, OCL_PROGRAMS_FLAGS, NULL, NULL);
	copy_log(device, p->program, log, log_size);
	if (rc != CL_SUCCESS) {
		status = ocl_error_call(error, rc, "clBuildProgram",
		    "The kernels of %s do not compile on %s; the build log says why", source->name,
		    device->listing->selector);
		goto undo_program;
	}
	free(assembled);
	*out = p;
	return EH_OK;

undo_program:
	(void)api->clReleaseProgram(p->program);
undo_text:
	free(assembled);
	free(p);
	return status;
}

void ocl_programs_destroy(eh_program *p)
{
	if (p == NULL)
		return;
	while (p->kernels != NULL) {
		eh_kernel *next = p->kernels->next;
		ocl_kernels_free(p->kernels);
		p->kernels = next;
	}
	(void)p->device->api->clReleaseProgram(p->program);
	free(p->binary);
	free(p);
}

/* A platform that does not give the binary has none; this is no failure. */
static void fetch_binary(eh_program *p)
{
	const ocl_api *api = p->device->api;
	size_t size = 0;
	unsigned char *binary = NULL;
	cl_int rc;
	if (p->binary != NULL)
		return;
	rc = api->clGetProgramInfo(p->program, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL);
	if (rc == CL_SUCCESS && size == 0)
		return;
	if (rc == CL_SUCCESS) {
		binary = calloc(1, size);
		rc = binary == NULL ? CL_OUT_OF_HOST_MEMORY : api->clGetProgramInfo(p->program,
		    CL_PROGRAM_BINARIES, sizeof(binary), &binary, NULL);
	}
	if (rc == CL_SUCCESS) {
		p->binary = binary;
		p->binary_size = size;
		return;
	}
	wording_say(p->device->self->host, EH_LOG_INFO, "%s does not hand out what it compiled: "
	    "clGetProgramInfo returned %s (%d).", p->device->listing->selector, ocl_error_name(rc), rc);
	free(binary);
}

void ocl_programs_compiler_version(const eh_device *device, char *text, size_t size,
                                   wording_gaps *gaps)
{
	char *driver = ocl_platforms_device_text(device->api, device->listing->id, CL_DRIVER_VERSION,
	    "version", gaps);
	snprintf(text, size, "%.40s (%.80s)", driver != NULL ? driver : "",
	    device->listing->platform->version_text);
	free(driver);
}

eh_status ocl_programs_info(eh_program *p, eh_program_info *out, eh_error *error)
{
	const ocl_listing *d = p->device->listing;
	const char *target;
	eh_program_info info;
	wording_gaps gaps = { "" };
	char *version;
	(void)error;
	memset(&info, 0, sizeof(info));
	fetch_binary(p);
	snprintf(info.compiler, sizeof(info.compiler), "%s", d->platform->slug);
	ocl_programs_compiler_version(p->device, info.compiler_version, sizeof(info.compiler_version),
	    &gaps);
	snprintf(info.flags, sizeof(info.flags), "%s", OCL_PROGRAMS_FLAGS);
	/* PoCL's device version names the target of its compiler. */
	version = ocl_platforms_device_text(p->device->api, d->id, CL_DEVICE_VERSION, "target", &gaps);
	target = version != NULL ? strstr(version, "HSTR: ") : NULL;
	snprintf(info.target, sizeof(info.target), "%.63s", target != NULL ? target + 6 : d->name);
	free(version);
	if (p->binary != NULL && strcmp(d->platform->slug, "nvidia") == 0) {
		snprintf(info.ir_kind, sizeof(info.ir_kind), "ptx");
		info.ir = p->binary;
		info.ir_size = p->binary_size;
	} else if (p->binary != NULL) {
		snprintf(info.binary_kind, sizeof(info.binary_kind), "%.31s", d->platform->slug);
		info.binary = p->binary;
		info.binary_size = p->binary_size;
	}
	wording_say_gaps(p->device->self->host, d->selector, &gaps);
	eh_give(out, &info, sizeof(info));
	return EH_OK;
}

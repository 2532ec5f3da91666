/* SPDX-License-Identifier: Apache-2.0 */
/* Programs: SPIR-V, made a module by the driver's own compiler. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lz_state.h"
#include "shared/wording.h"

static void hand_out_log(const lz_api *api, ze_module_build_log_handle_t handle, char *log,
                         size_t log_size)
{
	size_t size = 0;
	char *text = NULL;
	ze_result_t rc;

	if (handle == NULL)
		return;
	rc = api->log_text(handle, &size, NULL);
	if (rc == ZE_RESULT_SUCCESS && size > 1) {
		text = calloc(1, size + 1);
		rc = text != NULL ? api->log_text(handle, &size, text)
		                  : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
	}
	if (rc != ZE_RESULT_SUCCESS)
		wording_no_log("zeModuleBuildLogGetString", lz_error_name(rc), (int64_t)rc, log, log_size);
	else if (text != NULL)
		wording_log(text, log, log_size);
	free(text);
	(void)api->log_destroy(handle);
}

static eh_status load(eh_program *p, const char *name, char *log, size_t log_size, eh_error *error)
{
	eh_device *d = p->device;
	const ze_module_desc_t desc = {
		.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
		.format = ZE_MODULE_FORMAT_IL_SPIRV,
		.inputSize = p->spirv.size,
		.pInputModule = p->spirv.bytes,
	};
	ze_module_build_log_handle_t handle = NULL;
	const ze_result_t rc = d->api->module_create(d->context, d->place.device, &desc, &p->module,
	                                             &handle);

	hand_out_log(d->api, handle, log, log_size);
	if (rc == ZE_RESULT_SUCCESS)
		return EH_OK;
	p->module = NULL;
	return lz_devices_failed(d, error, rc, "zeModuleCreate",
	                         "The kernels of %.60s do not become a module on %s", name,
	                         d->info.name);
}

/* The driver's native code; not every driver hands it out. */
static void fetch_native(eh_program *p, const char *name)
{
	const lz_api *api = p->device->api;
	size_t size = 0;
	ze_result_t rc = api->module_native(p->module, &size, NULL);

	if (rc == ZE_RESULT_SUCCESS && size == 0)
		return;
	if (rc == ZE_RESULT_SUCCESS) {
		p->native = malloc(size);
		rc = p->native != NULL ? api->module_native(p->module, &size, p->native)
		                       : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
	}
	if (rc == ZE_RESULT_SUCCESS) {
		p->native_size = size;
		return;
	}
	wording_say(p->device->self->host, EH_LOG_INFO, "The driver does not hand out what it made of "
	            "%.60s: zeModuleGetNativeBinary returned %s (0x%x).", name, lz_error_name(rc),
	            (unsigned)rc);
	free(p->native);
	p->native = NULL;
}

eh_status lz_programs_build(eh_device *d, const eh_source *source, eh_program **out, char *log,
                            size_t log_size, eh_error *error)
{
	eh_program *p;
	eh_status status = lz_devices_enter(d, "program_build", error);

	wording_log(NULL, log, log_size);
	if (status != EH_OK)
		return status;
	p = calloc(1, sizeof(*p));
	if (p == NULL)
		return failure_set(error, EH_E_NO_MEMORY, "program_build",
		                   "No memory is left to build %.60s.", source->name);
	p->device = d;
	status = lz_compile(&d->self->compilers, source, d->properties.deviceId, &p->spirv, log,
	                    log_size, error);
	if (status == EH_OK)
		status = load(p, source->name, log, log_size, error);
	if (status != EH_OK) {
		lz_programs_destroy(p);
		return status;
	}
	fetch_native(p, source->name);
	*out = p;
	return EH_OK;
}

void lz_programs_destroy(eh_program *p)
{
	if (p == NULL)
		return;
	while (p->kernels != NULL) {
		eh_kernel *next = p->kernels->next;

		lz_kernels_free(p->kernels);
		p->kernels = next;
	}
	if (p->module != NULL)
		(void)p->device->api->module_destroy(p->module);
	free(p->spirv.bytes);
	free(p->native);
	free(p);
}

eh_status lz_programs_info(eh_program *p, eh_program_info *out, eh_error *error)
{
	const lz_maker *m = &p->spirv.maker;
	eh_program_info info;

	(void)error;
	memset(&info, 0, sizeof(info));
	info.from_cache = p->spirv.from_cache;
	snprintf(info.compiler, sizeof(info.compiler), "%s", m->compiler);
	/* The translator has its LLVM's version, so it is written once. */
	snprintf(info.compiler_version, sizeof(info.compiler_version), "%s", m->version);
	snprintf(info.flags, sizeof(info.flags), "%s", m->flags);
	snprintf(info.target, sizeof(info.target), "SPIR-V 1.0, %.46s", p->device->info.name);
	snprintf(info.ir_kind, sizeof(info.ir_kind), "spirv");
	info.ir = p->spirv.bytes;
	info.ir_size = p->spirv.size;
	if (p->native != NULL) {
		snprintf(info.binary_kind, sizeof(info.binary_kind), "native");
		info.binary = p->native;
		info.binary_size = p->native_size;
	}
	eh_give(out, &info, sizeof(info));
	return EH_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Programs: hiprtc's output, loaded as a module. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hip_state.h"
#include "shared/wording.h"

eh_status hip_programs_build(eh_device *d, const eh_source *source, eh_program **out, char *log,
                             size_t log_size, eh_error *error)
{
	eh_program *p;
	hipError_t rc;
	eh_status status = stream_devices_enter(d, "program_build", error);

	wording_log(NULL, log, log_size);
	if (status != EH_OK)
		return status;
	p = calloc(1, sizeof(*p));
	if (p == NULL)
		return failure_set(error, EH_E_NO_MEMORY, "program_build",
		                   "No memory is left to build %s.", source->name);
	p->device = d;
	status = hip_compile(d, source, p, log, log_size, error);
	if (status != EH_OK)
		goto undo;
	rc = d->api->module_load(&p->module, p->code);
	if (rc != hipSuccess) {
		p->module = NULL;
		status = stream_devices_failed(d, error, rc, "hipModuleLoadData",
		                               "The kernels of %.60s do not load on %s", source->name,
		                               d->info.name);
		goto undo;
	}
	*out = p;
	return EH_OK;
undo:
	hip_programs_destroy(p);
	return status;
}

void hip_programs_destroy(eh_program *p)
{
	if (p == NULL)
		return;
	stream_kernels_free(p);
	stream_devices_enter_quietly(p->device);
	if (p->module != NULL)
		(void)p->device->api->module_unload(p->module);
	free(p->code);
	free(p);
}

eh_status hip_programs_info(eh_program *p, eh_program_info *out, eh_error *error)
{
	eh_program_info info;

	(void)error;
	memset(&info, 0, sizeof(info));
	info.from_cache = p->from_cache;
	snprintf(info.compiler, sizeof(info.compiler), "hiprtc");
	hip_compile_version(p->device->self, info.compiler_version, sizeof(info.compiler_version));
	snprintf(info.flags, sizeof(info.flags), "%s", p->flags);
	snprintf(info.target, sizeof(info.target), "%.63s", p->device->architecture);
	snprintf(info.binary_kind, sizeof(info.binary_kind), "hsaco");
	info.binary = p->code;
	info.binary_size = p->code_size;
	eh_give(out, &info, sizeof(info));
	return EH_OK;
}

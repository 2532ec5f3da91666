/* SPDX-License-Identifier: Apache-2.0 */
/* Programs: NVRTC's output, loaded as a module. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_state.h"
#include "shared/wording.h"

enum { DRIVER_LOG = 4096 };

/* Loads the PTX, which the driver's compiler translates; its messages go to the log.  *status is
 * EH_E_UNSUPPORTED, with the error, where they tell that nothing but the text can help. */
static CUresult load_ptx(eh_program *p, const char *name, char *log, size_t log_size,
                         eh_status *status, eh_error *error)
{
	char *said = calloc(1, DRIVER_LOG);
	CUjit_option options[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
	void *values[] = { said, (void *)(uintptr_t)DRIVER_LOG };
	const CUresult rc = p->device->api->module_load(&p->module, p->ptx, said != NULL ? 2 : 0,
	    options, values);

	if (rc != CUDA_SUCCESS && said != NULL) {
		said[DRIVER_LOG - 1] = '\0';
		wording_log(said, log, log_size);
		if (cuda_compile_static(said, name, error))
			*status = EH_E_UNSUPPORTED;
	}
	free(said);
	return rc;
}

static eh_status load(eh_program *p, const char *name, char *log, size_t log_size, eh_error *error)
{
	eh_device *d = p->device;
	CUresult rc = CUDA_ERROR_NO_BINARY_FOR_GPU;
	eh_status status = EH_OK;

	if (p->cubin != NULL)
		rc = d->api->module_load(&p->module, p->cubin, 0, NULL, NULL);
	/* A driver older than NVRTC may refuse its cubin and still take older PTX.  Only a test
	 * device refuses its own architecture. */
	if (rc == CUDA_ERROR_NO_BINARY_FOR_GPU || rc == CUDA_ERROR_INVALID_IMAGE) {
		if (p->cubin != NULL)
			wording_say(d->self->host, EH_LOG_INFO, "The driver refuses NVRTC's cubin for "
			            "sm_%d (%s); it compiles the PTX itself.", d->compute,
			            stream_error_name(d->api, rc));
		p->loaded_ptx = true;
		rc = load_ptx(p, name, log, log_size, &status, error);
	}
	if (rc == CUDA_SUCCESS) {
		if (p->loaded_ptx && p->cubin != NULL)
			snprintf(p->target, sizeof(p->target), "sm_%d from PTX by the driver", d->compute);
		return EH_OK;
	}
	p->module = NULL;
	if (status != EH_OK)
		return status;
	return stream_devices_failed(d, error, rc, "cuModuleLoadDataEx",
	                             "The kernels of %.60s do not load on %s", name, d->info.name);
}

eh_status cuda_programs_build(eh_device *d, const eh_source *source, eh_program **out, char *log,
                              size_t log_size, eh_error *error)
{
	eh_program *p;
	eh_status status = stream_devices_enter(d, "program_build", error);

	wording_log(NULL, log, log_size);
	if (status != EH_OK)
		return status;
	p = calloc(1, sizeof(*p));
	if (p == NULL)
		return failure_set(error, EH_E_NO_MEMORY, "program_build",
		                   "No memory is left to build %s.", source->name);
	p->device = d;
	status = cuda_compile(d, source, p, log, log_size, error);
	if (status == EH_OK)
		status = load(p, source->name, log, log_size, error);
	if (status != EH_OK) {
		cuda_programs_destroy(p);
		return status;
	}
	*out = p;
	return EH_OK;
}

void cuda_programs_destroy(eh_program *p)
{
	if (p == NULL)
		return;
	stream_kernels_free(p);
	stream_devices_enter_quietly(p->device);
	if (p->module != NULL)
		(void)p->device->api->module_unload(p->module);
	free(p->ptx);
	free(p->cubin);
	free(p);
}

eh_status cuda_programs_info(eh_program *p, eh_program_info *out, eh_error *error)
{
	eh_program_info info;

	(void)error;
	memset(&info, 0, sizeof(info));
	info.from_cache = p->from_cache;
	snprintf(info.compiler, sizeof(info.compiler), "NVRTC");
	cuda_nvrtc_version(p->device->nvrtc, info.compiler_version, sizeof(info.compiler_version));
	snprintf(info.flags, sizeof(info.flags), "%s", p->flags);
	snprintf(info.target, sizeof(info.target), "%s", p->target);
	snprintf(info.ir_kind, sizeof(info.ir_kind), "ptx");
	info.ir = p->ptx;
	info.ir_size = p->ptx_size;
	/* The driver does not hand out the code that it made of PTX. */
	if (p->cubin != NULL && !p->loaded_ptx) {
		snprintf(info.binary_kind, sizeof(info.binary_kind), "cubin");
		info.binary = p->cubin;
		info.binary_size = p->cubin_size;
	}
	eh_give(out, &info, sizeof(info));
	return EH_OK;
}

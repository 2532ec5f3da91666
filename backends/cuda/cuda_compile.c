/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NVRTC compiles a kernel text to a cubin for the device's own architecture, and to PTX.  When
 * NVRTC does not know the architecture, it compiles PTX for the newest older one, and the driver
 * compiles that.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_state.h"
#include "shared/binarycache.h"
#include "shared/wording.h"

static eh_status failed(const nvrtc_api *n, eh_error *error, eh_status code, nvrtcResult rc,
                        const char *where, const char *text)
{
	const char *name = n->error_text(rc);

	return failure_native(error, code, where, (int64_t)rc, name != NULL ? name : "?", NULL, "%s",
	                      text);
}

/* Writes the option and the name of the result; *has_cubin tells whether the option gives a
 * cubin. */
static eh_status choose(const eh_device *d, char option[64], char target[64], bool *has_cubin,
                        eh_error *error)
{
	const nvrtc_api *n = d->nvrtc;
	const char *code = d->self->host->option(d->self->host->ctx, "code");
	const int best = cuda_nvrtc_architecture(n, d->compute);
	const bool can = n->cubin_size != NULL && n->cubin != NULL;

	if (code != NULL && strcmp(code, "cubin") != 0 && strcmp(code, "ptx") != 0)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "program_build",
		                   "cuda.code is %.40s, and it can be cubin or ptx.", code);
	*has_cubin = can && best == d->compute && (code == NULL || strcmp(code, "cubin") == 0);
	snprintf(option, 64, "--gpu-architecture=%s_%d", *has_cubin ? "sm" : "compute", best);
	if (*has_cubin)
		snprintf(target, 64, "sm_%d", best);
	else
		snprintf(target, 64, "sm_%d from PTX compute_%d by the driver", d->compute, best);
	return EH_OK;
}

bool cuda_compile_static(const char *said, const char *name, eh_error *error)
{
	if (strstr(said, "uses too much shared data") == NULL)
		return false;
	(void)failure_set(error, EH_E_UNSUPPORTED, "program_build",
	                  "A kernel of %.60s has more static local memory than CUDA's 48 KiB; arrays of "
	                  "EH_LOCAL_AT may take all that the device has.", name);
	return true;
}

/* The log, malloc'd, or NULL. */
static char *hand_out_log(const nvrtc_api *n, nvrtcProgram program, char *log, size_t log_size)
{
	size_t size = 0;
	char *text = NULL;
	const char *where = "nvrtcGetProgramLogSize";
	nvrtcResult rc = n->log_size(program, &size);

	if (rc == NVRTC_SUCCESS && size <= 1)
		return NULL;
	if (rc == NVRTC_SUCCESS) {
		where = "nvrtcGetProgramLog";
		text = calloc(1, size + 1);
		rc = text != NULL ? n->log(program, text) : NVRTC_ERROR_OUT_OF_MEMORY;
	}
	if (rc == NVRTC_SUCCESS)
		wording_log(text, log, log_size);
	else
		wording_no_log(where, n->error_text(rc), (int64_t)rc, log, log_size);
	return text;
}

/* Fetches one of the products, malloc'd with a NUL behind it. */
static nvrtcResult fetch(nvrtcProgram program, nvrtcResult (*measure)(nvrtcProgram, size_t *),
                         nvrtcResult (*copy)(nvrtcProgram, char *), void **out, size_t *size)
{
	nvrtcResult rc = measure(program, size);
	char *bytes;

	if (rc != NVRTC_SUCCESS || *size == 0)
		return rc != NVRTC_SUCCESS ? rc : NVRTC_ERROR_INTERNAL_ERROR;
	bytes = calloc(1, *size + 1);
	if (bytes == NULL)
		return NVRTC_ERROR_OUT_OF_MEMORY;
	rc = copy(program, bytes);
	if (rc != NVRTC_SUCCESS) {
		free(bytes);
		return rc;
	}
	*out = bytes;
	return NVRTC_SUCCESS;
}

static eh_status compile(const eh_device *d, const eh_source *source, const char *text,
                         const char *option, bool has_cubin, eh_program *p, char *log,
                         size_t log_size, eh_error *error)
{
	const nvrtc_api *n = d->nvrtc;
	const char *const options[] = { option, CUDA_COMPILE_FLAGS };
	nvrtcProgram program = NULL;
	void *ptx = NULL, *cubin = NULL;
	size_t ptx_size = 0, cubin_size = 0;
	eh_status status;
	nvrtcResult rc;
	char name[80], *said = NULL;

	snprintf(name, sizeof(name), "%.70s.cu", source->name);
	rc = n->create(&program, text, name, 0, NULL, NULL);
	if (rc != NVRTC_SUCCESS)
		return failed(n, error, rc == NVRTC_ERROR_OUT_OF_MEMORY ? EH_E_NO_MEMORY : EH_E_INTERNAL,
		              rc, "nvrtcCreateProgram", "NVRTC takes no text");
	rc = n->compile(program, 2, options);
	said = hand_out_log(n, program, log, log_size);
	if (rc == NVRTC_ERROR_COMPILATION && said != NULL &&
	    cuda_compile_static(said, source->name, error)) {
		status = EH_E_UNSUPPORTED;
		goto done;
	}
	if (rc != NVRTC_SUCCESS) {
		const bool text_is_wrong = rc == NVRTC_ERROR_COMPILATION;

		status = failed(n, error, text_is_wrong ? EH_E_BUILD :
		                rc == NVRTC_ERROR_OUT_OF_MEMORY ? EH_E_NO_MEMORY : EH_E_INCOMPATIBLE, rc,
		                "nvrtcCompileProgram", text_is_wrong ?
		                "The kernels do not compile; the build log says why" :
		                "NVRTC cannot compile; is its libnvrtc-builtins beside it");
		goto done;
	}
	rc = fetch(program, n->ptx_size, n->ptx, &ptx, &ptx_size);
	if (rc == NVRTC_SUCCESS && has_cubin)
		rc = fetch(program, n->cubin_size, n->cubin, &cubin, &cubin_size);
	if (rc != NVRTC_SUCCESS || ptx == NULL) {
		status = failed(n, error, EH_E_INTERNAL, rc, ptx == NULL ? "nvrtcGetPTX" :
		                "nvrtcGetCUBIN", "NVRTC does not hand out what it compiled");
		free(ptx);
		goto done;
	}
	p->ptx = ptx;
	p->ptx_size = strlen(p->ptx);
	p->cubin = cubin;
	p->cubin_size = cubin_size;
	status = EH_OK;
done:
	free(said);
	(void)n->destroy(&program);
	return status;
}

/* An entry of the cache: the size of the PTX in 8 bytes, the PTX, the cubin. */
static bool unpack(eh_program *p, const unsigned char *entry, size_t size, bool has_cubin)
{
	uint64_t ptx_size;

	if (size < sizeof(ptx_size))
		return false;
	memcpy(&ptx_size, entry, sizeof(ptx_size));
	entry += sizeof(ptx_size);
	size -= sizeof(ptx_size);
	if (ptx_size == 0 || ptx_size > size || (size > ptx_size) != has_cubin)
		return false;
	p->ptx = calloc(1, ptx_size + 1);
	p->cubin = has_cubin ? malloc(size - ptx_size) : NULL;
	if (p->ptx == NULL || (has_cubin && p->cubin == NULL)) {
		free(p->ptx);
		free(p->cubin);
		p->ptx = NULL;
		p->cubin = NULL;
		return false;
	}
	memcpy(p->ptx, entry, ptx_size);
	p->ptx_size = ptx_size;
	if (has_cubin)
		memcpy(p->cubin, entry + ptx_size, size - ptx_size);
	p->cubin_size = size - ptx_size;
	return true;
}

static void keep(binarycache *cache, const char *key, const eh_program *p)
{
	const uint64_t ptx_size = p->ptx_size;
	const size_t size = sizeof(ptx_size) + p->ptx_size + p->cubin_size;
	char path[PATH_MAX];
	unsigned char *entry = p->ptx != NULL ? malloc(size) : NULL;

	if (entry == NULL)
		return;
	memcpy(entry, &ptx_size, sizeof(ptx_size));
	memcpy(entry + sizeof(ptx_size), p->ptx, p->ptx_size);
	if (p->cubin != NULL)
		memcpy(entry + sizeof(ptx_size) + p->ptx_size, p->cubin, p->cubin_size);
	(void)binarycache_store(cache, key, entry, size, path);
	free(entry);
}

/* False when the files of NVRTC cannot be read: nobody knows then whose code an entry is. */
static bool find_key(cuda_self *self, const eh_device *d, const char *flags, const char *name,
                     const char *text, char key[65])
{
	const char *identity = cuda_nvrtc_identity(&self->nvrtcs, d->nvrtc);

	binarycache_key(self->host, (const char *const[]){ "evenhand cuda kernel 2", identity, flags,
	    name, text }, 5, key);
	return identity[0] != '\0';
}

eh_status cuda_compile(eh_device *d, const eh_source *source, eh_program *p, char *log,
                       size_t log_size, eh_error *error)
{
	cuda_self *self = d->self;
	const eh_host *host = self->host;
	binarycache cache = { .host = host, .folder = host->option(host->ctx, "cache-dir"),
	                      .suffix = ".cuda" };
	char option[64], key[65], path[PATH_MAX], *text;
	void *entry = NULL;
	size_t entry_size = 0;
	bool has_cubin = false;
	eh_status status;

	wording_log(NULL, log, log_size);
	if (d->nvrtc == NULL)
		return failure_set(error, d->nvrtc_error.code, "program_build", "%s",
		                   d->nvrtc_error.message);
	status = choose(d, option, p->target, &has_cubin, error);
	if (status != EH_OK)
		return status;
	snprintf(p->flags, sizeof(p->flags), "%s %s", option, CUDA_COMPILE_FLAGS);
	text = wording_source(source);
	if (text == NULL)
		return failure_set(error, EH_E_NO_MEMORY, "program_build",
		                   "No memory is left to build %s.", source->name);
	if (!find_key(self, d, p->flags, source->name, text, key))
		cache.folder = NULL;
	if (binarycache_load(&cache, key, &entry, &entry_size, path))
		p->from_cache = unpack(p, entry, entry_size, has_cubin);
	free(entry);
	if (!p->from_cache) {
		status = compile(d, source, text, option, has_cubin, p, log, log_size, error);
		if (status == EH_OK)
			keep(&cache, key, p);
	}
	free(text);
	return status;
}

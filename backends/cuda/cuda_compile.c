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

enum { MOST_ARCHITECTURES = 128 };

static eh_status failed(const nvrtc_api *n, eh_error *error, eh_status code, nvrtcResult rc,
                        const char *where, const char *text)
{
	const char *name = n->error_text(rc);

	return failure_native(error, code, where, (int64_t)rc, name != NULL ? name : "?", NULL, "%s",
	                      text);
}

void cuda_compile_version(const cuda_self *self, char *text, size_t size)
{
	text[0] = '\0';
	if (self->nvrtc.library.handle != NULL)
		snprintf(text, size, "%d.%d", self->nvrtc.major, self->nvrtc.minor);
}

/* Writes the option and the name of the result; *has_cubin tells whether the option gives a
 * cubin. */
static eh_status choose(const eh_device *d, char option[64], char target[64], bool *has_cubin,
                        eh_error *error)
{
	const nvrtc_api *n = &d->self->nvrtc;
	const char *code = d->self->host->option(d->self->host->ctx, "code");
	int list[MOST_ARCHITECTURES], count = 0, best = 0, oldest = 0;
	const bool can = n->cubin_size != NULL && n->cubin != NULL;

	if (code != NULL && strcmp(code, "cubin") != 0 && strcmp(code, "ptx") != 0)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "program_build",
		                   "cuda.code is %.40s, and it can be cubin or ptx.", code);
	if (n->arch_count == NULL || n->archs == NULL || n->arch_count(&count) != NVRTC_SUCCESS ||
	    count <= 0 || count > MOST_ARCHITECTURES || n->archs(list) != NVRTC_SUCCESS) {
		list[0] = d->compute;
		count = 1;
	}
	for (int i = 0; i < count; i++) {
		if (list[i] <= d->compute && list[i] > best)
			best = list[i];
		if (oldest == 0 || list[i] < oldest)
			oldest = list[i];
	}
	if (best == 0)
		return failure_set(error, EH_E_UNSUPPORTED, "program_build",
		                   "%s has compute capability %d.%d, and NVRTC %d.%d compiles for %d.%d "
		                   "and later: install an older NVRTC and name it in --set "
		                   "cuda.nvrtc=PATH.", d->info.name, d->compute / 10, d->compute % 10,
		                   n->major, n->minor, oldest / 10, oldest % 10);
	*has_cubin = can && best == d->compute && (code == NULL || strcmp(code, "cubin") == 0);
	snprintf(option, 64, "--gpu-architecture=%s_%d", *has_cubin ? "sm" : "compute", best);
	if (*has_cubin)
		snprintf(target, 64, "sm_%d", best);
	else
		snprintf(target, 64, "sm_%d from PTX compute_%d by the driver", d->compute, best);
	return EH_OK;
}

static void hand_out_log(const nvrtc_api *n, nvrtcProgram program, char *log, size_t log_size)
{
	size_t size = 0;
	char *text = NULL;
	const char *where = "nvrtcGetProgramLogSize";
	nvrtcResult rc = n->log_size(program, &size);

	if (rc == NVRTC_SUCCESS && size <= 1)
		return;
	if (rc == NVRTC_SUCCESS) {
		where = "nvrtcGetProgramLog";
		text = calloc(1, size + 1);
		rc = text != NULL ? n->log(program, text) : NVRTC_ERROR_OUT_OF_MEMORY;
	}
	if (rc == NVRTC_SUCCESS)
		wording_log(text, log, log_size);
	else
		wording_no_log(where, n->error_text(rc), (int64_t)rc, log, log_size);
	free(text);
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
	const nvrtc_api *n = &d->self->nvrtc;
	const char *const options[] = { option, CUDA_COMPILE_FLAGS };
	nvrtcProgram program = NULL;
	void *ptx = NULL, *cubin = NULL;
	size_t ptx_size = 0, cubin_size = 0;
	eh_status status;
	nvrtcResult rc;
	char name[80];

	snprintf(name, sizeof(name), "%.70s.cu", source->name);
	rc = n->create(&program, text, name, 0, NULL, NULL);
	if (rc != NVRTC_SUCCESS)
		return failed(n, error, rc == NVRTC_ERROR_OUT_OF_MEMORY ? EH_E_NO_MEMORY : EH_E_INTERNAL,
		              rc, "nvrtcCreateProgram", "NVRTC takes no text");
	rc = n->compile(program, 2, options);
	hand_out_log(n, program, log, log_size);
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

eh_status cuda_compile(eh_device *d, const eh_source *source, eh_program *p, char *log,
                       size_t log_size, eh_error *error)
{
	const cuda_self *self = d->self;
	const eh_host *host = self->host;
	binarycache cache = { .host = host, .folder = host->option(host->ctx, "cache-dir"),
	                      .suffix = ".cuda" };
	char option[64], version[32], key[65], path[PATH_MAX], *text;
	void *entry = NULL;
	size_t entry_size = 0;
	bool has_cubin = false;
	eh_status status;

	wording_log(NULL, log, log_size);
	if (self->nvrtc.library.handle == NULL)
		return failure_set(error, EH_E_UNAVAILABLE, "program_build", "%s",
		                   self->nvrtc_error.message);
	status = choose(d, option, p->target, &has_cubin, error);
	if (status != EH_OK)
		return status;
	snprintf(p->flags, sizeof(p->flags), "%s %s", option, CUDA_COMPILE_FLAGS);
	text = wording_source(source);
	if (text == NULL)
		return failure_set(error, EH_E_NO_MEMORY, "program_build",
		                   "No memory is left to build %s.", source->name);
	cuda_compile_version(self, version, sizeof(version));
	binarycache_key(host, (const char *const[]){ "evenhand cuda kernel 1", version,
	    self->nvrtc.library.path, p->flags, source->name, text }, 6, key);
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

/* SPDX-License-Identifier: Apache-2.0 */
/* Start and stop: the driver, the settings, what is to be said of both and of NVRTC. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cuda_state.h"
#include "evenhand/extensions.h"
#include "shared/lastcache.h"
#include "shared/vendorcache.h"
#include "shared/wording.h"

static const struct {
	const char *word;
	unsigned flag;
} schedules[] = {
	{ "auto", CU_CTX_SCHED_AUTO },
	{ "spin", CU_CTX_SCHED_SPIN },
	{ "yield", CU_CTX_SCHED_YIELD },
	{ "block", CU_CTX_SCHED_BLOCKING_SYNC },
};

static eh_status read_schedule(cuda_self *self, eh_error *error)
{
	const char *wanted = self->host->option(self->host->ctx, "schedule");

	for (size_t i = 0; i < sizeof(schedules) / sizeof(schedules[0]); i++)
		if (wanted == NULL || strcmp(wanted, schedules[i].word) == 0) {
			self->schedule = schedules[i].flag;
			self->schedule_word = schedules[i].word;
			return EH_OK;
		}
	return failure_set(error, EH_E_INVALID_ARGUMENT, "start",
	                   "cuda.schedule is %.40s, and it can be auto, spin, yield or block.", wanted);
}

/* For the driver's own compiler, which only PTX needs. */
static const vendorcache jit_cache = { "nvidia", "CUDA_CACHE_PATH", "CUDA_CACHE_DISABLE", "1" };

/* What is to be said of the NVRTC for a device that was described. */
static void note_nvrtc(cuda_self *self, uint32_t device)
{
	eh_error error = { .struct_size = sizeof(error) };
	const nvrtc_api *n = NULL;

	if (self->computes[device] == 0)
		return;
	if (cuda_nvrtc_for(&self->nvrtcs, self->computes[device], &n, &error) != EH_OK)
		wording_note(self->notes, sizeof(self->notes),
		             "Only what needs no kernel can run. %s", error.message);
	else if (self->api.version == 0)
		wording_note(self->notes, sizeof(self->notes),
		             "The driver does not tell its version (cuDriverGetVersion returned %s, %d), "
		             "so the newest NVRTC was taken, %d.%d (%.300s): update the driver.",
		             stream_error_name(&self->api, self->api.version_rc),
		             (int)self->api.version_rc, n->major, n->minor, n->library.path);
	else if (n->major > self->api.version / 1000)
		wording_note(self->notes, sizeof(self->notes),
		             "NVRTC %d.%d (%.300s) is newer than the driver, which speaks CUDA %d.%d and "
		             "may not load what it makes: update the driver, or install an older NVRTC.",
		             n->major, n->minor, n->library.path, self->api.version / 1000,
		             self->api.version % 1000 / 10);
	/* Otherwise the error says so. */
	if ((n != NULL || error.code == EH_E_UNSUPPORTED) && self->nvrtcs.why[0] != '\0')
		wording_note(self->notes, sizeof(self->notes),
		             "An NVRTC is left out: %s.  To use it all the same, name the file in --set "
		             "cuda.nvrtc=PATH.", self->nvrtcs.why);
}

eh_status cuda_start(const eh_host *host, void **out, eh_error *error)
{
	cuda_self *self = calloc(1, sizeof(*self));
	bool present = false;
	eh_status status;
	int count = 0;

	if (self == NULL)
		return failure_set(error, EH_E_NO_MEMORY, "start", "No memory is left to start.");
	self->host = host;
	self->root = lastcache_root(host);
	status = read_schedule(self, error);
	if (status != EH_OK)
		goto undo;
	/* Before the library is opened, because it reads the environment when it initialises. */
	self->jit_cache = vendorcache_lead(host, &jit_cache);
	status = cuda_api_open(&self->api, host->option(host->ctx, "library"), &present, error);
	if (status != EH_OK)
		goto undo;
	if (present) {
		const CUresult rc = self->api.device_count(&count);

		if (rc != CUDA_SUCCESS) {
			status = stream_error_as(&self->api, error, EH_E_UNAVAILABLE, rc, "cuDeviceGetCount",
			                         "The NVIDIA driver does not list its devices");
			goto undo;
		}
	}
	self->device_count = count > 0 ? (uint32_t)count : 0;
	self->computes = calloc(self->device_count + 1, sizeof(*self->computes));
	if (self->computes == NULL) {
		status = failure_set(error, EH_E_NO_MEMORY, "start", "No memory is left to start.");
		goto undo;
	}
	cuda_nvrtc_begin(&self->nvrtcs, host, self->api.version);
	(void)pthread_mutex_init(&self->cublaslt_lock, NULL);
	/* Of the first product; a misspelt one is found now. */
	(void)host->option(host->ctx, "gemm");
	(void)host->option(host->ctx, "cublaslt");
	if (self->device_count == 0) {
		const char *visible = getenv("CUDA_VISIBLE_DEVICES");

		wording_note(self->notes, sizeof(self->notes),
		             "The NVIDIA driver %.300s sees no device%s%.200s: nvidia-smi shows what is there.",
		             self->api.library.path,
		             visible != NULL ? " with CUDA_VISIBLE_DEVICES=" : "",
		             visible != NULL ? visible : "");
	}
	*out = self;
	return EH_OK;
undo:
	free(self);
	return status;
}

void cuda_start_stop(void *opaque)
{
	cuda_self *self = opaque;

	cuda_nvrtc_end(&self->nvrtcs);
	(void)pthread_mutex_destroy(&self->cublaslt_lock);
	free(self->cublaslt);
	free(self->computes);
	free(self);
}

void cuda_start_notes(void *opaque, char *text, size_t size)
{
	cuda_self *self = opaque;

	for (uint32_t i = 0; i < self->device_count; i++)
		note_nvrtc(self, i);
	if (size > 0)
		snprintf(text, size, "%s", self->notes);
}

const void *cuda_start_extension(void *opaque, const char *name)
{
	const cuda_self *self = opaque;

	if (strcmp(name, EH_GRAPH_NAME) == 0)
		return stream_graphs_table(&self->api);
	if (strcmp(name, EH_PEER_NAME) == 0)
		return stream_peers_table(&self->api);
	if (strcmp(name, EH_GEMM_NAME) == 0)
		return &cuda_gemm_table;
	return NULL;
}

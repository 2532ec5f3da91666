/* SPDX-License-Identifier: Apache-2.0 */
/* Start and stop: the runtime, hiprtc, the settings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evenhand/extensions.h"
#include "hip_state.h"
#include "shared/lastcache.h"
#include "shared/vendorcache.h"
#include "shared/wording.h"

enum { ABORTING_MAJOR = 5 }; /* hiprtc up to ROCm 5 aborts where it should report an error */

static const struct {
	const char *word;
	unsigned flag;
} schedules[] = {
	{ "auto", hipDeviceScheduleAuto },
	{ "spin", hipDeviceScheduleSpin },
	{ "yield", hipDeviceScheduleYield },
	{ "block", hipDeviceScheduleBlockingSync },
};

/* Off in any case, because evenhand's own cache has the same code objects. */
static const vendorcache comgr_cache = { NULL, "AMD_COMGR_CACHE_DIR", "AMD_COMGR_CACHE", "0" };

static const char *option(const hip_self *self, const char *key)
{
	return self->host->option(self->host->ctx, key);
}

static eh_status read_settings(hip_self *self, eh_error *error)
{
	const char *wanted = option(self, "schedule");
	const char *compile = option(self, "compile");

	if (compile != NULL && strcmp(compile, "here") != 0 && strcmp(compile, "apart") != 0)
		return failure_set(error, EH_E_INVALID_ARGUMENT, "start",
		                   "hip.compile is %.40s, and it can be here or apart.", compile);
	for (size_t i = 0; i < sizeof(schedules) / sizeof(schedules[0]); i++)
		if (wanted == NULL || strcmp(wanted, schedules[i].word) == 0) {
			self->schedule = schedules[i].flag;
			self->schedule_word = schedules[i].word;
			return EH_OK;
		}
	return failure_set(error, EH_E_INVALID_ARGUMENT, "start",
	                   "hip.schedule is %.40s, and it can be auto, spin, yield or block.", wanted);
}

static void find_hiprtc(hip_self *self)
{
	const char *compile = option(self, "compile");
	eh_error error = { .struct_size = sizeof(error) };

	if (hip_api_open_hiprtc(&self->hiprtc, self->host, &self->api, option(self, "hiprtc"),
	                        &error) != EH_OK) {
		self->hiprtc.library.handle = NULL;
		self->hiprtc_error = error;
		wording_note(self->notes, sizeof(self->notes),
		             "Only what needs no kernel can run. %s", error.message);
	}
	self->compile_apart = compile != NULL ? strcmp(compile, "apart") == 0
	                                      : self->api.major <= ABORTING_MAJOR;
}

static void note_no_device(hip_self *self)
{
	static const char *const names[] = { "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES" };
	char set[300] = "";

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *value = getenv(names[i]);
		const size_t used = strlen(set);

		if (value != NULL)
			snprintf(set + used, sizeof(set) - used, " with %s=%.80s", names[i], value);
	}
	wording_note(self->notes, sizeof(self->notes),
	             "AMD's HIP runtime %s sees no device%s: rocminfo shows what is there, and the "
	             "kernel driver amdgpu makes /dev/kfd.", self->api.library.path, set);
}

eh_status hip_start(const eh_host *host, void **out, eh_error *error)
{
	hip_self *self = calloc(1, sizeof(*self));
	bool present = false;
	eh_status status;
	int count = 0;

	if (self == NULL)
		return failure_set(error, EH_E_NO_MEMORY, "start", "No memory is left to start.");
	(void)pthread_mutex_init(&self->libraries.lock, NULL);
	self->host = host;
	self->root = lastcache_root(host);
	self->compiler_cache = vendorcache_lead(host, &comgr_cache);
	status = read_settings(self, error);
	if (status == EH_OK)
		status = hip_api_open(&self->api, host, option(self, "library"), &present, error);
	if (status != EH_OK)
		goto undo;
	if (present) {
		const hipError_t rc = self->api.device_count(&count);

		if (rc != hipSuccess && rc != hipErrorNoDevice) {
			status = stream_error_as(&self->api, error, EH_E_UNAVAILABLE, rc, "hipGetDeviceCount",
			                         "The HIP runtime does not list its devices");
			goto undo;
		}
	}
	self->device_count = count > 0 ? (uint32_t)count : 0;
	/* Of the first product; a misspelt one is found now. */
	(void)option(self, "gemm");
	(void)option(self, "hipblaslt");
	(void)option(self, "rocblas");
	if (self->device_count == 0)
		note_no_device(self);
	else
		find_hiprtc(self);
	*out = self;
	return EH_OK;
undo:
	hip_start_stop(self);
	return status;
}

void hip_start_stop(void *opaque)
{
	hip_self *self = opaque;

	if (self == NULL)
		return;
	(void)pthread_mutex_destroy(&self->libraries.lock);
	free(self);
}

void hip_start_notes(void *opaque, char *text, size_t size)
{
	const hip_self *self = opaque;

	if (size > 0)
		snprintf(text, size, "%s", self->notes);
}

const void *hip_start_extension(void *opaque, const char *name)
{
	const hip_self *self = opaque;

	if (strcmp(name, EH_GRAPH_NAME) == 0)
		return stream_graphs_table(&self->api);
	if (strcmp(name, EH_PEER_NAME) == 0)
		return stream_peers_table(&self->api);
	if (strcmp(name, EH_GEMM_NAME) == 0)
		return &hip_gemm_table;
	return NULL;
}

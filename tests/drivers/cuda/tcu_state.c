/* SPDX-License-Identifier: Apache-2.0 */
#include "tcu_state.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct handle {
	tcu_kind kind;
	const void *address;
} handle;

static struct {
	pthread_mutex_t lock;
	bool initialised;
	int count, compute;
	tcu_device devices[DEVMEM_DEVICES];
	handle *handles;
	size_t handle_count, handle_room;
} state = { .lock = PTHREAD_MUTEX_INITIALIZER };

static _Thread_local tcu_device *current;

int tcu_lock(void)
{
	return pthread_mutex_lock(&state.lock);
}

void tcu_unlock(const int *held)
{
	if (*held == 0)
		(void)pthread_mutex_unlock(&state.lock);
}

static int setting(const char *name, int otherwise, int least, int most)
{
	const char *text = getenv(name);
	char *end = NULL;
	long value;

	if (text == NULL || text[0] == '\0')
		return otherwise;
	value = strtol(text, &end, 10);
	if (*end != '\0' || value < least || value > most) {
		fprintf(stderr, "test driver: %s is %d to %d.\n", name, least, most);
		exit(70);
	}
	return (int)value;
}

/* Begins what was enqueued although nobody waits, every so often. */
static void *make_progress(void *ms)
{
	const long each = (long)(intptr_t)ms;
	const struct timespec pause = { each / 1000, each % 1000 * 1000000 };

	for (;;) {
		(void)nanosleep(&pause, NULL);
		(void)pthread_mutex_lock(&state.lock);
		for (int i = 0; i < state.count; i++)
			if (state.devices[i].streams != NULL)
				streams_device_progress(state.devices[i].streams);
		(void)pthread_mutex_unlock(&state.lock);
	}
	return NULL;
}

static void start_progress(void)
{
	const int ms = setting("EVENHAND_TEST_PROGRESS", 0, 0, 60000);
	pthread_t thread;

	if (ms > 0 && pthread_create(&thread, NULL, make_progress, (void *)(intptr_t)ms) == 0)
		(void)pthread_detach(thread);
}

void tcu_initialise(void)
{
	if (state.initialised)
		return;
	state.count = setting("EVENHAND_TEST_CUDA_DEVICES", 2, 0, DEVMEM_DEVICES);
	state.compute = setting("EVENHAND_TEST_CUDA_COMPUTE", 90, 50, 999);
	for (int i = 0; i < DEVMEM_DEVICES; i++)
		state.devices[i].index = i;
	state.initialised = devmem_start();
	start_progress();
}

bool tcu_initialised(void)
{
	return state.initialised;
}

int tcu_device_count(void)
{
	return state.count;
}

int tcu_compute(void)
{
	return state.compute;
}

tcu_device *tcu_of_index(int index)
{
	return index >= 0 && index < state.count ? &state.devices[index] : NULL;
}

tcu_device *tcu_of_context(CUcontext context)
{
	for (int i = 0; i < state.count; i++)
		if ((void *)context == (void *)&state.devices[i] && state.devices[i].retained > 0)
			return &state.devices[i];
	return NULL;
}

tcu_device *tcu_current(void)
{
	return current;
}

CUresult tcu_ready(tcu_device **device)
{
	if (current == NULL || current->streams == NULL)
		return CUDA_ERROR_INVALID_CONTEXT;
	*device = current;
	return (CUresult)streams_device_fate(current->streams);
}

streams_stream *tcu_stream_of(tcu_device *device, CUstream stream)
{
	if ((uintptr_t)stream <= 2)
		return streams_device_legacy(device->streams);
	return tcu_known(TCU_STREAM, stream) ? (streams_stream *)stream : NULL;
}

void tcu_note(tcu_kind kind, const void *address)
{
	if (state.handle_count == state.handle_room) {
		state.handle_room = state.handle_room == 0 ? 64 : state.handle_room * 2;
		state.handles = realloc(state.handles, state.handle_room * sizeof(handle));
		if (state.handles == NULL)
			abort();
	}
	state.handles[state.handle_count++] = (handle){ kind, address };
}

static size_t place_of(tcu_kind kind, const void *address)
{
	size_t i = 0;

	while (i < state.handle_count &&
	       (state.handles[i].address != address || state.handles[i].kind != kind))
		i++;
	return i;
}

bool tcu_known(tcu_kind kind, const void *address)
{
	return place_of(kind, address) < state.handle_count;
}

void tcu_forget(tcu_kind kind, const void *address)
{
	const size_t i = place_of(kind, address);

	if (i < state.handle_count)
		state.handles[i] = state.handles[--state.handle_count];
}

bool tcu_word(const char *word, int64_t *code)
{
	static const struct {
		const char *word;
		CUresult code;
	} words[] = {
		{ "oom", CUDA_ERROR_OUT_OF_MEMORY },     { "lost", CUDA_ERROR_LAUNCH_FAILED },
		{ "invalid", CUDA_ERROR_INVALID_VALUE }, { "notready", CUDA_ERROR_NOT_READY },
		{ "unknown", CUDA_ERROR_UNKNOWN },       { "unsupported", CUDA_ERROR_NOT_SUPPORTED },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(words[i].word, word) == 0) {
			*code = words[i].code;
			return true;
		}
	return false;
}

/* What a program left: "streams 1, events 0, ..." and how many things in all. */
__attribute__((visibility("default"))) size_t evenhand_test_live(char *text, size_t size);
size_t evenhand_test_live(char *text, size_t size)
{
	size_t counts[TCU_KINDS] = { 0 }, contexts = 0;

	for (size_t i = 0; i < state.handle_count; i++)
		counts[state.handles[i].kind]++;
	for (int i = 0; i < state.count; i++)
		contexts += state.devices[i].retained;
	snprintf(text, size, "streams %zu, events %zu, modules %zu, graphs %zu, executable graphs %zu, "
	         "memory %zu, contexts %zu", counts[TCU_STREAM], counts[TCU_EVENT], counts[TCU_MODULE],
	         counts[TCU_GRAPH], counts[TCU_GRAPH_EXEC], devmem_count(), contexts);
	return state.handle_count + devmem_count() + contexts;
}

__attribute__((visibility("default"))) char *evenhand_test_ptx_forms(void);
char *evenhand_test_ptx_forms(void)
{
	return ptx_forms();
}

/* ---- contexts ---- */

TCU_API cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice index)
{
	tcu_device *device;
	TCU_ENTER("cuDevicePrimaryCtxRetain");

	device = tcu_of_index(index);
	if (device == NULL)
		return CUDA_ERROR_INVALID_DEVICE;
	if (device->retained++ == 0) {
		device->streams = streams_device_new(CUDA_ERROR_LAUNCH_FAILED);
		device->peers = 0;
	}
	*context = (CUcontext)(void *)device;
	return CUDA_SUCCESS;
}

TCU_API cuDevicePrimaryCtxRelease_v2(CUdevice index)
{
	tcu_device *device;
	TCU_ENTER("cuDevicePrimaryCtxRelease_v2");

	device = tcu_of_index(index);
	if (device == NULL || device->retained == 0)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (--device->retained == 0) {
		for (size_t i = state.handle_count; i-- > 0;)
			if (state.handles[i].kind == TCU_STREAM &&
			    streams_device_of(state.handles[i].address) == device->streams)
				state.handles[i] = state.handles[--state.handle_count];
		streams_device_free(device->streams);
		device->streams = NULL;
	}
	return CUDA_SUCCESS;
}

TCU_API cuDevicePrimaryCtxSetFlags_v2(CUdevice index, unsigned flags)
{
	TCU_ENTER("cuDevicePrimaryCtxSetFlags_v2");

	(void)flags;
	return tcu_of_index(index) == NULL ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
}

TCU_API cuCtxSetCurrent(CUcontext context)
{
	TCU_ENTER("cuCtxSetCurrent");

	if (context != NULL && tcu_of_context(context) == NULL)
		return CUDA_ERROR_INVALID_CONTEXT;
	current = context == NULL ? NULL : tcu_of_context(context);
	return CUDA_SUCCESS;
}

TCU_API cuCtxGetCurrent(CUcontext *context)
{
	TCU_ENTER("cuCtxGetCurrent");

	*context = (CUcontext)(void *)current;
	return CUDA_SUCCESS;
}

TCU_API cuCtxGetDevice(CUdevice *index)
{
	TCU_ENTER_CONTEXT("cuCtxGetDevice");

	*index = device->index;
	return CUDA_SUCCESS;
}

TCU_API cuCtxSynchronize(void)
{
	TCU_ENTER_CONTEXT("cuCtxSynchronize");

	return (CUresult)streams_device_wait(device->streams);
}

TCU_API cuDeviceCanAccessPeer(int *can, CUdevice index, CUdevice other)
{
	TCU_ENTER("cuDeviceCanAccessPeer");

	if (tcu_of_index(index) == NULL || tcu_of_index(other) == NULL)
		return CUDA_ERROR_INVALID_DEVICE;
	*can = index != other;
	return CUDA_SUCCESS;
}

TCU_API cuCtxEnablePeerAccess(CUcontext context, unsigned flags)
{
	tcu_device *other;
	TCU_ENTER_CONTEXT("cuCtxEnablePeerAccess");

	other = tcu_of_context(context);
	if (flags != 0)
		return CUDA_ERROR_INVALID_VALUE;
	if (other == NULL || other == device)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (device->peers >> other->index & 1)
		return CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
	device->peers |= UINT64_C(1) << other->index;
	return CUDA_SUCCESS;
}

TCU_API cuCtxDisablePeerAccess(CUcontext context)
{
	tcu_device *other;
	TCU_ENTER_CONTEXT("cuCtxDisablePeerAccess");

	other = tcu_of_context(context);
	if (other == NULL || !(device->peers >> other->index & 1))
		return CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
	device->peers &= ~(UINT64_C(1) << other->index);
	return CUDA_SUCCESS;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "thip_state.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct handle {
	thip_kind kind;
	const void *address;
} handle;

static struct {
	pthread_mutex_t lock;
	bool initialised;
	int count;
	thip_device devices[DEVMEM_DEVICES];
	handle *handles;
	size_t handle_count, handle_room;
} state = { .lock = PTHREAD_MUTEX_INITIALIZER };

static _Thread_local int current;

int thip_lock(void)
{
	return pthread_mutex_lock(&state.lock);
}

void thip_unlock(const int *held)
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

void thip_initialise(void)
{
	if (state.initialised)
		return;
	if (!devmem_start())
		abort();
	state.count = setting("EVENHAND_TEST_HIP_DEVICES", 2, 0, DEVMEM_DEVICES);
	for (int i = 0; i < state.count; i++) {
		state.devices[i].index = i;
		state.devices[i].streams = streams_device_new(hipErrorLaunchFailure);
	}
	state.initialised = true;
	start_progress();
}

int thip_device_count(void)
{
	return state.count;
}

const char *thip_architecture(void)
{
	const char *set = getenv("EVENHAND_TEST_HIP_ARCH");

	return set != NULL && set[0] != '\0' ? set : "gfx90a:sramecc+:xnack-";
}

int thip_major(void)
{
	Dl_info about;
	const char *at = dladdr(&state, &about) != 0 ? strstr(about.dli_fname, ".so.") : NULL;

	return at != NULL ? (int)strtol(at + 4, NULL, 10) : 0;
}

thip_device *thip_of_index(int index)
{
	return index >= 0 && index < state.count ? &state.devices[index] : NULL;
}

thip_device *thip_current(void)
{
	return thip_of_index(current);
}

streams_stream *thip_stream_of(thip_device *device, hipStream_t stream)
{
	if (stream == NULL)
		return streams_device_legacy(device->streams);
	return thip_known(THIP_STREAM, stream) ? (streams_stream *)stream : NULL;
}

void thip_note(thip_kind kind, const void *address)
{
	if (state.handle_count == state.handle_room) {
		state.handle_room = state.handle_room == 0 ? 64 : state.handle_room * 2;
		state.handles = realloc(state.handles, state.handle_room * sizeof(handle));
		if (state.handles == NULL)
			abort();
	}
	state.handles[state.handle_count++] = (handle){ kind, address };
}

static size_t place_of(thip_kind kind, const void *address)
{
	size_t i = 0;

	while (i < state.handle_count &&
	       (state.handles[i].address != address || state.handles[i].kind != kind))
		i++;
	return i;
}

bool thip_known(thip_kind kind, const void *address)
{
	return place_of(kind, address) < state.handle_count;
}

void thip_forget(thip_kind kind, const void *address)
{
	const size_t i = place_of(kind, address);

	if (i < state.handle_count)
		state.handles[i] = state.handles[--state.handle_count];
}

bool thip_word(const char *word, int64_t *code)
{
	static const struct {
		const char *word;
		hipError_t code;
	} words[] = {
		{ "oom", hipErrorOutOfMemory },     { "lost", hipErrorLaunchFailure },
		{ "invalid", hipErrorInvalidValue }, { "notready", hipErrorNotReady },
		{ "unknown", hipErrorUnknown },     { "unsupported", hipErrorNotSupported },
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
	size_t counts[THIP_KINDS] = { 0 };

	for (size_t i = 0; i < state.handle_count; i++)
		counts[state.handles[i].kind]++;
	snprintf(text, size, "streams %zu, events %zu, modules %zu, graphs %zu, executable graphs %zu, "
	         "memory %zu", counts[THIP_STREAM], counts[THIP_EVENT], counts[THIP_MODULE],
	         counts[THIP_GRAPH], counts[THIP_GRAPH_EXEC], devmem_count());
	return state.handle_count + devmem_count();
}

THIP_API hipSetDevice(int index)
{
	THIP_ENTER("hipSetDevice");

	if (thip_of_index(index) == NULL)
		return hipErrorInvalidDevice;
	current = index;
	return hipSuccess;
}

THIP_API hipSetDeviceFlags(unsigned flags)
{
	THIP_ENTER_DEVICE("hipSetDeviceFlags");

	(void)device;
	return (flags & ~(unsigned)hipDeviceScheduleMask) != 0 ? hipErrorInvalidValue : hipSuccess;
}

THIP_API hipDeviceSynchronize(void)
{
	THIP_ENTER_DEVICE("hipDeviceSynchronize");

	return (hipError_t)streams_device_wait(device->streams);
}

THIP_API hipDeviceCanAccessPeer(int *can, int index, int other)
{
	THIP_ENTER("hipDeviceCanAccessPeer");

	if (thip_of_index(index) == NULL || thip_of_index(other) == NULL)
		return hipErrorInvalidDevice;
	*can = index != other;
	return hipSuccess;
}

THIP_API hipDeviceEnablePeerAccess(int other, unsigned flags)
{
	THIP_ENTER_DEVICE("hipDeviceEnablePeerAccess");

	if (flags != 0)
		return hipErrorInvalidValue;
	if (thip_of_index(other) == NULL || other == device->index)
		return hipErrorInvalidDevice;
	if (device->peers >> other & 1)
		return hipErrorPeerAccessAlreadyEnabled;
	device->peers |= UINT64_C(1) << other;
	return hipSuccess;
}

THIP_API hipDeviceDisablePeerAccess(int other)
{
	THIP_ENTER_DEVICE("hipDeviceDisablePeerAccess");

	if (thip_of_index(other) == NULL || !(device->peers >> other & 1))
		return hipErrorPeerAccessNotEnabled;
	device->peers &= ~(UINT64_C(1) << other);
	return hipSuccess;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "thip_state.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
	bool initialised;
	int count;
	thip_device devices[DEVMEM_DEVICES];
} state;

static _Thread_local int current;

static void make_progress(void)
{
	for (int i = 0; i < state.count; i++)
		streams_device_progress(state.devices[i].streams);
}

void thip_initialise(void)
{
	if (state.initialised)
		return;
	if (!devmem_start())
		abort();
	state.count = driver_setting("EVENHAND_TEST_HIP_DEVICES", 2, 0, DEVMEM_DEVICES);
	for (int i = 0; i < state.count; i++) {
		state.devices[i].index = i;
		state.devices[i].streams = streams_device_new(hipErrorLaunchFailure);
	}
	state.initialised = true;
	driver_progress(make_progress);
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
	return driver_known(DRIVER_STREAM, stream) ? (streams_stream *)stream : NULL;
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
	const size_t alive = driver_live(text, size), used = strlen(text);

	snprintf(text + used, size - used, ", objects of libraries %zu", thip_library_live());
	return alive + thip_library_live();
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

/* Whether devices reach each other's memory. */
static bool have_peers(void)
{
	return driver_setting("EVENHAND_TEST_HIP_PEER", 1, 0, 1) != 0;
}

THIP_API hipDeviceCanAccessPeer(int *can, int index, int other)
{
	THIP_ENTER("hipDeviceCanAccessPeer");

	if (thip_of_index(index) == NULL || thip_of_index(other) == NULL)
		return hipErrorInvalidDevice;
	*can = index != other && have_peers();
	return hipSuccess;
}

/* Facts that no other answer of the driver gives. */
THIP_API hipDeviceGetP2PAttribute(int *value, hipDeviceP2PAttr attribute, int index, int other)
{
	THIP_ENTER("hipDeviceGetP2PAttribute");

	if (thip_of_index(index) == NULL || thip_of_index(other) == NULL || index == other)
		return hipErrorInvalidDevice;
	*value = attribute == hipDevP2PAttrPerformanceRank ? 7 : have_peers();
	return hipSuccess;
}

THIP_API hipDeviceEnablePeerAccess(int other, unsigned flags)
{
	THIP_ENTER_DEVICE("hipDeviceEnablePeerAccess");

	if (flags != 0)
		return hipErrorInvalidValue;
	if (thip_of_index(other) == NULL || other == device->index)
		return hipErrorInvalidDevice;
	if (!have_peers())
		return hipErrorPeerAccessUnsupported;
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

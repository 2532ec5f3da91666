/* SPDX-License-Identifier: Apache-2.0 */
#include "tcu_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
	bool initialised;
	int count;
	tcu_device devices[DEVMEM_DEVICES];
} state;

static _Thread_local tcu_device *current;

static void make_progress(void)
{
	for (int i = 0; i < state.count; i++)
		if (state.devices[i].streams != NULL)
			streams_device_progress(state.devices[i].streams);
}

void tcu_initialise(void)
{
	if (state.initialised)
		return;
	state.count = driver_setting("EVENHAND_TEST_CUDA_DEVICES", 2, 0, DEVMEM_DEVICES);
	for (int i = 0; i < DEVMEM_DEVICES; i++) {
		state.devices[i].index = i;
		state.devices[i].compute = driver_setting("EVENHAND_TEST_CUDA_COMPUTE", 90, 50, 999);
	}
	state.devices[1].compute = driver_setting("EVENHAND_TEST_CUDA_COMPUTE_1",
	                                          state.devices[1].compute, 50, 999);
	state.initialised = devmem_start();
	driver_progress(make_progress);
}

uint32_t tcu_shared_most(void)
{
	return (uint32_t)driver_setting("EVENHAND_TEST_CUDA_SHARED", 227, 48, 1024) << 10;
}

bool tcu_initialised(void)
{
	return state.initialised;
}

int tcu_device_count(void)
{
	return state.count;
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
	return driver_known(DRIVER_STREAM, stream) ? (streams_stream *)stream : NULL;
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
	size_t contexts = 0, used, alive = driver_live(text, size);

	for (int i = 0; i < state.count; i++)
		contexts += state.devices[i].retained;
	used = strlen(text);
	snprintf(text + used, size - used, ", contexts %zu, objects of libraries %zu", contexts,
	         tcu_library_live());
	return alive + contexts + tcu_library_live();
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

static bool belongs(const void *stream, const void *device)
{
	return streams_device_of(stream) == device;
}

TCU_API cuDevicePrimaryCtxRelease_v2(CUdevice index)
{
	tcu_device *device;
	TCU_ENTER("cuDevicePrimaryCtxRelease_v2");

	device = tcu_of_index(index);
	if (device == NULL || device->retained == 0)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (--device->retained == 0) {
		driver_forget_all(DRIVER_STREAM, belongs, device->streams);
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

/* Whether devices reach each other's memory. */
static bool have_peers(void)
{
	return driver_setting("EVENHAND_TEST_CUDA_PEER", 1, 0, 1) != 0;
}

TCU_API cuDeviceCanAccessPeer(int *can, CUdevice index, CUdevice other)
{
	TCU_ENTER("cuDeviceCanAccessPeer");

	if (tcu_of_index(index) == NULL || tcu_of_index(other) == NULL)
		return CUDA_ERROR_INVALID_DEVICE;
	*can = index != other && have_peers();
	return CUDA_SUCCESS;
}

/* Facts that no other answer of the driver gives. */
TCU_API cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attribute, CUdevice index, CUdevice other)
{
	TCU_ENTER("cuDeviceGetP2PAttribute");

	if (tcu_of_index(index) == NULL || tcu_of_index(other) == NULL || index == other)
		return CUDA_ERROR_INVALID_DEVICE;
	*value = attribute == CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK ? 7 : have_peers();
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
	if (!have_peers())
		return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
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

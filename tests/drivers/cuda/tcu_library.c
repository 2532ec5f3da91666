/* SPDX-License-Identifier: Apache-2.0 */
#include "../shared/library.h"

#include "tcu_state.h"

static int objects;

size_t tcu_library_live(void)
{
	return (size_t)objects;
}

int evenhand_test_device(int *generation)
{
	__attribute__((cleanup(driver_unlock), unused)) const int held = driver_lock();
	tcu_device *device = NULL;

	if (!tcu_initialised() || tcu_ready(&device) != CUDA_SUCCESS)
		return -1;
	*generation = device->compute;
	return device->index;
}

bool evenhand_test_stream(void *handle)
{
	__attribute__((cleanup(driver_unlock), unused)) const int held = driver_lock();
	tcu_device *device = NULL;
	streams_stream *stream = NULL;

	if (tcu_initialised() && tcu_ready(&device) == CUDA_SUCCESS)
		stream = tcu_stream_of(device, handle);
	return stream != NULL && streams_belongs(stream, device->streams);
}

int64_t evenhand_test_enqueue(void *handle, streams_work work)
{
	__attribute__((cleanup(driver_unlock), unused)) const int held = driver_lock();
	tcu_device *device = NULL;
	int64_t rc = CUDA_ERROR_NOT_INITIALIZED;
	streams_stream *stream;

	if (tcu_initialised())
		rc = tcu_ready(&device);
	if (rc == CUDA_SUCCESS) {
		stream = tcu_stream_of(device, handle);
		if (stream != NULL && streams_belongs(stream, device->streams))
			return streams_enqueue(stream, work);
		rc = CUDA_ERROR_INVALID_HANDLE;
	}
	work.drop(work.data);
	return rc;
}

char *evenhand_test_view(uint64_t address, uint64_t bytes)
{
	return devmem_view(address, bytes);
}

void evenhand_test_objects(int more)
{
	__attribute__((cleanup(driver_unlock), unused)) const int held = driver_lock();

	objects += more;
}

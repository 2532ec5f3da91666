/* SPDX-License-Identifier: Apache-2.0 */
#include "../shared/library.h"

#include <stdlib.h>
#include <string.h>

#include "thip_state.h"

static int objects;

size_t thip_library_live(void)
{
	return (size_t)objects;
}

int evenhand_test_device(int *generation)
{
	__attribute__((cleanup(driver_unlock), unused)) const int held = driver_lock();
	thip_device *device;

	thip_initialise();
	device = thip_current();
	if (device == NULL || streams_device_fate(device->streams) != 0)
		return -1;
	*generation = (int)strtol(thip_architecture() + strlen("gfx"), NULL, 16);
	return device->index;
}

bool evenhand_test_stream(void *handle)
{
	__attribute__((cleanup(driver_unlock), unused)) const int held = driver_lock();
	thip_device *device;
	streams_stream *stream;

	thip_initialise();
	device = thip_current();
	stream = device != NULL ? thip_stream_of(device, handle) : NULL;
	return stream != NULL && streams_belongs(stream, device->streams);
}

int64_t evenhand_test_enqueue(void *handle, streams_work work)
{
	__attribute__((cleanup(driver_unlock), unused)) const int held = driver_lock();
	thip_device *device;
	streams_stream *stream;
	int64_t rc = hipErrorNoDevice;

	thip_initialise();
	device = thip_current();
	if (device != NULL)
		rc = streams_device_fate(device->streams);
	if (device != NULL && rc == 0) {
		stream = thip_stream_of(device, handle);
		if (stream != NULL && streams_belongs(stream, device->streams))
			return streams_enqueue(stream, work);
		rc = hipErrorInvalidHandle;
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

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The test runtime's own state: a library named libamdhip64.so.N whose devices are called "TEST ..."
 * and are this machine's processor.  Every function of the API that it has begins with
 * THIP_ENTER, which counts the call, makes a planned one fail, and holds the one lock.
 *
 *   EVENHAND_TEST_HIP_DEVICES    how many devices, 0 .. 8; 2 when not set
 *   EVENHAND_TEST_HIP_ARCH       what gcnArchName says; gfx90a:sramecc+:xnack- when not set
 *   EVENHAND_TEST_PROGRESS       milliseconds: every so often what was enqueued runs although nobody
 *                                waits; never when not set
 */
#ifndef THIP_STATE_H
#define THIP_STATE_H

#define __HIP_PLATFORM_AMD__ 1
#include <hip/hip_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

#include "../shared/devmem.h"
#include "../shared/driver.h"
#include "../shared/faults.h"
#include "../shared/streams.h"
#include "emu_block.h"

#define THIP_API __attribute__((visibility("default"))) hipError_t

typedef struct thip_module thip_module;

typedef struct thip_function {
	thip_module *module;
	const struct emu_kernel *kernel;
} thip_function;

struct thip_module {
	unsigned holds;
	void *object; /* of dlopen                                                            */
	int file;
	const struct emu_kernels *inside;
	thip_function *functions;
};

typedef struct thip_device {
	int index;
	streams_device *streams;
	uint64_t peers;          /* devices whose memory it may reach, a bit each               */
	uint64_t launches;
} thip_device;

thip_device *thip_of_index(int index);
int thip_device_count(void);
const char *thip_architecture(void);
/* Of the name under which the library lies: 5 of libamdhip64.so.5. */
int thip_major(void);

/* The calling thread's. */
thip_device *thip_current(void);

/* The stream behind the handle (NULL is the legacy stream), or NULL. */
streams_stream *thip_stream_of(thip_device *device, hipStream_t handle);

void thip_initialise(void);

/* Words for codes in EVENHAND_TEST_FAULT. */
bool thip_word(const char *word, int64_t *code);

#define THIP_ENTER(name)                                                                      \
	int64_t planned_;                                                                     \
	if (faults_call(name, thip_word, &planned_))                                          \
		return (hipError_t)planned_;                                                  \
	__attribute__((cleanup(driver_unlock), unused)) const int held_ = driver_lock();          \
	thip_initialise()

/* Also asks that the current device lives: `device`. */
#define THIP_ENTER_DEVICE(name)                                                               \
	THIP_ENTER(name);                                                                     \
	thip_device *const device = thip_current();                                           \
	if (device == NULL)                                                                   \
		return hipErrorNoDevice;                                                      \
	if (streams_device_fate(device->streams) != 0)                                        \
		return (hipError_t)streams_device_fate(device->streams)

/* One launch, queued. */
hipError_t thip_launch(thip_device *device, thip_function *function, const unsigned grid[3],
                       const unsigned block[3], unsigned dynamic, streams_stream *stream,
                       void **parameters);

void thip_module_release(thip_module *module);

/* Objects of test libraries that live (shared/library.h). */
size_t thip_library_live(void);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The test driver's own state: a library named libcuda.so.1 whose devices are called "TEST ..." and
 * are this machine's processor.  Every function of the driver API that it has begins with
 * TCU_ENTER, which counts the call, makes a planned one fail, and holds the one lock.
 *
 *   EVENHAND_TEST_CUDA_DEVICES   how many devices, 0 .. 8; 2 when not set
 *   EVENHAND_TEST_CUDA_COMPUTE   compute capability times ten, 90 when not set
 *   EVENHAND_TEST_CUDA_COMPUTE_1 that of the second device, when it is another
 *   EVENHAND_TEST_CUDA_SHARED    KiB of shared memory that a block gets by cuFuncSetAttribute, at least
 *                                48; 227 when not set
 *   EVENHAND_TEST_PROGRESS       milliseconds: every so often what was enqueued runs although nobody
 *                                waits; never when not set
 *   EVENHAND_TEST_CACHE          where compiled modules are kept; a folder of the user's in
 *                                /tmp when not set
 */
#ifndef TCU_STATE_H
#define TCU_STATE_H

#define __CUDA_API_VERSION_INTERNAL 1
#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>

#include "../shared/devmem.h"
#include "../shared/driver.h"
#include "../shared/faults.h"
#include "../shared/streams.h"
#include "ptx.h"

#define TCU_API __attribute__((visibility("default"))) CUresult CUDAAPI

/* Shared memory of a block: static, or without cuFuncSetAttribute. */
enum { TCU_SHARED = 48 << 10 };
/* With it. */
uint32_t tcu_shared_most(void);

typedef struct tcu_module tcu_module;

typedef struct tcu_function {
	tcu_module *module;
	const ptx_kernel *kernel;
	void (*run)(void *block);
	uint32_t dynamic_limit; /* of a launch: what static memory leaves, or cuFuncSetAttribute's */
} tcu_function;

struct tcu_module {
	int device;
	unsigned holds;
	void *object; /* of dlopen                                                            */
	ptx_module ptx;
	tcu_function *functions;
	uint64_t *variables; /* addresses                                                     */
};

typedef struct tcu_device {
	int index, compute;      /* compute capability times ten                               */
	unsigned retained;
	streams_device *streams; /* NULL = no context                                         */
	uint64_t peers;          /* devices whose memory it may reach, a bit each               */
	uint64_t launches;
} tcu_device;

/* One context per device, the primary: a CUcontext is its tcu_device. */
tcu_device *tcu_of_context(CUcontext context);
tcu_device *tcu_of_index(int index);
int tcu_device_count(void);

/* The calling thread's, or NULL. */
tcu_device *tcu_current(void);

/* CUDA_SUCCESS, or why nothing can be done now: no context, or a dead one. */
CUresult tcu_ready(tcu_device **device);

/* The stream behind the handle (0 and 1 are the legacy stream, 2 too), or NULL. */
streams_stream *tcu_stream_of(tcu_device *device, CUstream handle);

bool tcu_initialised(void);
void tcu_initialise(void);

/* Words for codes in EVENHAND_TEST_FAULT. */
bool tcu_word(const char *word, int64_t *code);

#define TCU_ENTER_ANY(name)                                                                   \
	int64_t planned_;                                                                     \
	if (faults_call(name, tcu_word, &planned_))                                           \
		return (CUresult)planned_;                                                    \
	__attribute__((cleanup(driver_unlock), unused)) const int held_ = driver_lock()

#define TCU_ENTER(name)                                                                       \
	TCU_ENTER_ANY(name);                                                                  \
	if (!tcu_initialised())                                                               \
		return CUDA_ERROR_NOT_INITIALIZED

/* Also asks for a current context that lives: `device` is its device. */
#define TCU_ENTER_CONTEXT(name)                                                               \
	TCU_ENTER(name);                                                                      \
	tcu_device *device = NULL;                                                            \
	const CUresult ready_ = tcu_ready(&device);                                           \
	if (ready_ != CUDA_SUCCESS)                                                           \
		return ready_

/* The C of a module as a loaded object, compiled at most once per text; NULL with a message. */
void *tcu_compile(const char *c, char *error, size_t size);

/* One launch, queued. */
CUresult tcu_launch(tcu_device *device, tcu_function *function, const unsigned grid[3],
                    const unsigned block[3], unsigned dynamic, streams_stream *stream,
                    void **parameters);

void tcu_module_release(tcu_module *module);

/* Objects of test libraries that live (shared/library.h). */
size_t tcu_library_live(void);

#endif

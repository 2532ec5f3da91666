/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much of the device's memory a case asks for.  Between begin and end the workload's table of the
 * backend is a copy that counts in buffer_alloc and buffer_free, so that nothing that is timed is
 * counted.  What a backend or a library takes by itself is not seen; the probes' channel of memory in
 * use shows that.
 */
#ifndef MEASURE_MEMORY_ASKED_H
#define MEASURE_MEMORY_ASKED_H

#include "evenhand/backend.h"

typedef struct memory_asked_buffer memory_asked_buffer;

/* Zeroed: counts nothing.  Must not move while it counts. */
typedef struct memory_asked {
	eh_backend_ops ops;          /* the backend's, two of them replaced                     */
	const eh_device *device;     /* whose memory counts                                     */
	memory_asked_buffer *list;   /* those that are there                                    */
	uint64_t now, most;          /* bytes of device and shared memory                       */
} memory_asked;

/* The table to lend while it counts; it is valid as long as *m and calls the backend of the latest begin: one
 * backend in a process, and one case at a time that counts, on one thread. */
const eh_backend_ops *memory_asked_begin(memory_asked *m, const eh_backend_ops *backend,
                                         const eh_device *device);
/* The most bytes that were there at once.  The lent table still works, and counts nothing. */
uint64_t memory_asked_end(memory_asked *m);

#endif

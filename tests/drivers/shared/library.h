/* SPDX-License-Identifier: Apache-2.0 */
/* What the test driver lends to test libraries above it: a real library has the driver's own API, and
 * kernels for real devices. */
#ifndef DRIVERS_LIBRARY_H
#define DRIVERS_LIBRARY_H

#include <stdbool.h>
#include <stdint.h>

#include "streams.h"

#define DRIVER_LENT __attribute__((visibility("default")))

/* The calling thread's device, -1 = it has none that lives, and its generation: the compute capability times ten,
 * or 0x942 of gfx942. */
DRIVER_LENT int evenhand_test_device(int *generation);

/* A command in a stream of that device; 0, or the driver's code.  Takes work.data over in any case. */
DRIVER_LENT int64_t evenhand_test_enqueue(void *stream, streams_work work);

/* It is a stream of that device, and lives; NULL is one. */
DRIVER_LENT bool evenhand_test_stream(void *stream);

/* In a command: the host's view of device memory, NULL when it is not all in one block. */
DRIVER_LENT char *evenhand_test_view(uint64_t address, uint64_t bytes);

/* So many objects of the library's more, or less, live. */
DRIVER_LENT void evenhand_test_objects(int more);

#endif

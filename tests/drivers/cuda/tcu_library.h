/* SPDX-License-Identifier: Apache-2.0 */
/* What the test driver lends to test libraries above it: a real library has the driver's own API, and
 * kernels for real devices. */
#ifndef TCU_LIBRARY_H
#define TCU_LIBRARY_H

#include <stdint.h>

#include "../shared/streams.h"

#define TCU_LENT __attribute__((visibility("default")))

/* The calling thread's device, -1 = it has none that lives, and its compute capability times ten. */
TCU_LENT int evenhand_test_device(int *compute);

/* A command in a stream of that device; 0, or the driver's code.  Takes work.data over in any case. */
TCU_LENT int64_t evenhand_test_enqueue(void *stream, streams_work work);

/* In a command: the host's view of device memory, NULL when it is not all in one block. */
TCU_LENT char *evenhand_test_view(uint64_t address, uint64_t bytes);

/* So many objects of the library's more, or less, live. */
TCU_LENT void evenhand_test_objects(int more);

#endif

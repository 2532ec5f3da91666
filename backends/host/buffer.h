/* SPDX-License-Identifier: Apache-2.0 */
/* Memory.  All kinds are plain memory of the process; large blocks are mapped, aligned to and
 * advised for huge pages, and touched first by the threads that will work on them. */
#ifndef HOST_BUFFER_H
#define HOST_BUFFER_H

#include "device.h"

struct eh_buffer {
	eh_device *device;
	unsigned char *data;
	uint64_t bytes;
	uint32_t kind;
	void *mapping;         /* NULL = from malloc                                           */
	size_t mapping_bytes;
};

eh_status buffer_alloc(eh_device *device, uint32_t kind, uint64_t bytes, eh_buffer **buffer,
                       eh_error *error);
void buffer_free(eh_buffer *buffer);
void *buffer_host_pointer(eh_buffer *buffer);
/* EH_OK when offset..offset+bytes lies in the buffer. */
eh_status buffer_check(const eh_buffer *buffer, uint64_t offset, uint64_t bytes,
                       eh_error *error);

#endif

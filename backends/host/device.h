/* SPDX-License-Identifier: Apache-2.0 */
/* A device: the CPU's threads with one compiler, or with the prebuilt kernels. */
#ifndef HOST_DEVICE_H
#define HOST_DEVICE_H

#include "compilers.h"
#include "pool.h"
#include "prebuilt.h"
#include "state.h"

enum { DEVICE_GROUP_ITEMS = 4096, DEVICE_LOCAL_BYTES = 1 << 20 };

struct eh_device {
	host_state *state;
	const compiler *compiler; /* NULL = prebuilt                                           */
	prebuilt prebuilt;        /* then                                                     */
	pool *pool;
};

eh_status device_count(void *self, uint32_t *count, eh_error *error);
eh_status device_info(void *self, uint32_t index, eh_device_info *info, eh_error *error);
eh_status device_open(void *self, uint32_t index, eh_device **device, eh_error *error);
void device_close(eh_device *device);
eh_status device_layer(eh_device *device, uint32_t index, eh_layer *layer, eh_error *error);

#endif

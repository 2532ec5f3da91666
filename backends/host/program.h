/* SPDX-License-Identifier: Apache-2.0 */
/* Programs and kernels: compiled here and now, taken from the cache, or built at installation. */
#ifndef HOST_PROGRAM_H
#define HOST_PROGRAM_H

#include "device.h"
#include "object.h"

struct eh_kernel {
	struct eh_kernel *next;
	object_entry entry;
	char *name;
};

struct eh_program {
	eh_device *device;
	object object;
	void *binary;
	size_t size;
	bool from_cache;
	char flags[512];
	struct eh_kernel *kernels;
};

eh_status program_build(eh_device *device, const eh_source *source, eh_program **program,
                        char *log, size_t log_size, eh_error *error);
void program_destroy(eh_program *program);
eh_status program_info(eh_program *program, eh_program_info *info, eh_error *error);
eh_status program_kernel(eh_program *program, const char *name, eh_kernel **kernel,
                         eh_error *error);
eh_status program_kernel_info(eh_kernel *kernel, eh_kernel_info *info, eh_error *error);

#endif

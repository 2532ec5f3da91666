/* SPDX-License-Identifier: Apache-2.0 */
/* The identity block and the table of the OpenCL backend. */
#include <string.h>

#include "ocl_state.h"

static const void *extension(void *self, const char *name)
{
	(void)self;
	if (strcmp(name, EH_GRAPH_NAME) == 0)
		return &ocl_graphs_table;
	if (strcmp(name, EH_PEER_NAME) == 0)
		return &ocl_peers_table;
	return strcmp(name, EH_GEMM_NAME) == 0 ? &ocl_gemm_table : NULL;
}

static const eh_backend_ops ops = {
	.struct_size = sizeof(eh_backend_ops),
	.start = ocl_platforms_start,
	.stop = ocl_platforms_stop,
	.notes = ocl_platforms_notes,
	.device_count = ocl_devices_count,
	.device_info = ocl_devices_info,
	.device_open = ocl_devices_open,
	.device_close = ocl_devices_close,
	.device_layer = ocl_layers_get,
	.buffer_alloc = ocl_memory_alloc,
	.buffer_free = ocl_memory_free,
	.buffer_host_pointer = ocl_memory_host_pointer,
	.queue_create = ocl_queue_create,
	.queue_destroy = ocl_queue_destroy,
	.queue_flush = ocl_queue_flush,
	.queue_wait = ocl_queue_wait,
	.fill = ocl_copies_fill,
	.copy = ocl_copies_copy,
	.upload = ocl_copies_upload,
	.download = ocl_copies_download,
	.program_build = ocl_programs_build,
	.program_destroy = ocl_programs_destroy,
	.program_info = ocl_programs_info,
	.kernel_get = ocl_kernels_get,
	.kernel_info = ocl_kernels_info,
	.launch = ocl_kernels_launch,
	.mark_create = ocl_marks_create,
	.mark_destroy = ocl_marks_destroy,
	.mark_record = ocl_marks_record,
	.mark_wait = ocl_marks_wait,
	.mark_passed = ocl_marks_passed,
	.mark_elapsed = ocl_marks_elapsed,
	.queue_wait_mark = ocl_queue_wait_mark,
	.extension = extension,
};

static const eh_backend backend = {
	.magic = EH_BACKEND_MAGIC,
	.struct_size = sizeof(eh_backend),
	.abi_major = EH_ABI_MAJOR,
	.abi_minor = EH_ABI_MINOR,
	.pointer_bytes = sizeof(void *),
	.name = "opencl",
	.title = "OpenCL through the ICD loader",
	.version = "1.0",
	.license = "Apache-2.0",
	.ops = &ops,
};

EH_EXPORT const eh_backend *eh_backend_entry_v1(void)
{
	return &backend;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The identity block and the table of the CUDA backend. */
#include "cuda_state.h"

static const eh_backend_ops ops = {
	.struct_size = sizeof(eh_backend_ops),
	.start = cuda_start,
	.stop = cuda_start_stop,
	.notes = cuda_start_notes,
	.device_count = cuda_devices_count,
	.device_info = cuda_devices_info,
	.device_open = cuda_devices_open,
	.device_close = cuda_devices_close,
	.device_layer = cuda_layers_get,
	.buffer_alloc = cuda_memory_alloc,
	.buffer_free = cuda_memory_free,
	.buffer_host_pointer = cuda_memory_host_pointer,
	.queue_create = cuda_queue_create,
	.queue_destroy = cuda_queue_destroy,
	.queue_wait = cuda_queue_wait,
	.fill = cuda_copies_fill,
	.copy = cuda_copies_copy,
	.upload = cuda_copies_upload,
	.download = cuda_copies_download,
	.program_build = cuda_programs_build,
	.program_destroy = cuda_programs_destroy,
	.program_info = cuda_programs_info,
	.kernel_get = cuda_kernels_get,
	.kernel_info = cuda_kernels_info,
	.launch = cuda_kernels_launch,
	.mark_create = cuda_marks_create,
	.mark_destroy = cuda_marks_destroy,
	.mark_record = cuda_marks_record,
	.mark_wait = cuda_marks_wait,
	.mark_elapsed = cuda_marks_elapsed,
	.mark_passed = cuda_marks_passed,
	.extension = cuda_start_extension,
};

static const eh_backend backend = {
	.magic = EH_BACKEND_MAGIC,
	.struct_size = sizeof(eh_backend),
	.abi_major = EH_ABI_MAJOR,
	.abi_minor = EH_ABI_MINOR,
	.pointer_bytes = sizeof(void *),
	.name = "cuda",
	.title = "CUDA through the driver API and NVRTC",
	.version = "1.0",
	.license = "Apache-2.0",
	.ops = &ops,
};

EH_EXPORT const eh_backend *eh_backend_entry_v1(void)
{
	return &backend;
}

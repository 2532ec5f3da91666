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
	.buffer_alloc = stream_memory_alloc,
	.buffer_free = stream_memory_free,
	.buffer_host_pointer = stream_memory_host_pointer,
	.queue_create = stream_queue_create,
	.queue_destroy = stream_queue_destroy,
	.queue_wait = stream_queue_wait,
	.fill = stream_copies_fill,
	.copy = stream_copies_copy,
	.upload = stream_copies_upload,
	.download = stream_copies_download,
	.program_build = cuda_programs_build,
	.program_destroy = cuda_programs_destroy,
	.program_info = cuda_programs_info,
	.kernel_get = stream_kernels_get,
	.kernel_info = stream_kernels_info,
	.launch = stream_kernels_launch,
	.mark_create = stream_marks_create,
	.mark_destroy = stream_marks_destroy,
	.mark_record = stream_marks_record,
	.mark_wait = stream_marks_wait,
	.mark_elapsed = stream_marks_elapsed,
	.mark_passed = stream_marks_passed,
	.queue_wait_mark = stream_queue_wait_mark,
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

/* SPDX-License-Identifier: Apache-2.0 */
/* The identity block and the table of the HIP backend. */
#include "hip_state.h"

static const eh_backend_ops ops = {
	.struct_size = sizeof(eh_backend_ops),
	.start = hip_start,
	.stop = hip_start_stop,
	.notes = hip_start_notes,
	.device_count = hip_devices_count,
	.device_info = hip_devices_info,
	.device_open = hip_devices_open,
	.device_close = hip_devices_close,
	.device_layer = hip_layers_get,
	.buffer_alloc = stream_memory_alloc,
	.buffer_free = stream_memory_free,
	.buffer_host_pointer = stream_memory_host_pointer,
	.queue_create = stream_queue_create,
	.queue_destroy = hip_streams_destroy,
	.queue_wait = stream_queue_wait,
	.fill = stream_copies_fill,
	.copy = stream_copies_copy,
	.upload = stream_copies_upload,
	.download = stream_copies_download,
	.program_build = hip_programs_build,
	.program_destroy = hip_programs_destroy,
	.program_info = hip_programs_info,
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
	.extension = hip_start_extension,
};

static const eh_backend backend = {
	.magic = EH_BACKEND_MAGIC,
	.struct_size = sizeof(eh_backend),
	.abi_major = EH_ABI_MAJOR,
	.abi_minor = EH_ABI_MINOR,
	.pointer_bytes = sizeof(void *),
	.name = "hip",
	.title = "HIP through libamdhip64 and hiprtc",
	.version = "1.0",
	.license = "Apache-2.0",
	.ops = &ops,
};

EH_EXPORT const eh_backend *eh_backend_entry_v1(void)
{
	return &backend;
}

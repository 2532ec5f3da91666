/* SPDX-License-Identifier: Apache-2.0 */
/* The identity block and the table of the Level Zero backend. */
#include "lz_state.h"

static const eh_backend_ops ops = {
	.struct_size = sizeof(eh_backend_ops),
	.start = lz_start,
	.stop = lz_start_stop,
	.notes = lz_start_notes,
	.device_count = lz_devices_count,
	.device_info = lz_devices_info,
	.device_open = lz_devices_open,
	.device_close = lz_devices_close,
	.device_layer = lz_layers_get,
	.buffer_alloc = lz_memory_alloc,
	.buffer_free = lz_memory_free,
	.buffer_host_pointer = lz_memory_host_pointer,
	.queue_create = lz_queue_create,
	.queue_destroy = lz_queue_destroy,
	.queue_flush = lz_queue_flush,
	.queue_wait = lz_queue_wait,
	.fill = lz_copies_fill,
	.copy = lz_copies_copy,
	.upload = lz_copies_upload,
	.download = lz_copies_download,
	.program_build = lz_programs_build,
	.program_destroy = lz_programs_destroy,
	.program_info = lz_programs_info,
	.kernel_get = lz_kernels_get,
	.kernel_info = lz_kernels_info,
	.launch = lz_kernels_launch,
	.mark_create = lz_marks_create,
	.mark_destroy = lz_marks_destroy,
	.mark_record = lz_marks_record,
	.mark_wait = lz_marks_wait,
	.mark_elapsed = lz_marks_elapsed,
	.mark_passed = lz_marks_passed,
	.queue_wait_mark = lz_queue_wait_mark,
	.extension = lz_start_extension,
};

static const eh_backend backend = {
	.magic = EH_BACKEND_MAGIC,
	.struct_size = sizeof(eh_backend),
	.abi_major = EH_ABI_MAJOR,
	.abi_minor = EH_ABI_MINOR,
	.pointer_bytes = sizeof(void *),
	.name = "levelzero",
	.title = "Level Zero through its loader, with SPIR-V",
	.version = "1.0",
	.license = "Apache-2.0",
	.ops = &ops,
};

EH_EXPORT const eh_backend *eh_backend_entry_v1(void)
{
	return &backend;
}

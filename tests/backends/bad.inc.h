/* SPDX-License-Identifier: Apache-2.0 */
/* A complete, well-formed identity block whose backend does nothing: what a bad plugin spoils in
 * one place.  A source includes this and says BAD_ENTRY(name, change). */
#include "evenhand/backend.h"

#include <stddef.h>

#define STUB(name, ...)                                                                      \
	static eh_status name(__VA_ARGS__)                                                   \
	{                                                                                    \
		return EH_E_INTERNAL;                                                        \
	}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
STUB(stub_start, const eh_host *h, void **s, eh_error *e)
STUB(stub_count, void *s, uint32_t *c, eh_error *e)
STUB(stub_info, void *s, uint32_t i, eh_device_info *o, eh_error *e)
STUB(stub_open, void *s, uint32_t i, eh_device **o, eh_error *e)
STUB(stub_alloc, eh_device *d, uint32_t k, uint64_t n, eh_buffer **o, eh_error *e)
STUB(stub_queue, eh_device *d, uint32_t f, eh_queue **o, eh_error *e)
STUB(stub_wait, eh_queue *q, eh_error *e)
STUB(stub_fill, eh_queue *q, eh_buffer *b, uint64_t o, uint64_t n, uint32_t p, eh_error *e)
STUB(stub_copy, eh_queue *q, eh_buffer *t, uint64_t a, eh_buffer *f, uint64_t b, uint64_t n,
     eh_error *e)
STUB(stub_upload, eh_queue *q, eh_buffer *t, uint64_t o, const void *f, uint64_t n, eh_error *e)
STUB(stub_download, eh_queue *q, void *t, eh_buffer *f, uint64_t o, uint64_t n, eh_error *e)
STUB(stub_build, eh_device *d, const eh_source *s, eh_program **o, char *l, size_t n, eh_error *e)
STUB(stub_kernel, eh_program *p, const char *n, eh_kernel **o, eh_error *e)
STUB(stub_launch, eh_queue *q, eh_kernel *k, const eh_launch *l, eh_error *e)
STUB(stub_mark, eh_device *d, uint32_t f, eh_mark **o, eh_error *e)
STUB(stub_record, eh_queue *q, eh_mark *m, eh_error *e)
STUB(stub_mark_wait, eh_mark *m, eh_error *e)
STUB(stub_elapsed, eh_mark *a, eh_mark *b, uint64_t *n, eh_error *e)
static void stub_stop(void *s) {}
static void stub_close(eh_device *d) {}
static void stub_free(eh_buffer *b) {}
static void stub_queue_destroy(eh_queue *q) {}
static void stub_program_destroy(eh_program *p) {}
static void stub_mark_destroy(eh_mark *m) {}
#pragma GCC diagnostic pop

#define GOOD_OPS                                                                             \
	{                                                                                    \
		.struct_size = sizeof(eh_backend_ops), .start = stub_start, .stop = stub_stop, \
		.device_count = stub_count, .device_info = stub_info, .device_open = stub_open, \
		.device_close = stub_close, .buffer_alloc = stub_alloc, .buffer_free = stub_free, \
		.queue_create = stub_queue, .queue_destroy = stub_queue_destroy,             \
		.queue_wait = stub_wait, .fill = stub_fill, .copy = stub_copy,               \
		.upload = stub_upload, .download = stub_download, .program_build = stub_build, \
		.program_destroy = stub_program_destroy, .kernel_get = stub_kernel,          \
		.launch = stub_launch, .mark_create = stub_mark,                             \
		.mark_destroy = stub_mark_destroy, .mark_record = stub_record,               \
		.mark_wait = stub_mark_wait, .mark_elapsed = stub_elapsed,                   \
	}

#define GOOD_BLOCK(own_name, table)                                                          \
	{                                                                                    \
		.magic = EH_BACKEND_MAGIC, .struct_size = sizeof(eh_backend),                \
		.abi_major = EH_ABI_MAJOR, .abi_minor = EH_ABI_MINOR,                        \
		.pointer_bytes = sizeof(void *), .name = (own_name), .title = "a test",      \
		.version = "1", .license = "Apache-2.0", .ops = (table),                     \
	}

/* The entry function: `change` spoils `block` and `ops`. */
#define BAD_ENTRY(own_name, change)                                                          \
	EH_EXPORT const eh_backend *eh_backend_entry_v1(void)                                \
	{                                                                                    \
		static eh_backend_ops ops = GOOD_OPS;                                        \
		static eh_backend block = GOOD_BLOCK(own_name, &ops);                        \
		change;                                                                      \
		return &block;                                                               \
	}

/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/conformance_kit.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/paths.h"
#include "plugin/plugin.h"

__attribute__((format(printf, 3, 0)))
static void conclude(kit *k, enum conformance_outcome outcome, const char *format, va_list args)
{
	char *reason;

	if (k->outcome == CONFORMANCE_FAIL)
		return;
	if (vasprintf(&reason, format, args) < 0)
		reason = memory_text("");
	text_free(&k->reason);
	text_add(&k->reason, "%s", reason);
	free(reason);
	k->outcome = outcome;
}

void kit_fail(kit *k, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	conclude(k, CONFORMANCE_FAIL, format, args);
	va_end(args);
}

void kit_skip(kit *k, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	conclude(k, CONFORMANCE_SKIP, format, args);
	va_end(args);
}

bool kit_ok(kit *k, const char *call, eh_status status)
{
	const eh_error *e = &k->error;

	if (status == EH_OK)
		return true;
	kit_fail(k, "%s gave %s (%d)%s%.*s", call, error_status_name(status), status,
	         e->message[0] != '\0' ? ": " : "", (int)sizeof(e->message), e->message);
	return false;
}

bool kit_explained(kit *k, const char *call, eh_status status)
{
	const eh_error *e = &k->error;

	if (e->code != status)
		kit_fail(k, "%s returned %s (%d), but the error's code is %d", call,
		         error_status_name(status), status, e->code);
	else if (e->message[0] == '\0' ||
	         memchr(e->message, '\0', sizeof(e->message)) == NULL)
		kit_fail(k, "%s gave %s (%d) with a message that is empty or not terminated", call,
		         error_status_name(status), status);
	memset(&k->error, 0, sizeof(k->error));
	k->error.struct_size = sizeof(k->error);
	return k->outcome != CONFORMANCE_FAIL;
}

bool kit_expect(kit *k, const char *call, eh_status status, eh_status want)
{
	if (status == want)
		return status == EH_OK || kit_explained(k, call, status);
	kit_fail(k, "%s gave %s (%d) instead of %s (%d)", call,
	         status == EH_OK ? "success" : error_status_name(status), status,
	         want == EH_OK ? "success" : error_status_name(want), want);
	return false;
}

bool kit_has(kit *k, uint64_t cap, const char *name)
{
	if ((k->s.info.caps & cap) != 0)
		return true;
	kit_skip(k, "caps does not list %s", name);
	return false;
}

eh_status kit_load(kit *k, eh_error *error)
{
	eh_status status;

	if (k->level >= KIT_LOADED)
		return EH_OK;
	status = plugin_load_backend(k->path, &k->backend, error);
	if (status == EH_OK) {
		k->ops = k->backend->ops;
		k->level = KIT_LOADED;
	}
	return status;
}

eh_status kit_start(kit *k, eh_error *error)
{
	eh_status status;

	if (k->level >= KIT_STARTED)
		return EH_OK;
	/* A backend that was started once is not started again in one process. */
	if (k->start_status != EH_OK)
		return error_set(error, k->start_status, "%s", k->start_message);
	status = session_start(&k->s, k->path, error);
	if (status == EH_OK)
		k->level = KIT_STARTED;
	else {
		k->start_status = status;
		snprintf(k->start_message, sizeof(k->start_message), "%s",
		         error != NULL ? error->message : "");
	}
	return status;
}

eh_status kit_open(kit *k, eh_error *error)
{
	eh_status status;

	if (k->level >= KIT_DEVICE)
		return EH_OK;
	status = session_open(&k->s, k->index, error);
	if (status == EH_OK)
		k->level = KIT_DEVICE;
	return status;
}

static void destroy(kit *k, const kit_item *item)
{
	switch (item->class) {
	case KIT_BUFFER:
		k->ops->buffer_free(item->object);
		break;
	case KIT_QUEUE:
		k->ops->queue_destroy(item->object);
		break;
	case KIT_PROGRAM:
		k->ops->program_destroy(item->object);
		break;
	case KIT_MARK:
		k->ops->mark_destroy(item->object);
		break;
	}
}

void kit_own(kit *k, enum kit_class class, void *object)
{
	if (k->item_count == sizeof(k->items) / sizeof(k->items[0])) {
		const kit_item item = { class, object };

		kit_fail(k, "the test itself holds too many objects");
		destroy(k, &item);
		return;
	}
	k->items[k->item_count++] = (kit_item){ class, object };
}

void kit_drop(kit *k, void *object)
{
	for (size_t i = 0; i < k->item_count; i++) {
		if (k->items[i].object != object)
			continue;
		destroy(k, &k->items[i]);
		memmove(&k->items[i], &k->items[i + 1],
		        (k->item_count - i - 1) * sizeof(k->items[0]));
		k->item_count--;
		return;
	}
}

void kit_settle(kit *k)
{
	if (k->level >= KIT_DEVICE && k->s.queue != NULL)
		k->ops->queue_wait(k->s.queue, NULL);
}

void kit_clean(kit *k)
{
	if (k->item_count > 0)
		kit_settle(k);
	while (k->item_count > 0)
		destroy(k, &k->items[--k->item_count]);
}

void kit_close(kit *k)
{
	if (k->level < KIT_DEVICE)
		return;
	kit_clean(k);
	k->ops->queue_destroy(k->s.queue);
	k->s.queue = NULL;
	if (k->program != NULL)
		k->ops->program_destroy(k->program);
	k->program = NULL;
	k->ops->device_close(k->s.device);
	k->s.device = NULL;
	k->level = KIT_STARTED;
}

bool kit_buffer(kit *k, uint32_t kind, uint64_t bytes, eh_buffer **out)
{
	*out = NULL;
	if (!kit_ok(k, "buffer_alloc",
	            k->ops->buffer_alloc(k->s.device, kind, bytes, out, &k->error)))
		return false;
	if (*out == NULL) {
		kit_fail(k, "buffer_alloc succeeded and gave no buffer");
		return false;
	}
	kit_own(k, KIT_BUFFER, *out);
	return true;
}

bool kit_queue(kit *k, eh_queue **out)
{
	if (!kit_ok(k, "queue_create", k->ops->queue_create(k->s.device, out, &k->error)))
		return false;
	kit_own(k, KIT_QUEUE, *out);
	return true;
}

bool kit_mark(kit *k, eh_mark **out)
{
	if (!kit_ok(k, "mark_create", k->ops->mark_create(k->s.device, out, &k->error)))
		return false;
	kit_own(k, KIT_MARK, *out);
	return true;
}

bool kit_wait(kit *k)
{
	return kit_ok(k, "queue_wait", k->ops->queue_wait(k->s.queue, &k->error));
}

bool kit_fill(kit *k, eh_buffer *b, uint64_t offset, uint64_t bytes, uint32_t pattern)
{
	return kit_ok(k, "fill", k->ops->fill(k->s.queue, b, offset, bytes, pattern, &k->error));
}

bool kit_copy(kit *k, eh_buffer *to, uint64_t to_offset, eh_buffer *from, uint64_t from_offset,
              uint64_t bytes)
{
	return kit_ok(k, "copy", k->ops->copy(k->s.queue, to, to_offset, from, from_offset, bytes,
	                                      &k->error));
}

bool kit_upload(kit *k, eh_buffer *to, uint64_t offset, const void *from, uint64_t bytes)
{
	return kit_ok(k, "upload", k->ops->upload(k->s.queue, to, offset, from, bytes, &k->error));
}

bool kit_download(kit *k, void *to, eh_buffer *from, uint64_t offset, uint64_t bytes)
{
	return kit_ok(k, "download",
	              k->ops->download(k->s.queue, to, from, offset, bytes, &k->error)) &&
	       kit_wait(k);
}

eh_status kit_build(kit *k, const char *body, unsigned value, eh_program **out, char *log,
                    size_t log_size)
{
	const uint64_t caps = k->s.info.caps;
	eh_define defines[5] = {
		{ .name = "CF_VALUE" },
		{ .name = "CF_FP64", .value = { (caps & EH_CAP_FP64) != 0 ? '1' : '0' } },
		{ .name = "CF_F16", .value = { (caps & EH_CAP_FP16_STORE) != 0 ? '1' : '0' } },
		{ .name = "CF_BF16", .value = { (caps & EH_CAP_BF16_STORE) != 0 ? '1' : '0' } },
		{ .name = "CF_ATOMIC64", .value = { (caps & EH_CAP_ATOMIC64) != 0 ? '1' : '0' } },
	};
	eh_source *source;
	eh_status status;

	snprintf(defines[0].value, sizeof(defines[0].value), "%u", value);
	status = session_source_of("conformance", body, defines, 5, &source, &k->error);
	if (status != EH_OK)
		return status;
	status = k->ops->program_build(k->s.device, source, out, log, log_size, &k->error);
	free(source);
	return status;
}

char *kit_body(kit *k)
{
	char *folder = paths_data("workloads");
	char *path = path_join(folder, "conformance.k");
	char *body = NULL;
	size_t size;

	if (file_read(path, &body, &size, &k->error) != EH_OK) {
		kit_fail(k, "the suite's own kernels cannot be read: %s", k->error.message);
		body = NULL;
	}
	free(path);
	free(folder);
	return body;
}

bool kit_kernel(kit *k, const char *name, eh_kernel **out)
{
	if (k->program == NULL) {
		char *log = memory_get(4096);
		char *body = kit_body(k);
		eh_status status;

		if (body == NULL) {
			free(log);
			return false;
		}
		status = kit_build(k, body, 7, &k->program, log, 4096);
		if (status != EH_OK) {
			k->program = NULL;
			log[strcspn(log, "\n")] = '\0';
			kit_fail(k, "program_build gave %s: %s%s%.200s", error_status_name(status),
			         k->error.message, log[0] != '\0' ? "; the log begins: " : "", log);
		}
		free(body);
		free(log);
		if (status != EH_OK)
			return false;
	}
	return kit_ok(k, "kernel_get", k->ops->kernel_get(k->program, name, out, &k->error));
}

bool kit_launch(kit *k, eh_kernel *kernel, const uint32_t groups[3], const uint32_t group_size[3],
                const eh_arg *args, uint32_t count)
{
	eh_launch launch = { .struct_size = sizeof(launch), .arg_count = count, .args = args };

	for (int d = 0; d < 3; d++) {
		launch.groups[d] = groups[d];
		launch.group_size[d] = group_size[d];
	}
	return kit_ok(k, "launch", k->ops->launch(k->s.queue, kernel, &launch, &k->error));
}

bool kit_launch_x(kit *k, eh_kernel *kernel, uint32_t groups, uint32_t group_size,
                  const eh_arg *args, uint32_t count)
{
	const uint32_t all[3] = { groups, 1, 1 }, size[3] = { group_size, 1, 1 };

	return kit_launch(k, kernel, all, size, args, count);
}

void kit_pattern(void *out, size_t bytes, uint32_t seed)
{
	unsigned char *p = out;
	uint32_t x = seed * 2654435761u + 1u;

	for (size_t i = 0; i < bytes; i++) {
		x = x * 1664525u + 1013904223u;
		p[i] = (unsigned char)(x >> 24);
	}
}

bool kit_same(kit *k, const void *got, const void *want, size_t bytes, const char *what)
{
	const unsigned char *a = got, *b = want;
	size_t i = 0, wrong = 0, first = 0;

	for (; i < bytes; i++) {
		if (a[i] != b[i] && wrong++ == 0)
			first = i;
	}
	if (wrong == 0)
		return true;
	kit_fail(k, "%s: %zu of %zu bytes are wrong, the first at %zu (0x%02x instead of 0x%02x)",
	         what, wrong, bytes, first, a[first], b[first]);
	return false;
}

bool kit_all(kit *k, const void *data, size_t bytes, unsigned char value, const char *what)
{
	const unsigned char *p = data;

	for (size_t i = 0; i < bytes; i++) {
		if (p[i] == value)
			continue;
		kit_fail(k, "%s: the byte at %zu was changed", what, i);
		return false;
	}
	return true;
}

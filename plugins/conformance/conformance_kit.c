/* SPDX-License-Identifier: Apache-2.0 */
#include "conformance_kit.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "conformance_guard.h"
#include "conformance_text.h"

void *kit_memory(size_t size)
{
	void *p = calloc(1, size > 0 ? size : 1);

	if (p == NULL) {
		fprintf(stderr, "the conformance suite needs %zu bytes and there are none\n", size);
		abort();
	}
	return p;
}

uint64_t kit_now(const kit *k)
{
	return k->trial->host->now_ns(k->trial->host->ctx);
}

void kit_error_clear(eh_error *error)
{
	memset(error, 0, sizeof(*error));
	error->struct_size = sizeof(*error);
}

void kit_sleep(uint64_t ns)
{
	struct timespec rest = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };

	while (nanosleep(&rest, &rest) != 0 && errno == EINTR)
		;
}

eh_status kit_error(eh_error *error, eh_status code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	(void)eh_fail_list(error, code, "", 0, "", format, args);
	va_end(args);
	return code;
}

/* The names of statuses in evenhand's results and messages. */
static const char *status_name(eh_status status)
{
	static const char *const names[] = { "success", "invalid-argument", "no-memory",
		"unsupported", "unavailable", "incompatible", "build", "timeout", "device",
		"device-lost", "internal" };

	return status <= 0 && status >= EH_E_INTERNAL ? names[-status] : "unknown";
}

__attribute__((format(printf, 3, 0)))
static void conclude(kit *k, uint32_t outcome, const char *format, va_list args)
{
	if (k->outcome == EH_TEST_FAIL)
		return;
	(void)vsnprintf(k->reason, sizeof(k->reason), format, args);
	k->outcome = outcome;
}

void kit_fail(kit *k, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	conclude(k, EH_TEST_FAIL, format, args);
	va_end(args);
}

void kit_skip(kit *k, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	conclude(k, EH_TEST_SKIP, format, args);
	va_end(args);
}

bool kit_ok(kit *k, const char *call, eh_status status)
{
	const eh_error *e = &k->error;

	if (status == EH_OK)
		return true;
	kit_fail(k, "%s gave %s (%d)%s%.*s", call, status_name(status), status,
	         e->message[0] != '\0' ? ": " : "", (int)sizeof(e->message), e->message);
	return false;
}

bool kit_explained(kit *k, const char *call, eh_status status)
{
	const eh_error *e = &k->error;

	if (e->code != status)
		kit_fail(k, "%s returned %s (%d), but the error's code is %d", call,
		         status_name(status), status, e->code);
	else if (e->message[0] == '\0' ||
	         memchr(e->message, '\0', sizeof(e->message)) == NULL)
		kit_fail(k, "%s gave %s (%d) with a message that is empty or not terminated", call,
		         status_name(status), status);
	kit_error_clear(&k->error);
	return k->outcome != EH_TEST_FAIL;
}

bool kit_expect(kit *k, const char *call, eh_status status, eh_status want)
{
	if (status == want)
		return status == EH_OK || kit_explained(k, call, status);
	kit_fail(k, "%s gave %s (%d) instead of %s (%d)", call, status_name(status), status,
	         status_name(want), want);
	return false;
}

bool kit_text(kit *k, const char *field, const char *text, size_t room, int flags)
{
	const char *fault = text_fault(text, room, flags);

	if (fault != NULL)
		kit_fail(k, "%s %s", field, fault);
	return fault == NULL;
}

bool kit_has(kit *k, uint64_t cap, const char *name)
{
	if ((k->info.caps & cap) != 0)
		return true;
	kit_skip(k, "caps does not list %s", name);
	return false;
}

eh_status kit_load(kit *k, eh_error *error)
{
	eh_status status;

	if (k->level >= KIT_LOADED)
		return EH_OK;
	guard_enter("loading the plugin");
	status = k->trial->load_backend(k->trial->ctx, &k->backend, error);
	guard_leave("loading the plugin");
	if (status == EH_OK) {
		k->ops = guard_backend(k->backend->ops);
		k->level = KIT_LOADED;
	}
	return status;
}

/* Puts the backend's name and the failed step before its own message. */
static eh_status cannot(const kit *k, const char *doing, eh_status status, const eh_error *cause,
                        eh_error *error)
{
	return kit_error(error, status, "backend %s cannot %s: %.*s", k->backend->name, doing,
	                 (int)sizeof(cause->message),
	                 cause->message[0] != '\0' ? cause->message : status_name(status));
}

/* A backend is started once in a process, so a failure is kept and returned again. */
eh_status kit_start(kit *k, eh_error *error)
{
	eh_error cause = { .struct_size = sizeof(cause) };
	eh_status status;

	if (k->level >= KIT_STARTED)
		return EH_OK;
	if (k->start.code == EH_OK) {
		status = k->ops->start(k->trial->host, &k->self, &cause);
		if (status == EH_OK) {
			k->level = KIT_STARTED;
			return EH_OK;
		}
		(void)cannot(k, "start", status, &cause, &k->start);
	}
	return kit_error(error, k->start.code, "%s", k->start.message);
}

eh_status kit_open(kit *k, eh_error *error)
{
	const uint32_t index = k->trial->device;
	eh_error cause = { .struct_size = sizeof(cause) };
	uint32_t count = 0;
	eh_status status;

	if (k->level >= KIT_DEVICE)
		return EH_OK;
	status = k->ops->device_count(k->self, &count, &cause);
	if (status != EH_OK)
		return cannot(k, "count its devices", status, &cause, error);
	if (index >= count)
		return kit_error(error, EH_E_INVALID_ARGUMENT,
		                 "backend %s has no device %u: it has %u", k->backend->name, index,
		                 count);
	k->info = (eh_device_info){ .struct_size = sizeof(k->info), .numa_node = -1 };
	status = k->ops->device_info(k->self, index, &k->info, &cause);
	if (status != EH_OK)
		return cannot(k, "describe its device", status, &cause, error);
	status = k->ops->device_open(k->self, index, &k->device, &cause);
	if (status != EH_OK)
		return cannot(k, "open its device", status, &cause, error);
	status = k->ops->queue_create(k->device, EH_TIMED, &k->queue, &cause);
	if (status != EH_OK) {
		k->ops->device_close(k->device);
		return cannot(k, "make a queue", status, &cause, error);
	}
	k->level = KIT_DEVICE;
	return EH_OK;
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
	if (k->level >= KIT_DEVICE && k->queue != NULL)
		k->ops->queue_wait(k->queue, NULL);
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
	k->ops->queue_destroy(k->queue);
	k->queue = NULL;
	if (k->program != NULL)
		k->ops->program_destroy(k->program);
	k->program = NULL;
	k->ops->device_close(k->device);
	k->device = NULL;
	k->level = KIT_STARTED;
}

void kit_stop(kit *k)
{
	kit_close(k);
	if (k->level < KIT_STARTED)
		return;
	k->ops->stop(k->self);
	k->level = KIT_LOADED;
}

bool kit_buffer(kit *k, uint32_t kind, uint64_t bytes, eh_buffer **out)
{
	*out = NULL;
	if (!kit_ok(k, "buffer_alloc",
	            k->ops->buffer_alloc(k->device, kind, bytes, out, &k->error)))
		return false;
	if (*out == NULL) {
		kit_fail(k, "buffer_alloc succeeded and gave no buffer");
		return false;
	}
	kit_own(k, KIT_BUFFER, *out);
	return true;
}

bool kit_queue(kit *k, uint32_t flags, eh_queue **out)
{
	if (!kit_ok(k, "queue_create", k->ops->queue_create(k->device, flags, out, &k->error)))
		return false;
	kit_own(k, KIT_QUEUE, *out);
	return true;
}

bool kit_mark(kit *k, uint32_t flags, eh_mark **out)
{
	if (!kit_ok(k, "mark_create", k->ops->mark_create(k->device, flags, out, &k->error)))
		return false;
	kit_own(k, KIT_MARK, *out);
	return true;
}

bool kit_wait(kit *k)
{
	return kit_ok(k, "queue_wait", k->ops->queue_wait(k->queue, &k->error));
}

bool kit_fill(kit *k, eh_buffer *b, uint64_t offset, uint64_t bytes, uint32_t pattern)
{
	return kit_ok(k, "fill", k->ops->fill(k->queue, b, offset, bytes, pattern, &k->error));
}

bool kit_copy(kit *k, eh_buffer *to, uint64_t to_offset, eh_buffer *from, uint64_t from_offset,
              uint64_t bytes)
{
	return kit_ok(k, "copy", k->ops->copy(k->queue, to, to_offset, from, from_offset, bytes,
	                                      &k->error));
}

bool kit_upload(kit *k, eh_buffer *to, uint64_t offset, const void *from, uint64_t bytes)
{
	return kit_ok(k, "upload", k->ops->upload(k->queue, to, offset, from, bytes, &k->error));
}

bool kit_download(kit *k, void *to, eh_buffer *from, uint64_t offset, uint64_t bytes)
{
	return kit_ok(k, "download",
	              k->ops->download(k->queue, to, from, offset, bytes, &k->error)) &&
	       kit_wait(k);
}

void kit_digest(const kit *k, const eh_source *source, char hex[65])
{
	const eh_host *host = k->trial->host;
	char *all = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&all, &size);

	for (uint32_t i = 0; f != NULL && i < source->macro_count; i++)
		fprintf(f, "%s %s\n", source->macros[i].name, source->macros[i].value);
	if (f == NULL || fprintf(f, "%zu\n%s%s", strlen(source->prelude), source->prelude,
	                         source->body) < 0 || fclose(f) != 0) {
		fprintf(stderr, "the conformance suite has no memory for a program\n");
		abort();
	}
	host->sha256(host->ctx, all, size, hex);
	free(all);
}

eh_status kit_build(kit *k, const char *body, unsigned value, eh_program **out, char *log,
                    size_t log_size)
{
	const uint64_t caps = k->info.caps;
	char number[16], hex[65];
	const eh_macro macros[] = {
		{ "CF_VALUE", number },
		{ "CF_FP64", (caps & EH_CAP_FP64) != 0 ? "1" : "0" },
		{ "CF_F16", (caps & EH_CAP_FP16_STORE) != 0 ? "1" : "0" },
		{ "CF_BF16", (caps & EH_CAP_BF16_STORE) != 0 ? "1" : "0" },
		{ "CF_ATOMIC64", (caps & EH_CAP_ATOMIC64) != 0 ? "1" : "0" },
	};
	const eh_source source = {
		.struct_size = sizeof(source),
		.macro_count = sizeof(macros) / sizeof(macros[0]),
		.name = "conformance",
		.prelude = k->trial->prelude,
		.body = body,
		.macros = macros,
		.digest = hex,
	};

	snprintf(number, sizeof(number), "%u", value);
	kit_digest(k, &source, hex);
	return k->ops->program_build(k->device, &source, out, log, log_size, &k->error);
}

static bool build_kernels(kit *k)
{
	char *log = kit_memory(4096);
	eh_status status = kit_build(k, k->trial->kernels, 7, &k->program, log, 4096);

	if (status != EH_OK) {
		k->program = NULL;
		log[strcspn(log, "\n")] = '\0';
		kit_fail(k, "program_build gave %s: %s%s%.200s", status_name(status),
		         k->error.message, log[0] != '\0' ? "; the log begins: " : "", log);
	}
	free(log);
	return status == EH_OK;
}

bool kit_kernel(kit *k, const char *name, eh_kernel **out)
{
	return (k->program != NULL || build_kernels(k)) &&
	       kit_ok(k, "kernel_get", k->ops->kernel_get(k->program, name, out, &k->error));
}

bool kit_launch(kit *k, eh_kernel *kernel, const uint32_t groups[3], const uint32_t group_size[3],
                const eh_arg *args, uint32_t count)
{
	eh_launch launch = { .struct_size = sizeof(launch), .arg_count = count, .args = args };

	for (int d = 0; d < 3; d++) {
		launch.groups[d] = groups[d];
		launch.group_size[d] = group_size[d];
	}
	return kit_ok(k, "launch", k->ops->launch(k->queue, kernel, &launch, &k->error));
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

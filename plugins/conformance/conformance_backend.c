/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the plugin, the backend and its devices. */
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance_kit.h"
#include "conformance_text.h"

#define CANARY 0xa5

void conformance_plugin_load(kit *k)
{
	if (kit_load(k, &k->error) != EH_OK)
		kit_fail(k, "%s", k->error.message);
}

void conformance_plugin_one_symbol(kit *k)
{
	const char *names = k->trial->exports;

	if (names == NULL)
		kit_skip(k, "the symbols that it exports are not known: its file has no section "
		            "headers, or it is linked into this program");
	else if (strcmp(names, EH_BACKEND_ENTRY_NAME) != 0)
		kit_fail(k, "it exports more than %s: %.200s; link it with the version script of "
		            "the skeleton, backend.map", EH_BACKEND_ENTRY_NAME, names);
}

static int count_object(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)info;
	(void)size;
	(*(size_t *)context)++;
	return 0;
}

/* load_backend calls the entry function again. */
void conformance_plugin_entry_pure(kit *k)
{
	const eh_backend *b = k->backend, *again;
	size_t before = 0, after = 0;

	dl_iterate_phdr(count_object, &before);
	for (int i = 0; i < 10; i++) {
		if (!kit_ok(k, "loading it again",
		            k->trial->load_backend(k->trial->ctx, &again, &k->error)))
			return;
		if (again != b) {
			kit_fail(k, "the entry function returned another block the second time");
			return;
		}
	}
	dl_iterate_phdr(count_object, &after);
	if (after != before)
		kit_fail(k, "calling the entry function loaded %zu shared objects", after - before);
	else if (kit_text(k, "the title of the identity block", b->title, 200, 0) &&
	         kit_text(k, "the version of the identity block", b->version, 100, 0) &&
	         kit_text(k, "the license of the identity block", b->license, 100, 0) &&
	         (b->title[0] == '\0' || b->version[0] == '\0' || b->license[0] == '\0'))
		kit_fail(k, "title, version and license must not be empty");
}

void conformance_backend_start(kit *k)
{
	eh_status status = kit_start(k, &k->error);

	if (status == EH_E_UNAVAILABLE)
		kit_skip(k, "%s", k->error.message);
	else if (status != EH_OK)
		kit_fail(k, "%s", k->error.message);
}

void conformance_backend_notes(kit *k)
{
	unsigned char room[4096];

	if (!EH_HAS(k->ops, eh_backend_ops, notes)) {
		kit_skip(k, "notes is not provided");
		return;
	}
	for (size_t size = 1; size <= sizeof(room) / 2; size *= 2) {
		memset(room, CANARY, sizeof(room));
		k->ops->notes(k->self, (char *)room, size);
		if (memchr(room, '\0', size) == NULL) {
			kit_fail(k, "with room for %zu bytes the text was not terminated", size);
			return;
		}
		if (!kit_text(k, "the text that notes wrote", (const char *)room, size,
		              TEXT_LINES | TEXT_CUT))
			return;
		if (!kit_all(k, room + size, sizeof(room) - size, CANARY,
		             "beyond the size given to notes"))
			return;
	}
}

void conformance_backend_extension(kit *k)
{
	if (!EH_HAS(k->ops, eh_backend_ops, extension)) {
		kit_skip(k, "extension is not provided");
		return;
	}
	for (int i = 0; i < 3; i++) {
		if (k->ops->extension(k->self, "eh.conformance.no-such-extension.1") != NULL ||
		    k->ops->extension(k->self, "") != NULL) {
			kit_fail(k, "a table was returned for a name that nobody offers");
			return;
		}
	}
}

void conformance_backend_destroy_null(kit *k)
{
	k->ops->buffer_free(NULL);
	k->ops->queue_destroy(NULL);
	k->ops->program_destroy(NULL);
	k->ops->mark_destroy(NULL);
	k->ops->device_close(NULL);
}

static bool count_devices(kit *k, uint32_t *count)
{
	*count = 0;
	if (!kit_ok(k, "device_count", k->ops->device_count(k->self, count, &k->error)))
		return false;
	if (*count > EH_MOST_DEVICES)
		kit_fail(k, "device_count counted %u devices: a backend has at most %u", *count,
		         EH_MOST_DEVICES);
	return *count <= EH_MOST_DEVICES;
}

void conformance_device_count(kit *k)
{
	uint32_t first, again;

	if (!count_devices(k, &first))
		return;
	for (int i = 0; i < 10; i++) {
		if (!count_devices(k, &again))
			return;
		if (again != first) {
			kit_fail(k, "%u devices were counted first and %u later", first, again);
			return;
		}
	}
	if (first == 0)
		kit_skip(k, "the backend has no device here");
}

/* Reads a description.  EH_E_UNAVAILABLE counts as success, as id and name are filled then. */
static bool read_info(kit *k, uint32_t index, eh_device_info *info)
{
	eh_status status;

	memset(info, 0, sizeof(*info));
	info->struct_size = sizeof(*info);
	info->numa_node = -1;
	status = k->ops->device_info(k->self, index, info, &k->error);
	return status == EH_E_UNAVAILABLE || kit_ok(k, "device_info", status);
}

/* The array `name` of a struct that a slot filled for that index, which is a variable. */
#define TEXT_OF(k, slot, index, object, name) \
	kit_indexed(k, "the " #name " that " slot " gave for index", index, (object)->name, \
	            sizeof((object)->name))
static bool kit_indexed(kit *k, const char *what, uint32_t index, const char *text, size_t room)
{
	char field[96];

	(void)snprintf(field, sizeof(field), "%s %u", what, index);
	return kit_text(k, field, text, room, 0);
}

static bool check_info_texts(kit *k, uint32_t index, const eh_device_info *i)
{
	return TEXT_OF(k, "device_info", index, i, id) && TEXT_OF(k, "device_info", index, i, name) &&
	       TEXT_OF(k, "device_info", index, i, vendor) &&
	       TEXT_OF(k, "device_info", index, i, platform) &&
	       TEXT_OF(k, "device_info", index, i, pci) && TEXT_OF(k, "device_info", index, i, uuid);
}

static bool check_info(kit *k, uint32_t index, const eh_device_info *i)
{
	const char *letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

	if (i->struct_size != sizeof(*i))
		kit_fail(k, "device %u: device_info changed struct_size", index);
	else if (!check_info_texts(k, index, i))
		return false;
	else if (i->id[0] == '\0' || i->id[strspn(i->id, letters)] != '\0')
		kit_fail(k, "device %u: id must consist of A-Z a-z 0-9 . _ -", index);
	else if (i->name[0] == '\0')
		kit_fail(k, "device %u: device_info gave it no name", index);
	else if (i->type < EH_DEVICE_CPU || i->type > EH_DEVICE_OTHER)
		kit_fail(k, "device %u: type %u is none of EH_DEVICE_*", index, i->type);
	else if (i->pci[0] != '\0' && (strlen(i->pci) != 12 || i->pci[4] != ':' ||
	                               i->pci[7] != ':' || i->pci[10] != '.'))
		kit_fail(k, "device %u: pci '%s' is not of the form 0000:3b:00.0", index, i->pci);
	else if (i->max_alloc_bytes > 0 && i->memory_bytes > 0 &&
	         i->max_alloc_bytes > i->memory_bytes)
		kit_fail(k, "device %u: max_alloc_bytes is larger than memory_bytes", index);
	return k->outcome == EH_TEST_PASS;
}

void conformance_device_info(kit *k)
{
	uint32_t count;
	eh_device_info *all;

	if (!count_devices(k, &count))
		return;
	if (count == 0) {
		kit_skip(k, "the backend has no device here");
		return;
	}
	all = kit_memory(count * sizeof(*all));
	for (uint32_t i = 0; i < count; i++) {
		eh_device_info again;

		if (!read_info(k, i, &all[i]) || !check_info(k, i, &all[i]) ||
		    !read_info(k, i, &again))
			break;
		if (strcmp(all[i].id, again.id) != 0 || all[i].caps != again.caps ||
		    strcmp(all[i].name, again.name) != 0) {
			kit_fail(k, "device %u changed its id, name or caps between two calls", i);
			break;
		}
		for (uint32_t j = 0; j < i; j++) {
			if (strcmp(all[i].id, all[j].id) == 0) {
				kit_fail(k, "devices %u and %u have the same id '%s'", j, i,
				         all[i].id);
				break;
			}
		}
		if (k->outcome != EH_TEST_PASS)
			break;
	}
	free(all);
}

void conformance_device_info_size(kit *k)
{
	const size_t size = offsetof(eh_device_info, memory_bytes);
	union { eh_device_info info; unsigned char bytes[sizeof(eh_device_info)]; } u;
	eh_device_info whole;
	eh_status status;
	uint32_t count;

	if (!count_devices(k, &count))
		return;
	if (count == 0) {
		kit_skip(k, "the backend has no device here");
		return;
	}
	if (!read_info(k, 0, &whole))
		return;
	memset(&u, CANARY, sizeof(u));
	u.info.struct_size = (uint32_t)size;
	status = k->ops->device_info(k->self, 0, &u.info, &k->error);
	if (status != EH_E_UNAVAILABLE &&
	    !kit_ok(k, "device_info with an older, smaller struct", status))
		return;
	if (!kit_all(k, u.bytes + size, sizeof(u) - size, CANARY,
	             "beyond the struct_size given to device_info"))
		return;
	if (status == EH_OK && (u.info.type != whole.type || u.info.caps != whole.caps))
		kit_fail(k, "with a smaller struct the fields that fit were not filled");
}

void conformance_device_beyond(kit *k)
{
	const uint32_t far[] = { 0, 1, 1000, UINT32_MAX };
	eh_device *const nothing = (eh_device *)(void *)&k->error;
	uint32_t count;

	if (!count_devices(k, &count))
		return;
	for (size_t i = 0; i < sizeof(far) / sizeof(far[0]); i++) {
		uint32_t index = far[i] == UINT32_MAX ? UINT32_MAX : count + far[i];
		eh_device_info info = { .struct_size = sizeof(info) };
		eh_device *device = nothing;
		eh_status status = k->ops->device_info(k->self, index, &info, &k->error);

		if (!kit_expect(k, "device_info beyond the last device", status,
		                EH_E_INVALID_ARGUMENT))
			return;
		if (info.id[0] != '\0') {
			kit_fail(k, "device_info failed and filled the id all the same");
			return;
		}
		status = k->ops->device_open(k->self, index, &device, &k->error);
		if (!kit_expect(k, "device_open beyond the last device", status,
		                EH_E_INVALID_ARGUMENT))
			return;
		if (device != nothing) {
			kit_fail(k, "device_open failed and wrote its output all the same");
			return;
		}
	}
}

void conformance_device_open_close(kit *k)
{
	for (int i = 0; i < 5; i++) {
		eh_device *device = NULL;
		eh_queue *queue = NULL;
		eh_status status = k->ops->device_open(k->self, k->trial->device, &device, &k->error);

		if (status == EH_E_INVALID_ARGUMENT) {
			kit_skip(k, "the backend has no device %u", k->trial->device);
			return;
		}
		if (status == EH_E_UNAVAILABLE) {
			kit_skip(k, "%.*s", (int)sizeof(k->error.message), k->error.message);
			return;
		}
		if (!kit_ok(k, "device_open", status))
			return;
		status = k->ops->queue_create(device, EH_TIMED, &queue, &k->error);
		if (status == EH_OK)
			k->ops->queue_destroy(queue);
		k->ops->device_close(device);
		if (!kit_ok(k, "queue_create", status))
			return;
	}
}

void conformance_device_layers(kit *k)
{
	const size_t size = offsetof(eh_layer, version);
	union { eh_layer layer; unsigned char bytes[sizeof(eh_layer)]; } u;
	uint32_t i;

	if (!EH_HAS(k->ops, eh_backend_ops, device_layer)) {
		kit_skip(k, "device_layer is not provided");
		return;
	}
	for (i = 0; i < 1000; i++) {
		eh_layer layer = { .struct_size = sizeof(layer) };
		eh_status status = k->ops->device_layer(k->device, i, &layer, &k->error);

		if (status == EH_E_INVALID_ARGUMENT) {
			if (!kit_explained(k, "device_layer beyond the last layer", status))
				return;
			break;
		}
		if (!kit_ok(k, "device_layer", status))
			return;
		if (layer.kind < EH_LAYER_HARDWARE || layer.kind > EH_LAYER_DEMAND ||
		    layer.source < EH_SOURCE_MEASURED || layer.source > EH_SOURCE_UNAVAILABLE) {
			kit_fail(k, "layer %u has no valid kind (%u) and source (%u)", i,
			         layer.kind, layer.source);
			return;
		}
		if (!TEXT_OF(k, "device_layer", i, &layer, name) ||
		    !TEXT_OF(k, "device_layer", i, &layer, version) ||
		    !TEXT_OF(k, "device_layer", i, &layer, path) ||
		    !TEXT_OF(k, "device_layer", i, &layer, detail) ||
		    !TEXT_OF(k, "device_layer", i, &layer, maker))
			return;
		if (layer.name[0] == '\0') {
			kit_fail(k, "layer %u: device_layer gave it no name", i);
			return;
		}
		memset(&u, CANARY, sizeof(u));
		u.layer.struct_size = (uint32_t)size;
		if (!kit_ok(k, "device_layer with an older, smaller struct",
		            k->ops->device_layer(k->device, i, &u.layer, &k->error)) ||
		    !kit_all(k, u.bytes + size, sizeof(u) - size, CANARY,
		             "beyond the struct_size given to device_layer"))
			return;
	}
	if (i == 1000)
		kit_fail(k, "a thousand layers were given and no end");
	else if (i == 0)
		kit_fail(k, "no layer was given: at least the runtime or the driver has one");
}

/* A call that every backend must refuse. */
static eh_status fail_on_purpose(kit *k, eh_error *error)
{
	eh_device *device;

	return k->ops->device_open(k->self, UINT32_MAX, &device, error);
}

void conformance_error_content(kit *k)
{
	eh_error error;
	eh_status status;

	memset(&error, CANARY, sizeof(error));
	error.struct_size = sizeof(error);
	status = fail_on_purpose(k, &error);
	if (status == EH_OK)
		kit_fail(k, "opening device 4294967295 succeeded");
	else if (error.struct_size != sizeof(error))
		kit_fail(k, "struct_size of the error was changed");
	else if (error.code != status)
		kit_fail(k, "the call returned %d and the error's code is %d", status, error.code);
	else if (kit_text(k, "the message of the error of device_open", error.message,
	                  sizeof(error.message), TEXT_CUT) && error.message[0] == '\0')
		kit_fail(k, "the message is empty");
	else if (memchr(error.where, '\0', sizeof(error.where)) == NULL ||
	         memchr(error.native_name, '\0', sizeof(error.native_name)) == NULL)
		kit_fail(k, "where or native_name is not terminated; fill all fields of the error");
}

void conformance_error_size(kit *k)
{
	const size_t sizes[] = { offsetof(eh_error, native_code), offsetof(eh_error, where),
	                         offsetof(eh_error, message) };
	union { eh_error error; unsigned char bytes[sizeof(eh_error)]; } u;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		eh_status status;

		memset(&u, CANARY, sizeof(u));
		u.error.struct_size = (uint32_t)sizes[i];
		status = fail_on_purpose(k, &u.error);
		if (u.error.code != status) {
			kit_fail(k, "with struct_size %zu the code was not filled", sizes[i]);
			return;
		}
		if (!kit_all(k, u.bytes + sizes[i], sizeof(u) - sizes[i], CANARY,
		             "beyond the error's struct_size"))
			return;
	}
}

void conformance_error_null(kit *k)
{
	char hex[65];
	const eh_source broken = {
		.struct_size = sizeof(broken),
		.name = "broken",
		.prelude = k->trial->prelude,
		.body = "this is no program\n",
		.digest = hex,
	};
	eh_program *program = NULL;
	eh_status status;
	uint32_t count;

	if (fail_on_purpose(k, NULL) == EH_OK) {
		kit_fail(k, "opening device 4294967295 succeeded");
		return;
	}
	if (!kit_ok(k, "device_count", k->ops->device_count(k->self, &count, NULL)))
		return;
	kit_digest(k, &broken, hex);
	status = k->ops->program_build(k->device, &broken, &program, NULL, 0, NULL);
	if (status != EH_E_BUILD)
		kit_fail(k, "program_build of a broken text gave %d instead of %d", status,
		         EH_E_BUILD);
}

void conformance_backend_stop(kit *k)
{
	kit_stop(k);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "run/discover.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/log.h"
#include "base/paths.h"
#include "base/text.h"
#include "executor/executor.h"
#include "plugin/host.h"
#include "plugin/plugin.h"
#include "plugin/session.h"
#include "run/death.h"
#include "run/voice.h"

#define DEADLINE_NS (UINT64_C(20) * 1000000000)
/* What each lister has at least from its turn on: one that hangs must not use up the time of
 * those that are read after it. */
#define TURN_NS (UINT64_C(2) * 1000000000)
#define CLOSING_NS (UINT64_C(2) * 1000000000)

/* ---- the child ------------------------------------------------------------------------------- */

static void add_notes(cJSON *root, const session *s)
{
	cJSON *list = json_add_array(root, "notes");
	char notes[8192] = "", *rest = notes, *line;

	if (!EH_HAS(s->ops, eh_backend_ops, notes))
		return;
	s->ops->notes(s->self, notes, sizeof(notes));
	notes[sizeof(notes) - 1] = '\0';
	while ((line = strsep(&rest, "\n")) != NULL)
		if (*line != '\0')
			json_append_string(list, line);
}

static void add_failure(cJSON *item, eh_status status, const eh_error *error)
{
	json_set(item, "status", cJSON_CreateNumber(status));
	json_add_string(item, "reason", error->message[0] != '\0' ? error->message
	                                                          : error_status_name(status));
}

static void add_device(cJSON *list, const session *s, uint32_t index)
{
	eh_device_info info = { .struct_size = sizeof(info), .numa_node = -1 };
	eh_error error = ERROR_INIT;
	eh_status status = s->ops->device_info(s->self, index, &info, &error);
	cJSON *item = cJSON_CreateObject();
	char *name;

	if (info.id[0] == '\0')
		snprintf(info.id, sizeof(info.id), "%u", index);
	name = executor_name(s->backend, &info);
	json_add_uint(item, "index", index);
	json_add_string(item, "executor", name);
	json_set(item, "info", executor_device(&info));
	if (status != EH_OK)
		add_failure(item, status, &error);
	else
		json_set(item, "status", cJSON_CreateNumber(EH_OK));
	cJSON_AddItemToArray(list, item);
	free(name);
}

/* *s is a started session or empty. */
static void list_backend(cJSON *root, const char *path, session *s)
{
	const eh_backend *backend = NULL;
	eh_error error = ERROR_INIT;
	eh_status status = plugin_load_backend(path, &backend, &error);
	uint32_t count = 0;
	cJSON *list;

	if (status != EH_OK) {
		add_failure(root, status, &error);
		return;
	}
	json_add_string(root, "title", backend->title);
	json_add_string(root, "version", backend->version);
	json_add_string(root, "license", backend->license);
	status = session_start(s, path, &error);
	if (status != EH_OK) {
		add_failure(root, status, &error);
		return;
	}
	add_notes(root, s);
	status = s->ops->device_count(s->self, &count, &error);
	if (status != EH_OK) {
		add_failure(root, status, &error);
		return;
	}
	json_set(root, "status", cJSON_CreateNumber(EH_OK));
	list = json_add_array(root, "devices");
	for (uint32_t i = 0; i < count; i++)
		add_device(list, s, i);
}

/* The assignments of a started backend that it did not ask for. */
static void add_unused(cJSON *root, const session *s)
{
	const char *const *options = host_options();
	size_t size = s->backend != NULL ? strlen(s->backend->name) : 0;
	cJSON *list = json_add_array(root, "unused");

	for (size_t i = 0; size > 0 && options[i] != NULL; i++)
		if (strncmp(options[i], s->backend->name, size) == 0 && options[i][size] == '.' &&
		    !host_option_used(i))
			json_append_string(list, options[i]);
}

int discover_child(const char *path)
{
	FILE *out = voice_take();
	session s = { 0 };
	cJSON *root;
	bool heard;

	if (out == NULL)
		return EXIT_CODE_ENVIRONMENT;
	root = cJSON_CreateObject();
	list_backend(root, path, &s);
	add_unused(root, &s);
	heard = voice_say(out, json_text(root, false));
	cJSON_Delete(root);
	session_close(&s);
	return fclose(out) == 0 && heard ? EXIT_CODE_OK : EXIT_CODE_ENVIRONMENT;
}

/* ---- the parent ------------------------------------------------------------------------------ */

static child *start_lister(const char *program, found_backend *b)
{
	const char *const *options = host_options();
	size_t count = 0, at = 0;
	const char **argv;
	child *c = NULL;
	eh_error error = ERROR_INIT;

	while (options != NULL && options[count] != NULL)
		count++;
	argv = memory_get((2 * count + 5) * sizeof(*argv));
	argv[at++] = program;
	argv[at++] = "worker";
	argv[at++] = "--list";
	argv[at++] = b->path;
	for (size_t i = 0; i < count; i++) {
		argv[at++] = "--set";
		argv[at++] = options[i];
	}
	b->status = child_start(argv, NULL, &c, &error);
	if (b->status != EH_OK)
		b->reason = memory_text(error.message);
	free(argv);
	return b->status == EH_OK ? c : NULL;
}

static char *text_or_null(const cJSON *object, const char *key)
{
	const char *s = json_string(object, key, NULL);

	return s != NULL ? memory_text(s) : NULL;
}

static void read_status(const cJSON *object, eh_status *status, char **reason)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, "status");

	*status = cJSON_IsNumber(item) ? (eh_status)item->valuedouble : EH_E_INTERNAL;
	*reason = *status != EH_OK ? memory_text(json_string(object, "reason", "it gave no reason"))
	                           : NULL;
}

static void read_device(const cJSON *item, found_device *d)
{
	uint64_t index = 0;

	(void)json_uint(item, "index", &index);
	d->index = (uint32_t)index;
	d->executor = memory_text(json_string(item, "executor", ""));
	executor_device_read(json_path(item, "info"), &d->info);
	read_status(item, &d->status, &d->reason);
}

static void read_list(const cJSON *root, found_backend *b)
{
	const cJSON *notes = json_path(root, "notes"), *devices = json_path(root, "devices"), *item;
	size_t i = 0;

	b->title = text_or_null(root, "title");
	b->version = text_or_null(root, "version");
	b->license = text_or_null(root, "license");
	read_status(root, &b->status, &b->reason);
	if (cJSON_GetArraySize(notes) > 0) {
		b->notes = memory_get(((size_t)cJSON_GetArraySize(notes) + 1) * sizeof(*b->notes));
		cJSON_ArrayForEach(item, notes)
			if (cJSON_IsString(item))
				b->notes[i++] = memory_text(item->valuestring);
	}
	cJSON_ArrayForEach(item, json_path(root, "unused"))
		if (cJSON_IsString(item))
			log_write(EH_LOG_WARN, "backend %s did not ask for the setting of --set %s: "
			          "misspelt, it changes nothing", b->name, item->valuestring);
	b->devices = memory_get(((size_t)cJSON_GetArraySize(devices) + 1) * sizeof(*b->devices));
	cJSON_ArrayForEach(item, devices)
		read_device(item, &b->devices[b->device_count++]);
}

static void read_lister(child *c, uint64_t deadline_ns, found_backend *b)
{
	const char *line = NULL;
	eh_error error = ERROR_INIT;
	eh_status status = child_line(c, deadline_ns, &line, &error);
	cJSON *root = NULL;
	child_end end = { 0 };
	char *death;

	if (status == EH_OK)
		status = json_parse(line, strlen(line), b->path, &root, &error);
	if (status == EH_OK) {
		read_list(root, b);
		cJSON_Delete(root);
		/* What the driver does when it is closed does not take back what it listed. */
		child_finish(c, CLOSING_NS, NULL);
		return;
	}
	child_finish(c, status == EH_E_NOT_FOUND ? CLOSING_NS : 0, &end);
	b->status = status == EH_E_NOT_FOUND ? EH_E_CHILD : status;
	if (status == EH_E_TIMEOUT) {
		b->reason = memory_text("it did not list its devices within 20 s; see whether its driver "
		                        "hangs with another program too");
	} else if (status == EH_E_NOT_FOUND) {
		death = death_text(&end);
		b->reason = memory_format("the process that listed its devices %s; see whether its "
		                          "driver crashes in another program too", death);
		free(death);
	} else {
		b->reason = memory_text(error.message);
	}
}

static int by_name(const void *a, const void *b)
{
	const found_backend *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	/* Of one name, the one that is used comes first. */
	return order != 0 ? order : (x->status != EH_OK) - (y->status != EH_OK);
}

size_t discover(found_backend **out)
{
	plugin_file *files = NULL;
	size_t count = plugin_search(PLUGIN_BACKEND, &files);
	found_backend *all = memory_get((count + 1) * sizeof(*all));
	child **children = memory_get((count + 1) * sizeof(*children));
	char *program = paths_program();
	uint64_t deadline = clock_now_ns() + DEADLINE_NS;

	for (size_t i = 0; i < count; i++) {
		all[i].name = memory_text(files[i].name);
		all[i].path = memory_text(files[i].path);
		all[i].status = files[i].status;
		if (files[i].status != EH_OK)
			all[i].reason = memory_text(files[i].reason != NULL ? files[i].reason : "refused");
		else
			children[i] = start_lister(program, &all[i]);
	}
	for (size_t i = 0; i < count; i++) {
		uint64_t turn = clock_now_ns() + TURN_NS;

		if (children[i] != NULL)
			read_lister(children[i], deadline > turn ? deadline : turn, &all[i]);
	}
	free(program);
	free(children);
	plugin_files_free(files, count);
	qsort(all, count, sizeof(*all), by_name);
	*out = all;
	return count;
}

void discover_free(found_backend *backends, size_t count)
{
	for (size_t i = 0; backends != NULL && i < count; i++) {
		found_backend *b = &backends[i];

		for (size_t d = 0; d < b->device_count; d++) {
			free(b->devices[d].reason);
			free(b->devices[d].executor);
		}
		for (size_t n = 0; b->notes != NULL && b->notes[n] != NULL; n++)
			free(b->notes[n]);
		free(b->notes);
		free(b->devices);
		free(b->name);
		free(b->path);
		free(b->title);
		free(b->version);
		free(b->license);
		free(b->reason);
	}
	free(backends);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "run/discover.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "executor/executor.h"
#include "plugin/host.h"
#include "plugin/notes.h"
#include "plugin/plugin.h"
#include "plugin/session.h"
#include "run/lister.h"
#include "run/voice.h"

#define LAYOUT_FILE "run/discover.def"
#define LAYOUT_NAME(name) discover_##name
#include "base/layout_tables.h"

#define DEADLINE_S 20u
/* The least time for each child, so that one that hangs does not use up that of the next. */
#define TURN_NS (UINT64_C(2) * 1000000000)

/* ---- the child ------------------------------------------------------------------------------- */

static void set_status(char **status, char **reason, eh_status code, eh_error *error)
{
	text_set(status, error_status_name(code));
	if (code != EH_OK)
		text_set(reason, error_sentence(error, code));
}

static void add_device(discover_backend *backend, const session *s, uint32_t index)
{
	discover_device *out = layout_append(discover_device_layout(), &backend->devices);
	eh_device_info info;
	eh_error error = ERROR_INIT;
	eh_status status = session_device(s, index, &info, &error);

	out->index = index;
	out->executor = executor_name(s->backend, &info);
	executor_device(&info, &out->device);
	set_status(&out->status, &out->reason, status, &error);
}

/* *s is a started session or empty. */
static eh_status list_backend(discover_backend *out, const char *path, session *s, eh_error *error)
{
	const eh_backend *backend = NULL;
	eh_status status = plugin_load_backend(path, &backend, error);
	uint32_t count = 0;

	if (status != EH_OK)
		return status;
	text_set(&out->title, backend->title);
	text_set(&out->version, backend->version);
	text_set(&out->license, backend->license);
	status = session_start(s, path, error);
	if (status != EH_OK)
		return status;
	status = session_count(s, &count, error);
	for (uint32_t i = 0; status == EH_OK && i < count; i++)
		add_device(out, s, i);
	/* Last, because some concern devices. */
	notes_backend(s, &out->notes);
	return status;
}

/* The settings of a started backend that it did not ask for. */
static void add_unused(discover_backend *out, const session *s)
{
	const char *const *options = host_options();
	size_t size = s->backend != NULL ? strlen(s->backend->name) : 0;

	for (size_t i = 0; size > 0 && options[i] != NULL; i++)
		if (strncmp(options[i], s->backend->name, size) == 0 && options[i][size] == '.' &&
		    !host_option_used(i))
			text_list_add(&out->unused, options[i]);
}

int discover_child(const char *path)
{
	FILE *voice = voice_take();
	discover_backend found;
	session s = { 0 };
	eh_error error = ERROR_INIT;
	int code;

	if (voice == NULL)
		return EXIT_CODE_ENVIRONMENT;
	layout_init(discover_backend_layout(), &found);
	set_status(&found.status, &found.reason, list_backend(&found, path, &s, &error), &error);
	add_unused(&found, &s);
	code = lister_answer(voice, discover_backend_layout(), &found);
	layout_clear(discover_backend_layout(), &found);
	session_close(&s);
	return code;
}

/* ---- the parent ------------------------------------------------------------------------------ */

static void read_lister(child *c, uint64_t deadline_ns, discover_backend *out)
{
	discover_backend answer;
	const lister_words words = { out->path, "listed its devices", "it did not list its devices",
		                     "driver", DEADLINE_S };
	eh_error error = ERROR_INIT;
	eh_status status;

	layout_init(discover_backend_layout(), &answer);
	status = lister_read(c, &words, deadline_ns, discover_backend_layout(), &answer, &error);
	if (status != EH_OK)
		set_status(&answer.status, &answer.reason, status, &error);
	text_set(&answer.name, out->name);
	text_set(&answer.path, out->path);
	layout_clear(discover_backend_layout(), out);
	*out = answer;
	for (size_t i = 0; i < out->unused.count; i++)
		log_write(EH_LOG_WARN, "backend %s does not use --set %s; is it misspelt?",
		          out->name,
		          out->unused.items[i]);
}

/* NULL when there is no child; then out has the reason. */
static child *start_lister(const plugin_file *file, discover_backend *out)
{
	child *c = NULL;
	eh_error error = ERROR_INIT;
	eh_status status = file->status;

	text_set(&out->name, file->name);
	text_set(&out->path, file->path);
	if (status != EH_OK)
		(void)error_set(&error, status, "%s", file->reason != NULL ? file->reason
		                : "refused");
	else
		status = lister_start("--list", file->path, NULL, host_options(), &c, &error);
	if (status == EH_OK)
		return c;
	set_status(&out->status, &out->reason, status, &error);
	return NULL;
}

static int by_name(const void *a, const void *b)
{
	const discover_backend *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	/* Of two with one name, the usable one is first. */
	return order != 0 ? order : discover_is(y->status, EH_OK) - discover_is(x->status, EH_OK);
}

/* A file that was loaded and refused does not stand in the way of a good one of its name. */
static void list_next(plugin_file *files, size_t count, discover_backend *backends)
{
	for (size_t i = 0; i < count; i++) {
		bool refused = files[i].status == EH_OK &&
		               discover_is(backends[i].status, EH_E_INCOMPATIBLE);
		size_t next = refused ? plugin_next(files, count, i) : count;
		discover_backend *b = next < count ? &backends[next] : NULL;
		child *c = NULL;

		if (b != NULL) {
			text_set(&b->reason, NULL);
			c = start_lister(&files[next], b);
		}
		if (c != NULL)
			read_lister(c, clock_now_ns() + UINT64_C(1000000000) * DEADLINE_S, b);
	}
}

/* Whether the name stands before `end` in the word. */
static bool begins(const char *word, const char *name, char end)
{
	const size_t size = strlen(name);

	return strncmp(word, name, size) == 0 && (word[size] == '\0' || word[size] == end);
}

/* Whether a selector or a setting is of that backend. */
static bool is_wanted(const text_list *selectors, const char *name)
{
	const char *const *options = host_options();

	for (size_t i = 0; i < selectors->count; i++)
		if (begins(selectors->items[i], name, ':'))
			return true;
	for (size_t i = 0; options[i] != NULL; i++)
		if (begins(options[i], name, '.'))
			return true;
	return false;
}

/* Whether each selector is of a backend that there is. */
static bool are_backends(const text_list *selectors, const plugin_file *files, size_t count)
{
	for (size_t i = 0; i < selectors->count; i++) {
		size_t k = 0;

		while (k < count && !begins(selectors->items[i], files[k].name, ':'))
			k++;
		if (k == count)
			return false;
	}
	return selectors->count > 0;
}

static bool is_listed(const discover_report *there, const plugin_file *file)
{
	for (size_t i = 0; i < there->backends.count; i++)
		if (strcmp(there->backends.items[i].path, file->path) == 0)
			return true;
	return false;
}

/* Moves the files to list to the front, in their order, and counts them. */
static size_t pick(plugin_file *files, size_t count, const text_list *selectors, const discover_report *there)
{
	const bool all = !are_backends(selectors, files, count);
	size_t picked = 0;

	for (size_t i = 0; i < count; i++) {
		const plugin_file file = files[i];

		if (is_listed(there, &file) || (!all && !is_wanted(selectors, file.name)))
			continue;
		memmove(&files[picked + 1], &files[picked], (i - picked) * sizeof(*files));
		files[picked++] = file;
	}
	return picked;
}

size_t discover(discover_report *out, const char *selectors)
{
	text_list words = discover_words(selectors);
	plugin_file *files = NULL;
	size_t all = plugin_search(PLUGIN_BACKEND, &files), count = pick(files, all, &words, out);
	size_t before = out->backends.count;
	child **children = memory_get((count + 1) * sizeof(*children));
	uint64_t deadline = clock_now_ns() + UINT64_C(1000000000) * DEADLINE_S;

	for (size_t i = 0; i < count; i++) {
		discover_backend *b = layout_append(discover_backend_layout(), &out->backends);

		children[i] = start_lister(&files[i], b);
	}
	for (size_t i = 0; i < count; i++) {
		uint64_t turn = clock_now_ns() + TURN_NS;

		if (children[i] != NULL)
			read_lister(children[i], deadline > turn ? deadline : turn,
			            &out->backends.items[before + i]);
	}
	list_next(files, count, out->backends.items + before);
	if (count > 0)
		qsort(out->backends.items, before + count, sizeof(*out->backends.items), by_name);
	free(children);
	plugin_files_free(files, all);
	text_list_clear(&words);
	return count;
}

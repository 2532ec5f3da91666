/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/watch_once.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stacks.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/paths.h"
#include "cli/answer.h"
#include "cli/archiving.h"
#include "cli/changed.h"
#include "executor/executor.h"
#include "plugin/host.h"
#include "protocol/protocol.h"
#include "record/disclosure.h"
#include "record/identity.h"
#include "run/discover.h"
#include "run/survey.h"

typedef struct watching {
	cli_call *call;
	run_plan plan;        /* of all executors together                                      */
	answer_watch *answer; /* its executors in the order of the plan                         */
	result **last;        /* their last results; NULL: there is none                        */
	cli_input *now;       /* the new results, once there are some                           */
} watching;

/* ---- the last result ------------------------------------------------------------------------- */

static bool same_device(const record_device *a, const record_device *b)
{
	const char *x = text_or_empty(a->uuid), *y = text_or_empty(b->uuid);

	return strcmp(text_or_empty(a->name), text_or_empty(b->name)) == 0 &&
	       (x[0] == '\0' || y[0] == '\0' || strcmp(x, y) == 0);
}

/* The newest of the executor on this device under this very plan; *out NULL: there is none. */
static eh_status find_last(archive *a, const char *executor, const record_device *device, const char *plan,
                           result **out, eh_error *error)
{
	const archive_filter f = { .executor = executor };
	archive_entry_list entries = { 0 };
	eh_status status = archive_list(a, &f, &entries, error);

	for (size_t i = 0; i < entries.count && status == EH_OK && *out == NULL; i++) {
		const archive_entry *e = &entries.items[i];

		if (strcmp(e->executor, executor) != 0 || strcmp(e->protocol_digest, plan) != 0 ||
		    e->status != RECORD_COMPLETE)
			continue;
		status = archive_read(a, e->digest, "archive", out, error);
		if (status == EH_OK && !same_device(&(*out)->record->executor.device, device)) {
			result_free(*out);
			*out = NULL;
		}
	}
	if (*out != NULL) {
		/* What stands for it on a command line. */
		free((*out)->path);
		(*out)->path = memory_format("%s%.12s", ARCHIVING_WORD, (*out)->record->digest);
	}
	layout_list_clear(archive_entry_layout(), &entries);
	return status;
}

/* ---- what differs ---------------------------------------------------------------------------- */

static bool has_file(const record_executor *e, const char *path)
{
	for (size_t i = 0; i < e->layers.count; i++)
		if (strcmp(text_or_empty(e->layers.items[i].path), path) == 0)
			return true;
	return false;
}

/* Files that a driver makes while it works come and go. */
static bool is_passing(const char *path)
{
	static const char *const folders[] = { "/tmp/", "/var/tmp/", "/dev/", "/run/", "/proc/", "/memfd:" };

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
		if (strncmp(path, folders[i], strlen(folders[i])) == 0)
			return true;
	return false;
}

/* malloc'd: a library or a file that only cases load, and that no description has therefore, is another one
 * now; NULL: none is. */
static char *late_change(const record_executor *last, const record_executor *now)
{
	executor_files *files = executor_files_new();
	char *words = NULL;

	for (size_t i = 0; i < last->layers.count && words == NULL; i++) {
		const record_layer *layer = &last->layers.items[i];
		const char *path = text_or_empty(layer->path), *digest;

		if (layer->sha256 == NULL || !disclosure_is_stack(layer) || path[0] != '/' || has_file(now, path))
			continue;
		digest = executor_files_digest(files, path);
		if (digest != NULL && strcmp(digest, layer->sha256) != 0)
			words = memory_format("%s is another file", path);
		else if (digest == NULL && !is_passing(path))
			words = memory_format("%s is not there any more", path);
	}
	executor_files_free(files);
	return words;
}

/* malloc'd: the titles of the layers that differ. */
static char *group_words(const record_executor *last, const record_executor *now)
{
	attribution_step *step = layout_new(attribution_step_layout());
	text t = { 0 };

	(void)stacks_compare(last, now, true, &step->groups);
	for (size_t i = 0; i < step->groups.count; i++)
		text_add(&t, "%s%s", i > 0 ? "; " : "", step->groups.items[i].title);
	layout_free(attribution_step_layout(), step);
	return t.data != NULL ? t.data : memory_text("facts of its stack that belong to no layer");
}

static void judge(answer_watched *w, const result *last, const record_executor *now)
{
	const record_executor *then = &last->record->executor;
	char *why = identity_within(then, now) ? late_change(then, now) : group_words(then, now);

	w->state = why != NULL ? ANSWER_CHANGED : ANSWER_UNCHANGED;
	text_set(&w->why, text_or_empty(why));
	text_set(&w->last, last->record->digest);
	text_set(&w->started, last->record->run.started);
	free(why);
}

/* ---- looking --------------------------------------------------------------------------------- */

static eh_status look_at(watching *w, size_t i, archive *a, const discover_report *here, eh_error *error)
{
	answer_watched *one = layout_append(answer_watched_layout(), &w->answer->executors);
	eh_error unread = ERROR_INIT;
	record_executor *now = NULL;
	selected s;
	eh_status status;

	text_set(&one->executor, w->plan.executors.items[i]);
	one->state = ANSWER_UNKNOWN;
	if (!discover_find(here, one->executor, &s)) {
		text_set(&one->why, "it disappeared while it was looked at");
		return EH_OK;
	}
	status = find_last(a, one->executor, &s.device->device, w->plan.digest, &w->last[i], error);
	if (status == EH_OK && w->last[i] == NULL)
		one->state = ANSWER_NEW;
	else if (status == EH_OK && survey_executor(s.backend->path, (uint32_t)s.device->index, one->executor,
	                                            host_options(), &now, &unread) == EH_OK)
		judge(one, w->last[i], now);
	else
		text_set(&one->why, unread.message);
	layout_free(record_executor_layout(), now);
	return status;
}

static eh_status look(watching *w, const watch_options *o, eh_error *error)
{
	const run_options asked = { .protocol = w->call->words[0], .selectors = o->on };
	discover_report here;
	archive a;
	eh_status status = run_plan_make(&asked, &w->plan, error);

	if (status == EH_OK)
		status = archiving_open(o->db, true, &a, error);
	if (status != EH_OK)
		return status;
	layout_init(discover_report_layout(), &here);
	(void)discover(&here, o->on);
	w->last = memory_get((w->plan.executors.count + 1) * sizeof(*w->last));
	for (size_t i = 0; i < w->plan.executors.count && status == EH_OK; i++)
		status = look_at(w, i, &a, &here, error);
	layout_clear(discover_report_layout(), &here);
	archive_close(&a);
	return status;
}

/* ---- measuring ------------------------------------------------------------------------------- */

/* malloc'd: where this run goes; NULL with an error. */
static char *run_folder(const char *word, eh_error *error)
{
	char *base = paths_user_state("watch"), started[24], *name, *out = NULL;
	protocol *p = NULL;

	if (base == NULL) {
		(void)error_set(error, EH_E_UNAVAILABLE, "neither XDG_STATE_HOME nor HOME is a whole path, so there is no "
		                "folder for results of this user");
	} else if (protocol_find(word, &p, error) == EH_OK) {
		clock_wall_text(started);
		name = run_folder_name(p->name, p->version, "", started);
		out = path_join(base, strrchr(name, '/') + 1);
		free(name);
	}
	protocol_free(p);
	free(base);
	return out;
}

/* What was measured, compared with the last results; the exit code. */
static int compare(watching *w)
{
	attribution_list *all = &w->answer->changes;

	for (size_t i = 0; i < w->plan.executors.count; i++) {
		const result *fresh = changed_find(w->now, w->plan.executors.items[i]);

		if (fresh != NULL && w->last[i] != NULL)
			changed_add(all, w->last[i], fresh, 0, w->call->words[0]);
	}
	return all->count > 0 ? changed_exit_code(all, 0) : EXIT_CODE_OK;
}

/* By the plan of all executors, also where some of them are measured: else their history would end. */
static eh_status measure(watching *w, const char *selectors, const char *db_word, eh_error *error)
{
	const run_options run = { .protocol = w->call->words[0], .selectors = selectors, .folder = w->answer->folder,
		                  .quiet = w->call->quiet, .size_class = w->plan.size_class,
		                  .cache_bytes = changed_size(w->plan.cache_bytes),
		                  .compute_units = changed_size(w->plan.compute_units) };
	changed_run r;
	int *code = &w->call->code;
	eh_status status = changed_measure(run, &r, error);

	if (status == EH_OK && !r.complete) {
		*code = EXIT_CODE_INCOMPLETE;
		log_write(EH_LOG_WARN, "interrupted; what was measured is in %s, and %s completes it", r.folder, r.resume);
	} else if (status == EH_OK) {
		const bool kept = archiving_keep(db_word, r.folder);

		status = cli_inputs_read((const char *const[]){ r.folder }, 1, &w->now, error);
		if (status == EH_OK)
			*code = compare(w);
		if (*code == EXIT_CODE_OK)
			*code = r.numbers == 0 ? EXIT_CODE_NOT_COMPARABLE : kept ? EXIT_CODE_OK : EXIT_CODE_ENVIRONMENT;
	}
	changed_run_free(&r);
	return status;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* malloc'd: those to be measured; NULL: none.  Says what was found. */
static char *tell_states(const answer_watched_list *all, bool json)
{
	text t = { 0 };

	for (size_t i = 0; i < all->count; i++) {
		const answer_watched *w = &all->items[i];

		if (w->state != ANSWER_UNCHANGED)
			text_add(&t, "%s%s", t.size > 0 ? "," : "", w->executor);
		if (!json)
			command_put(stdout, "%s: %s%s%.16s%s%s\n", w->executor, answer_watch_state_word(w->state),
			            w->started != NULL ? " since its run of " : "", text_or_empty(w->started),
			            text_or_empty(w->why)[0] != '\0' ? ": " : "", text_or_empty(w->why));
	}
	if (t.data == NULL && !json)
		puts("nothing changed; nothing was measured");
	(void)fflush(stdout);
	return t.data;
}

static eh_status look_and_measure(watching *w, eh_error *error)
{
	const watch_options *o = w->call->options;
	answer_watch *a = w->answer;
	char *selectors = NULL;
	eh_status status = look(w, o, error);

	if (status == EH_OK)
		selectors = tell_states(&a->executors, o->json);
	if (selectors != NULL) {
		a->folder = run_folder(w->call->words[0], error);
		status = a->folder != NULL ? measure(w, selectors, o->db, error) : error->code;
	}
	a->exit_code = (uint64_t)w->call->code;
	if (status == EH_OK && o->json) {
		command_layout(answer_watch_layout(), a);
	} else if (status == EH_OK && selectors != NULL) {
		changed_print(&a->changes);
		command_put(stdout, "measured: %s\n", a->folder);
	}
	free(selectors);
	return status;
}

eh_status watch_once(cli_call *call, eh_error *error)
{
	watching w = { .call = call, .answer = layout_new(answer_watch_layout()) };
	eh_status status;

	interrupt_install();
	interrupt_on_pipe();
	layout_init(run_plan_layout(), &w.plan);
	status = look_and_measure(&w, error);
	/* It borrows the results. */
	layout_free(answer_watch_layout(), w.answer);
	cli_inputs_free(w.now, w.now != NULL);
	for (size_t i = 0; w.last != NULL && i < w.plan.executors.count; i++)
		result_free(w.last[i]);
	free(w.last);
	layout_clear(run_plan_layout(), &w.plan);
	return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/text.h"
#include "base/trust.h"
#include "base/walk.h"
#include "executor/executor.h"
#include "measure/guards.h"
#include "measure/prepared.h"
#include "plugin/host.h"
#include "plugin/plugin.h"
#include "run/certify.h"
#include "run/described.h"
#include "run/discover.h"
#include "run/extend.h"
#include "record/journal.h"
#include "run/ledger.h"
#include "run/lockstep_run.h"
#include "run/manifest.h"
#include "run/noise.h"
#include "run/progress.h"
#include "run/resize.h"
#include "run/slot.h"
#include "run/supervise.h"

#define LAYOUT_FILE "run/plan.def"
#define LAYOUT_NAME(name) run_##name
#include "base/layout_tables.h"
#undef LAYOUT_FILE
#undef LAYOUT_NAME

#define JOURNAL_NAME "run.journal"

typedef struct run_state {
	manifest *manifest;
	journal *journal;
	char *folder, *path;
	ledger *ledger;
	uint64_t begin_ns;
	bool timed;       /* whether the journal has the time of each session before this one */
} run_state;

static void state_free(run_state *s)
{
	ledger_free(s->ledger);
	journal_close(s->journal);
	manifest_free(s->manifest);
	free(s->folder);
	free(s->path);
}

char *run_folder_name(const char *name, uint64_t version, const char *tag, const char *started)
{
	char stamp[24], *base, *folder;
	size_t at = 0;

	for (const char *c = started; *c != '\0' && at + 1 < sizeof(stamp); c++)
		if (*c != '-' && *c != ':')
			stamp[at++] = *c;
	stamp[at] = '\0';
	base = memory_format("results/%s-%llu%s-%s", name, (unsigned long long)version, tag, stamp);
	folder = memory_text(base);
	for (int n = 2; file_exists(folder); n++) {
		free(folder);
		folder = memory_format("%s-%d", base, n);
	}
	free(base);
	return folder;
}

char *run_result_path(const char *folder, const char *executor)
{
	char *path = memory_format("%s/%s.json", folder, executor);

	for (char *c = path + strlen(folder) + 1; *c != '\0'; c++)
		if (*c == ':' || *c == '/')
			*c = '-';
	return path;
}

static eh_status select_here(const run_options *o, const discover_report *here, selected **chosen,
                             size_t *count, eh_error *error)
{
	return o->executor != NULL ? discover_named(here, o->executor, chosen, count, error)
	                           : discover_select(here, o->selectors, chosen, count, error);
}

/* Starts no driver that nobody asked for, unless the user must be told what there is instead. */
static eh_status find_devices(const run_options *o, discover_report *here, selected **chosen, size_t *count,
                              eh_error *error)
{
	const char *selectors = o->executor != NULL ? o->executor : o->selectors;
	eh_status status = EH_OK;

	if (o->device_file != NULL)
		status = described_read(o->device_file, here, error);
	else
		(void)discover(here, selectors);
	if (status == EH_OK && !interrupt_pending())
		status = select_here(o, here, chosen, count, error);
	if (status == EH_E_USAGE && o->device_file == NULL && discover(here, NULL) > 0 && !interrupt_pending())
		status = select_here(o, here, chosen, count, error);
	if (interrupt_pending())
		return error_set(error, EH_E_INTERRUPTED, "interrupted before anything was measured");
	return status;
}

/* Takes the protocol and the plan. */
static eh_status choose(const run_options *o, protocol *p, plan *made, manifest **out,
                        eh_error *error)
{
	discover_report here;
	size_t chosen_count = 0;
	selected *chosen = NULL;
	eh_status status;

	layout_init(discover_report_layout(), &here);
	status = find_devices(o, &here, &chosen, &chosen_count, error);
	if (status == EH_OK)
		status = resize_plan(o, p, &made, chosen, chosen_count, error);
	if (status == EH_OK) {
		status = manifest_new(p, made, o->executions, chosen, chosen_count, host_options(),
		                      out, error);
	} else {
		plan_free(made);
		protocol_free(p);
	}
	free(chosen);
	layout_clear(discover_report_layout(), &here);
	/* A bad site file is refused before certify_check reads facts from it. */
	if (status == EH_OK)
		status = site_read(NULL, &(*out)->site, error);
	if (status == EH_OK)
		status = manifest_ask(*out, o->cases, error);
	if (status == EH_OK)
		status = manifest_agree(*out, o->agreements, o->agreements_asked, error);
	/* Described devices disclose nothing. */
	if (status == EH_OK && o->device_file == NULL)
		status = certify_check(*out, error);
	return status;
}

/* Everything that can be refused before a journal is made. */
static eh_status prepare(const run_options *o, manifest **out, eh_error *error)
{
	protocol *p = NULL;
	plan *made = NULL;
	eh_status status = protocol_find(o->protocol, &p, error);

	if (status != EH_OK)
		return status;
	status = plan_make(p, plugin_find_workload, NULL, &made, error);
	if (status != EH_OK) {
		protocol_free(p);
		return status;
	}
	return choose(o, p, made, out, error);
}

static void plan_cases(const manifest *m, run_plan *out)
{
	for (size_t i = 0; i < m->plan->case_count; i++) {
		const plan_case *c = &m->plan->cases[i];
		run_plan_case *at;

		if (m->asked != NULL && !m->asked[i])
			continue;
		at = layout_append(run_plan_case_layout(), &out->cases);
		text_set(&at->id, c->id);
		at->working_set_bytes = c->work.working_set_bytes;
		at->memory_bytes = c->work.device_bytes;
		for (size_t k = 0; k < m->executor_count; k++)
			if (m->devices[k].memory_bytes != LAYOUT_NO_UINT &&
			    !prepared_fits(c->work.device_bytes, m->devices[k].memory_bytes))
				text_list_add(&at->too_large_for, m->names[k]);
		at->longest_ns = m->executions * (c->section->measure.regime == RECORD_REGIME_SUSTAINED ?
		                 c->section->measure.sustain_time_ns : c->section->measure.time_max_ns);
		out->expected_ns += m->executions * m->executor_count * supervise_expected_ns(c);
	}
}

eh_status run_plan_make(const run_options *options, run_plan *out, eh_error *error)
{
	manifest *m = NULL;
	eh_status status = prepare(options, &m, error);

	if (status == EH_OK) {
		out->protocol = memory_format("%s@%llu", m->protocol->name,
		                              (unsigned long long)m->protocol->version);
		text_set(&out->digest, m->plan->digest);
		if (m->protocol->sized)
			out->size_class = m->protocol->size_class;
		if (m->protocol->scales[PROTOCOL_CACHE].used)
			out->cache_bytes = m->protocol->scales[PROTOCOL_CACHE].size;
		if (m->protocol->scales[PROTOCOL_UNITS].used)
			out->compute_units = m->protocol->scales[PROTOCOL_UNITS].size;
		out->design = m->protocol->design;
		for (size_t i = 0; i < m->executor_count; i++)
			text_list_add(&out->executors, m->names[i]);
		for (size_t i = 0; i < m->agreements.count; i++)
			text_list_add(&out->agreed, m->agreements.items[i].team);
		out->executions = m->executions;
		if (m->protocol->budget_ns > 0)
			out->budget_ns = m->protocol->budget_ns;
		plan_cases(m, out);
	}
	manifest_free(m);
	return status;
}

/* The folders that are made for it go with it when it fails. */
static eh_status begin_journal(run_state *s, const record_line_run *line, eh_error *error)
{
	char *made;
	int folder;
	eh_status status = trust_place(s->folder, "cannot make the folder", 0777, &folder, &made, error);

	if (status != EH_OK)
		return status;
	status = journal_create(s->path, line, &s->journal, error);
	if (status != EH_OK)
		walk_unmake(folder, made);
	close(folder);
	free(made);
	return status;
}

static eh_status begin(const run_options *o, run_state *s, eh_error *error)
{
	const protocol *p;
	char started[24];
	record_line line;
	eh_status status = prepare(o, &s->manifest, error);

	if (status != EH_OK)
		return status;
	p = s->manifest->protocol;
	clock_wall_text(started);
	record_line_init(&line, RECORD_LINE_RUN);
	status = manifest_line(s->manifest, started, &line.run, error);
	if (status != EH_OK)
		goto undo;
	s->folder = o->folder != NULL ? memory_text(o->folder) :
	            run_folder_name(p->name, p->version, "", started);
	s->path = path_join(s->folder, JOURNAL_NAME);
	status = begin_journal(s, &line.run, error);
	if (status == EH_OK)
		guards_warn();
undo:
	record_line_clear(&line);
	return status;
}

static eh_status find_again(manifest *m, eh_error *error)
{
	discover_report here;
	text names = { 0 };
	eh_status status = manifest_take_options(m, error);

	if (status != EH_OK)
		return status;
	for (size_t i = 0; i < m->executor_count; i++)
		text_add(&names, "%s%s", i > 0 ? "," : "", m->executors[i]);
	layout_init(discover_report_layout(), &here);
	(void)discover(&here, names.data);
	text_free(&names);
	status = interrupt_pending() ?
	         error_set(error, EH_E_INTERRUPTED, "interrupted before anything more was measured; nothing is lost") :
	         manifest_find(m, &here, error);
	layout_clear(discover_report_layout(), &here);
	return status;
}

/* Whether this program can go on with the run: another version reads lines as damaged that are not. */
static eh_status accept_plan(void *context, record_line *line, long offset, eh_error *error)
{
	manifest *m = NULL;
	eh_status status = manifest_read(line, &m, error);

	(void)context;
	(void)offset;
	manifest_free(m);
	return status;
}

static eh_status reopen(const run_options *o, run_state *s, eh_error *error)
{
	record_line line = { 0 };
	eh_status status;

	s->folder = memory_text(o->folder);
	s->path = path_join(s->folder, JOURNAL_NAME);
	if (!file_exists(s->path))
		return error_set(error, EH_E_NOT_FOUND, "%s holds no run to resume: it has no " JOURNAL_NAME,
		                 s->folder);
	status = o->salvage ? journal_salvage(s->path, accept_plan, NULL, error) : EH_OK;
	if (status == EH_OK)
		status = journal_open(s->path, &s->journal, error);
	if (status != EH_OK)
		return status;
	status = journal_line_at(s->path, 0, &line, error);
	if (status == EH_OK)
		status = manifest_read(&line, &s->manifest, error);
	if (status == EH_OK)
		status = manifest_check_options(s->manifest, error);
	if (status == EH_OK)
		status = site_read(NULL, &s->manifest->site, error);
	record_line_clear(&line);
	return status;
}

static uint64_t expected_ns(const run_state *s, const schedule_slot *slots, size_t count)
{
	const manifest *m = s->manifest;
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++)
		for (size_t c = 0; c < m->plan->case_count; c++)
			if (!ledger_has(s->ledger, slots[i].execution, slots[i].executor, c))
				sum += supervise_expected_ns(&m->plan->cases[c]);
	return sum;
}

static eh_status append_end(const run_state *s, bool complete, eh_error *error)
{
	record_line line;
	char ended[24];
	eh_status status;

	clock_wall_text(ended);
	record_line_init(&line, RECORD_LINE_END);
	text_set(&line.end.ended, ended);
	line.end.status = complete ? RECORD_ENDED_COMPLETE : RECORD_ENDED_INTERRUPTED;
	if (s->timed)
		line.end.spent_ns = clock_now_ns() - s->begin_ns;
	status = journal_append(s->journal, &line, error);
	record_line_clear(&line);
	return status;
}

static eh_status run_slots(const run_state *s, const schedule_slot *slots, size_t count, bool quiet,
                           eh_error *error)
{
	text_list without = { 0 };
	slot_context c = { .manifest = s->manifest, .ledger = s->ledger, .journal = s->journal,
		           .journal_path = s->path, .without = &without };
	eh_status status = EH_OK;

	c.shown = progress_new(quiet, expected_ns(s, slots, count));
	if (s->manifest->protocol->design == RECORD_DESIGN_LOCKSTEP) {
		status = lockstep_run(&c, s->begin_ns, error);
		count = 0;
	}
	for (size_t i = 0; i < count && status == EH_OK; i++)
		status = interrupt_pending() ? EH_E_INTERRUPTED : slot_run(&c, &slots[i], error);
	progress_free(c.shown);
	text_list_clear(&without);
	return status;
}

/* The executions that the protocol declares; after a pilot also those that it plans. */
static eh_status run_all(const run_state *s, bool quiet, eh_error *error)
{
	const manifest *m = s->manifest;
	eh_status status = run_slots(s, m->slots, m->slot_count, quiet, error);
	schedule_slot *slots;
	size_t count;

	if (status == EH_OK && ledger_undecided(s->ledger)) {
		status = extend_decide(m, s->journal, s->path, error);
		if (status == EH_OK)
			status = ledger_read(s->ledger, s->path, error);
	}
	if (status != EH_OK || m->most == m->executions)
		return status;
	slots = extend_slots(m, s->ledger, &count);
	status = run_slots(s, slots, count, quiet, error);
	free(slots);
	return status;
}

/* A run that ends early may have samples of an executor that no worker has described. */
static void take_outlines(const run_state *s, run_outcome *outcome)
{
	const manifest *m = s->manifest;

	outcome->outlines = memory_get((m->executor_count + 1) * sizeof(*outcome->outlines));
	for (size_t i = 0; i < m->executor_count; i++) {
		layout_init(record_executor_layout(), &outcome->outlines[i]);
		if (ledger_digest(s->ledger, i)[0] == '\0')
			executor_outline(m->executors[i], &m->devices[i], m->site, &outcome->outlines[i]);
	}
}

static void take_outcome(run_state *s, run_outcome *outcome)
{
	manifest *m = s->manifest;

	outcome->complete = ledger_missing(s->ledger) == 0 && !ledger_undecided(s->ledger) &&
	                    !outcome->stopped;
	outcome->executors = memory_get((m->executor_count + 1) * sizeof(*outcome->executors));
	for (size_t i = 0; i < m->executor_count; i++)
		outcome->executors[i] = memory_text(m->names[i]);
	outcome->folder = memory_text(s->folder);
	outcome->journal = memory_text(s->path);
	outcome->held = s->journal;
	s->journal = NULL;
	take_outlines(s, outcome);
}

/* Adds how to go on after the journal could not be used or no worker could be started. */
static eh_status explain(const run_state *s, const run_options *o, eh_status status,
                         eh_error *error)
{
	char *remedy, *folder;

	if ((status != EH_E_IO && status != EH_E_UNAVAILABLE) || error == NULL || o->temporary)
		return status;
	folder = text_shell_word(s->folder);
	remedy = memory_format("; everything measured is kept; %s, then complete the run with evenhand "
	                       "run --resume %s", status == EH_E_IO ? "make room" : "fix this", folder);
	error_remedy(error, remedy);
	free(folder);
	free(remedy);
	return status;
}

static eh_status append_noise(const run_state *s, eh_error *error)
{
	eh_status status = EH_OK;

	for (size_t i = 0; i < s->manifest->executor_count && status == EH_OK; i++)
		status = noise_append(s->journal, s->manifest->names[i], ledger_digest(s->ledger, i), error);
	return status;
}

/* Appends the last line, however the run ended. */
static eh_status close_run(const run_state *s, const run_outcome *outcome, eh_status status,
                           eh_error *error)
{
	eh_status written;

	if (status != EH_OK && status != EH_E_INTERRUPTED && !outcome->stopped)
		return status;
	if (!outcome->stopped && ledger_ended_complete(s->ledger))
		return EH_OK;
	written = append_end(s, ledger_missing(s->ledger) == 0 && !ledger_undecided(s->ledger) &&
	                     !outcome->stopped, error);
	return outcome->stopped && written == EH_OK ? status : written;
}

static eh_status go_on(run_state *s, const run_options *o, run_outcome *outcome, eh_error *error)
{
	eh_status status;

	s->ledger = ledger_new(s->manifest->plan, (const char *const *)s->manifest->names,
	                       s->manifest->executor_count, s->manifest->executions,
	                       s->manifest->most, s->manifest->asked);
	status = ledger_read(s->ledger, s->path, error);
	if (status != EH_OK)
		return status;
	s->timed = !o->resume || ledger_ended(s->ledger);
	if (o->resume)
		ledger_forget_unstarted(s->ledger);
	/* A complete run needs none of its executors. */
	if (!ledger_whole(s->ledger)) {
		if (o->resume)
			status = find_again(s->manifest, error);
		if (status != EH_OK)
			return status;
		status = run_all(s, o->quiet, error);
		if (status == EH_OK)
			status = append_noise(s, error);
	}
	outcome->interrupted = status == EH_E_INTERRUPTED;
	outcome->stopped = status == EH_E_UNAVAILABLE;
	return explain(s, o, close_run(s, outcome, status, error), error);
}

eh_status run_journal_gone(const journal *held, eh_status status, eh_error *error)
{
	switch (journal_where(held)) {
	case JOURNAL_MOVED:
		return error_set(error, EH_E_IO, "the folder of %s was moved while the run went on; everything "
		                 "measured is in it: complete the run with evenhand run --resume and its new name",
		                 journal_path(held));
	case JOURNAL_REMOVED:
		return error_set(error, EH_E_IO, "%s was removed while the run went on, and what was measured with "
		                 "it; start a new run", journal_path(held));
	case JOURNAL_THERE:
		break;
	}
	return status;
}

eh_status run_execute(const run_options *options, run_outcome *outcome, eh_error *error)
{
	run_state s = { .begin_ns = options->begin_ns != 0 ? options->begin_ns : clock_now_ns() };
	eh_status status;

	memset(outcome, 0, sizeof(*outcome));
	/* Workers and surveys read the site file themselves. */
	if (options->site != NULL && setenv("EVENHAND_SITE", options->site, 1) != 0)
		return error_set(error, EH_E_NO_MEMORY, "not enough memory");
	status = options->resume ? reopen(options, &s, error) : begin(options, &s, error);
	if (status == EH_OK)
		status = run_journal_gone(s.journal, go_on(&s, options, outcome, error), error);
	if (s.manifest != NULL && (status == EH_OK || outcome->stopped))
		take_outcome(&s, outcome);
	state_free(&s);
	return status;
}

void run_outcome_free(run_outcome *outcome)
{
	for (size_t i = 0; outcome->executors != NULL && outcome->executors[i] != NULL; i++) {
		layout_clear(record_executor_layout(), &outcome->outlines[i]);
		free(outcome->executors[i]);
	}
	free(outcome->outlines);
	free(outcome->executors);
	journal_close(outcome->held);
	free(outcome->folder);
	free(outcome->journal);
	memset(outcome, 0, sizeof(*outcome));
}

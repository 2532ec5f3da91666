/* SPDX-License-Identifier: Apache-2.0 */
#include "run/manifest.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/text.h"
#include "executor/executor.h"
#include "plugin/codeoption.h"
#include "plugin/host.h"
#include "plugin/plugin.h"
#include "protocol/schema.h"
#include "run/lockstep_run.h"
#include "run/race.h"

#define FORMAT 1
#define MOST_EXECUTIONS 1000000

static manifest *manifest_blank(protocol *p, plan *made, size_t executors)
{
	manifest *m = memory_get(sizeof(*m));

	m->protocol = p;
	m->plan = made;
	m->executor_count = executors;
	m->names = memory_get((executors + 1) * sizeof(*m->names));
	m->executors = memory_get((executors + 1) * sizeof(*m->executors));
	m->plugins = memory_get((executors + 1) * sizeof(*m->plugins));
	m->indices = memory_get((executors + 1) * sizeof(*m->indices));
	m->devices = memory_get((executors + 1) * sizeof(*m->devices));
	for (size_t i = 0; i < executors; i++)
		layout_init(record_device_layout(), &m->devices[i]);
	return m;
}

static void set_slots(manifest *m, uint64_t executions, uint64_t most)
{
	m->executions = executions;
	m->most = most > executions ? most : executions;
	m->slots = schedule_slots(m->protocol->seed, m->protocol->interleave, executions,
	                          m->executor_count);
	m->slot_count = (size_t)executions * m->executor_count;
}

/* The name of executor i in the run: of the second that is the same, "NAME#2". */
static char *name_in_run(const manifest *m, size_t i)
{
	size_t before = 0;

	for (size_t k = 0; k < i; k++)
		before += strcmp(m->executors[k], m->executors[i]) == 0;
	return before == 0 ? memory_text(m->executors[i]) :
	       memory_format("%s#%zu", m->executors[i], before + 1);
}

/* Whether a reader takes all samples that a case may have.  Of a run that is resumed nobody asks: it has what
 * it has. */
static eh_status check_samples(const manifest *m, eh_error *error)
{
	const uint64_t most = m->most > 0 ? LIMIT_SAMPLES / m->most : LIMIT_SAMPLES;

	for (size_t i = 0; i < m->plan->case_count; i++) {
		const plan_case *c = &m->plan->cases[i];
		const record_settings *s = &c->section->measure;
		const bool requests = s->load_requests > s->samples_max;
		const uint64_t each = requests ? s->load_requests : s->samples_max;

		if (each > most)
			return error_set(error, EH_E_USAGE, "%.200s: %llu executions of %llu samples are more than the "
			                 "%zu that are read of a case; use %s = %llu at most in [case %.60s], or fewer "
			                 "executions", c->id, (unsigned long long)m->most, (unsigned long long)each,
			                 LIMIT_SAMPLES, requests ? "load-requests" : "samples-max",
			                 (unsigned long long)most, c->section->name);
	}
	return EH_OK;
}

eh_status manifest_new(protocol *p, plan *made, uint64_t executions, const selected *chosen,
                       size_t chosen_count, const char *const *options, manifest **out,
                       eh_error *error)
{
	manifest *m = manifest_blank(p, made, chosen_count);
	uint64_t most = 0;
	size_t count = 0;
	eh_status status;

	for (size_t i = 0; i < chosen_count; i++) {
		m->executors[i] = memory_text(chosen[i].device->executor);
		m->names[i] = name_in_run(m, i);
		m->plugins[i] = memory_text(chosen[i].backend->path);
		m->indices[i] = (uint32_t)chosen[i].device->index;
		layout_copy(record_device_layout(), &chosen[i].device->device, &m->devices[i]);
	}
	while (options != NULL && options[count] != NULL)
		count++;
	m->options = memory_get((count + 1) * sizeof(*m->options));
	for (size_t i = 0; i < count; i++)
		m->options[i] = memory_text(options[i]);
	if (executions == 0 && p->design == RECORD_DESIGN_LOCKSTEP) {
		executions = lockstep_run_executions(p, made->case_count, chosen_count);
	} else if (executions == 0) {
		executions = p->executions;
		most = p->executions_max;
	}
	if (executions > MOST_EXECUTIONS / (chosen_count > 0 ? chosen_count : 1)) {
		manifest_free(m);
		return error_set(error, EH_E_USAGE, "%llu executions are too many",
		                 (unsigned long long)executions);
	}
	set_slots(m, executions, most);
	status = check_samples(m, error);
	if (status != EH_OK) {
		manifest_free(m);
		return status;
	}
	*out = m;
	return EH_OK;
}

void manifest_free(manifest *m)
{
	if (m == NULL)
		return;
	for (size_t i = 0; i < m->executor_count; i++) {
		free(m->names[i]);
		free(m->executors[i]);
		free(m->plugins[i]);
		layout_clear(record_device_layout(), &m->devices[i]);
	}
	for (size_t i = 0; m->options != NULL && m->options[i] != NULL; i++)
		free(m->options[i]);
	free(m->options);
	free(m->names);
	free(m->executors);
	free(m->plugins);
	free(m->indices);
	free(m->devices);
	free(m->slots);
	free(m->asked);
	layout_list_clear(record_agreement_layout(), &m->agreements);
	site_free(m->site);
	plan_free(m->plan);
	protocol_free(m->protocol);
	free(m);
}

static eh_status ask_for(manifest *m, const char *pattern, eh_error *error)
{
	const plan *p = m->plan;
	const char **ids = memory_get((p->case_count + 1) * sizeof(*ids));
	size_t found = 0;
	const char *near;
	eh_status status = EH_OK;

	for (size_t i = 0; i < p->case_count; i++) {
		ids[i] = p->cases[i].id;
		if (fnmatch(pattern, ids[i], 0) == 0) {
			m->asked[i] = true;
			found++;
		}
	}
	near = found == 0 ? text_nearest(pattern, ids, p->case_count) : NULL;
	if (found == 0)
		status = error_set(error, EH_E_USAGE, "no case of %s matches '%s'%s%s%s", m->protocol->name,
		                   pattern, near != NULL ? "; did you mean '" : "; evenhand protocol show "
		                   "lists them", near != NULL ? near : "", near != NULL ? "'?" : "");
	free(ids);
	return status;
}

eh_status manifest_ask(manifest *m, const char *patterns, eh_error *error)
{
	char **list = patterns != NULL ? schema_words(patterns, ',') : NULL;
	eh_status status = EH_OK;

	if (patterns == NULL)
		return EH_OK;
	if (list == NULL)
		return error_set(error, EH_E_USAGE, "a pattern is empty in '%s'", patterns);
	m->asked = memory_get((m->plan->case_count + 1) * sizeof(*m->asked));
	for (size_t i = 0; list[i] != NULL && status == EH_OK; i++)
		status = ask_for(m, list[i], error);
	schema_words_free(list);
	return status;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* The environment comes before the site file; an empty variable counts as an answer. */
static const char *who_of(const manifest *m, const char *variable, const char *key)
{
	const char *value = getenv(variable);

	if (value == NULL && m->site != NULL)
		value = site_value(m->site, NULL, key);
	return value != NULL ? value : "";
}

eh_status manifest_who(const manifest *m, record_who *who, eh_error *error)
{
	static const char *const parties[] = { "", "vendor", "buyer", "third-party" };
	const char *party = who_of(m, "EVENHAND_PARTY", "party");
	bool known = false;

	for (size_t i = 0; i < sizeof(parties) / sizeof(*parties) && !known; i++)
		known = strcmp(party, parties[i]) == 0;
	if (!known)
		return error_set(error, EH_E_USAGE, "EVENHAND_PARTY is '%s'; set it to vendor, buyer or "
		                 "third-party, or unset it", party);
	text_set(&who->tester, who_of(m, "EVENHAND_TESTER", "tester"));
	text_set(&who->party, party);
	text_set(&who->sponsor, who_of(m, "EVENHAND_SPONSOR", "sponsor"));
	return EH_OK;
}

/* Beyond these a run deviates from its protocol. */
static uint64_t most_executions(const protocol *p)
{
	return p->design == RECORD_DESIGN_LOCKSTEP && p->executions_max > p->executions ?
	       p->executions_max : p->executions;
}

/* In lockstep, also with one executor: the samples have rounds. */
static void fill_design(const manifest *m, record_line_run *line)
{
	if (m->protocol->design != RECORD_DESIGN_LOCKSTEP)
		return;
	line->design = layout_new(record_design_layout());
	line->design->kind = m->executor_count > 1 ? RECORD_DESIGN_LOCKSTEP : RECORD_DESIGN_SEQUENCE;
	if (m->executor_count == 1)
		text_set(&line->design->reason, "the run has one executor");
	for (size_t i = 0; i < m->executor_count; i++)
		text_list_add(&line->design->executors, m->names[i]);
	line->design->looks = RACE_LOOKS;
}

static void fill_protocol(const manifest *m, record_protocol *out)
{
	const protocol *p = m->protocol;

	text_set(&out->name, p->name);
	out->version = p->version;
	text_set(&out->digest, m->plan->digest);
	text_set(&out->text, p->text);
	layout_copy(record_plan_layout(), m->plan->canonical, &out->canonical);
	if (m->executions < p->executions || m->executions > most_executions(p))
		text_list_format(&out->deviations, "executions: %llu instead of %llu",
		                 (unsigned long long)m->executions, (unsigned long long)p->executions);
}

static void fill_executors(const manifest *m, record_line_device_list *out)
{
	for (size_t i = 0; i < m->executor_count; i++) {
		record_line_device *d = layout_append(record_line_device_layout(), out);

		text_set(&d->name, m->names[i]);
		if (strcmp(m->names[i], m->executors[i]) != 0)
			text_set(&d->executor, m->executors[i]);
		d->backend = memory_format("%.*s", (int)strcspn(m->names[i], ":"), m->names[i]);
		d->index = m->indices[i];
		text_set(&d->path, m->plugins[i]);
	}
}

void manifest_order(const manifest *m, const schedule_slot *slots, size_t count,
                    record_line_order_list *order)
{
	for (size_t i = 0; i < count; i++) {
		record_line_order *at = layout_append(record_line_order_layout(), order);

		at->position = slots[i].position;
		at->execution = slots[i].execution;
		text_set(&at->executor, m->names[slots[i].executor]);
	}
}

/* "quick-1-20261121T000222Z-1f3a9c04" */
static char *run_id(const manifest *m, const char *started)
{
	text id = { 0 };
	uint32_t noise;
	char *copy;

	if (getrandom(&noise, sizeof(noise), 0) != (ssize_t)sizeof(noise))
		noise = (uint32_t)getpid();
	text_add(&id, "%s-%llu-", m->protocol->name, (unsigned long long)m->protocol->version);
	for (const char *c = started; *c != '\0'; c++)
		if (*c != '-' && *c != ':')
			text_add_bytes(&id, c, 1);
	text_add(&id, "-%08x", noise);
	copy = memory_text(id.data);
	text_free(&id);
	return copy;
}

/* The secret that the salts of results are made from (record/redact.h); no result has it. */
static void fill_salt(record_line_run *line)
{
	unsigned char bytes[16];
	char hex[33];

	/* Without it the results have no salts, and nothing in them can be redacted later. */
	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return;
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
	text_set(&line->salt, hex);
}

eh_status manifest_line(const manifest *m, const char *started, record_line_run *line,
                        eh_error *error)
{
	eh_status status = manifest_who(m, &line->who, error);

	if (status != EH_OK)
		return status;
	line->kind = RECORD_LINE_RUN;
	line->format = FORMAT;
	line->id = run_id(m, started);
	fill_salt(line);
	line->seed = m->protocol->seed;
	text_set(&line->started, started);
	executor_program(&line->harness);
	fill_protocol(m, &line->protocol);
	line->executions.declared = m->protocol->executions;
	line->executions.planned = m->executions;
	if (m->most > m->executions)
		line->executions.most = m->most;
	fill_executors(m, &line->executors);
	fill_design(m, line);
	for (size_t i = 0; m->asked != NULL && i < m->plan->case_count; i++)
		if (m->asked[i])
			text_list_add(&line->asked, m->plan->cases[i].id);
	for (size_t i = 0; m->options[i] != NULL; i++)
		text_list_add(&line->options, m->options[i]);
	for (size_t i = 0; i < m->agreements.count; i++)
		layout_copy(record_agreement_layout(), &m->agreements.items[i],
		            layout_append(record_agreement_layout(), &line->agreements));
	manifest_order(m, m->slots, m->slot_count, &line->order);
	return EH_OK;
}

/* ---- reading --------------------------------------------------------------------------------- */

static eh_status check_program(const record_harness *theirs, eh_error *error)
{
	record_harness ours;
	eh_status status = EH_OK;

	layout_init(record_harness_layout(), &ours);
	executor_program(&ours);
	const struct { const char *what, *theirs, *ours; } facts[] = {
		{ "version", theirs->version, ours.version },
		{ "commit", theirs->commit, ours.commit },
		{ "abi", theirs->abi, ours.abi },
	};
	for (size_t i = 0; status == EH_OK && i < sizeof(facts) / sizeof(*facts); i++)
		if (strcmp(facts[i].theirs, facts[i].ours) != 0)
			status = error_set(error, EH_E_USAGE, "the run was started by evenhand of %s %s, and "
			                   "this is %s; resume it with that program or start a new run",
			                   facts[i].what, facts[i].theirs, facts[i].ours);
	layout_clear(record_harness_layout(), &ours);
	return status;
}

static eh_status plan_again(const record_protocol *theirs, protocol **p, plan **made,
                            eh_error *error)
{
	eh_status status = protocol_parse(theirs->text, strlen(theirs->text), "the run's protocol", p,
	                                  error);

	if (status != EH_OK)
		return status;
	protocol_take_plan(*p, &theirs->canonical);
	status = plan_make(*p, plugin_find_workload, NULL, made, error);
	if (status == EH_OK && strcmp((*made)->digest, theirs->digest) != 0) {
		status = error_set(error, EH_E_USAGE, "the run's protocol %s is planned differently now "
		                   "(digest %.12s, it was %.12s): its workloads have changed; start a new "
		                   "run", (*p)->name, (*made)->digest, theirs->digest);
		plan_free(*made);
	}
	if (status != EH_OK)
		protocol_free(*p);
	return status;
}

static bool same_order(const manifest *m, const record_line_order_list *order)
{
	if (order->count != m->slot_count)
		return false;
	for (size_t i = 0; i < order->count; i++)
		if (order->items[i].execution != m->slots[i].execution ||
		    strcmp(order->items[i].executor, m->names[m->slots[i].executor]) != 0)
			return false;
	return true;
}

/* Limits the memory that an edited line can ask for. */
static eh_status check_sizes(const record_line_run *line, eh_error *error)
{
	const record_line_executions *e = &line->executions;

	if (e->planned > 0 && e->planned <= MOST_EXECUTIONS && line->executors.count > 0)
		return EH_OK;
	return error_set(error, EH_E_FORMAT, "the journal's first line plans no execution");
}

static manifest *manifest_again(const record_line_run *line, protocol *p, plan *made)
{
	manifest *m = manifest_blank(p, made, line->executors.count);
	uint64_t most = line->executions.most;

	for (size_t i = 0; i < line->executors.count; i++) {
		const char *own = line->executors.items[i].executor;

		m->names[i] = memory_text(line->executors.items[i].name);
		m->executors[i] = memory_text(own != NULL ? own : m->names[i]);
		m->plugins[i] = memory_text(line->executors.items[i].path);
	}
	m->options = memory_get((line->options.count + 1) * sizeof(*m->options));
	for (size_t i = 0; i < line->options.count; i++)
		m->options[i] = memory_text(line->options.items[i]);
	set_slots(m, line->executions.planned, most <= MOST_EXECUTIONS ? most : 0);
	return m;
}

eh_status manifest_read(const record_line *first, manifest **out, eh_error *error)
{
	const record_line_run *line = &first->run;
	protocol *p = NULL;
	plan *made = NULL;
	manifest *m;
	eh_status status;

	if (first->kind != RECORD_LINE_RUN || line->format != FORMAT)
		return error_set(error, EH_E_FORMAT, "the journal does not start with the run line of "
		                 "this format; resume the run with the program that started it");
	status = check_program(&line->harness, error);
	if (status == EH_OK)
		status = check_sizes(line, error);
	if (status == EH_OK)
		status = plan_again(&line->protocol, &p, &made, error);
	if (status != EH_OK)
		return status;
	m = manifest_again(line, p, made);
	if (line->asked.count > 0)
		m->asked = memory_get((made->case_count + 1) * sizeof(*m->asked));
	for (size_t i = 0; line->asked.count > 0 && i < made->case_count; i++)
		m->asked[i] = text_list_has(&line->asked, made->cases[i].id);
	if (!same_order(m, &line->order)) {
		manifest_free(m);
		return error_set(error, EH_E_FORMAT, "the order in the journal's first line does not "
		                 "follow from its seed; was it edited?");
	}
	*out = m;
	return EH_OK;
}

/* Whether none of the first executors has this plugin. */
static bool is_new(const manifest *m, size_t executors, const char *plugin)
{
	size_t i = 0;

	while (i < executors && strcmp(m->plugins[i], plugin) != 0)
		i++;
	return i == executors;
}

eh_status manifest_find(manifest *m, const discover_report *here, eh_error *error)
{
	for (size_t i = 0; i < m->executor_count; i++) {
		selected found;
		const discover_device *d = discover_find(here, m->executors[i], &found) ? found.device : NULL;

		if (d == NULL || !discover_is(d->status, EH_OK))
			return error_set(error, EH_E_UNAVAILABLE, "the executor %s of this run is %s%s; make "
			                 "it available again, then resume", m->names[i],
			                 d == NULL ? "missing" : "not usable: ",
			                 d == NULL ? "" : d->reason);
		if (is_new(m, i, found.backend->path))
			discover_tell_refused(here, found.backend);
		text_set(&m->plugins[i], found.backend->path);
		m->indices[i] = (uint32_t)d->index;
		layout_clear(record_device_layout(), &m->devices[i]);
		layout_copy(record_device_layout(), &d->device, &m->devices[i]);
	}
	return EH_OK;
}

/* ---- settings of a run that is resumed --------------------------------------------------------- */

static bool has(const char *const *list, const char *word)
{
	for (size_t i = 0; list[i] != NULL; i++)
		if (strcmp(list[i], word) == 0)
			return true;
	return false;
}

eh_status manifest_check_options(const manifest *m, eh_error *error)
{
	const char *const *given = host_options();

	for (size_t i = 0; given[i] != NULL; i++)
		if (!has((const char *const *)m->options, given[i]))
			return error_set(error, EH_E_USAGE, "--resume does not take --set %s: it uses the settings of "
			                 "the run that it completes", given[i]);
	return EH_OK;
}

eh_status manifest_take_options(const manifest *m, eh_error *error)
{
	eh_status status = EH_OK;

	for (size_t i = 0; m->options[i] != NULL && status == EH_OK; i++) {
		char *word;

		if (has(host_options(), m->options[i]))
			continue;
		if (!codeoption_is(m->options[i])) {
			status = host_option_set(m->options[i], error);
			continue;
		}
		word = text_shell_word(m->options[i]);
		status = error_set(error, EH_E_USAGE, "the run's setting %s may name code, which is not taken from a "
		                   "journal; if it is yours, give it again: --set %s", m->options[i], word);
		free(word);
	}
	return status;
}

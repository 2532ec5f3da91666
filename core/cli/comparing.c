/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/comparing.h"

#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/archiving.h"
#include "cli/case_pattern.h"
#include "protocol/schema.h"
#include "report/report.h"

/* ---- who is compared with whom --------------------------------------------------------------- */

static void pair_add(comparison_list *p, const result *a, const result *b, const comparing_options *o)
{
	contract_compare_into(layout_append(comparison_layout(), p), a, b, o->contract);
}

static const result *same_executor(const cli_input *g, const result *like)
{
	size_t i;

	for (i = 0; i < g->count; i++)
		if (strcmp(g->results[i]->record->executor.name, like->record->executor.name) == 0)
			return g->results[i];
	return NULL;
}

static void warn_alone(const result *r, const char *where)
{
	char *name = table_clean(r->record->executor.name);

	log_write(EH_LOG_WARN, "%s is only in %s", name, where);
	free(name);
}

/* Two folders are two runs: each executor against itself. */
static void pair_runs(comparison_list *p, const cli_input *a, const cli_input *b,
                      const comparing_options *o)
{
	size_t i;

	for (i = 0; i < a->count; i++) {
		const result *other = same_executor(b, a->results[i]);

		if (other != NULL)
			pair_add(p, a->results[i], other, o);
		else
			warn_alone(a->results[i], "the baseline");
	}
	for (i = 0; i < b->count; i++)
		if (same_executor(a, b->results[i]) == NULL)
			warn_alone(b->results[i], "the other run");
}

static eh_status pair_all(comparison_list *p, const cli_input *groups, size_t count,
                          const comparing_options *o, eh_error *error)
{
	const result *base = NULL;
	eh_status status = cli_inputs_reference(groups, count, o->baseline, &base, error);

	for (size_t i = 0; i < count && status == EH_OK; i++)
		for (size_t k = 0; k < groups[i].count; k++)
			if (groups[i].results[k] != base)
				pair_add(p, base, groups[i].results[k], o);
	return status;
}

/* Each run with what the archive has of its executors; one result with one. */
static eh_status pair_archived(comparison_list *p, const cli_input *groups, size_t count,
                               const comparing_options *o)
{
	size_t base = 0;

	while (strcmp(groups[base].word, o->baseline) != 0)
		base++;
	for (size_t i = 0; i < count; i++) {
		if (i == base)
			continue;
		if (groups[base].count == 1 && groups[i].count == 1)
			pair_add(p, groups[base].results[0], groups[i].results[0], o);
		else
			pair_runs(p, &groups[base], &groups[i], o);
	}
	return EH_OK;
}

/* Keeps the cases that the command line asks for. */
static eh_status select_cases(comparison_list *p, const cli_input *groups, size_t count,
                              const comparing_options *o, eh_error *error)
{
	text_list ids = { 0 };
	size_t all_count;
	result **all = cli_inputs_all(groups, count, &all_count);
	eh_status status = case_pattern_select(&o->cases, all, all_count, &ids, error);

	for (size_t i = 0; i < p->count && status == EH_OK && o->cases.count > 0; i++)
		comparison_keep(&p->items[i], &ids);
	text_list_clear(&ids);
	free(all);
	return status;
}

/* The words of the command line, and before them the file that --baseline names where it is none of
 * theirs. */
static const char **words_of(const cli_call *call, const comparing_options *o, size_t *count)
{
	const char **words = memory_get((call->count + 1) * sizeof(*words));
	bool add = o->baseline != NULL && (archiving_is(o->baseline) ||
	                                   (strchr(o->baseline, '/') != NULL && file_exists(o->baseline)));

	*count = call->count;
	for (size_t i = 0; i < call->count; i++) {
		size_t size = strlen(call->words[i]);

		words[i] = call->words[i];
		add = add && (strncmp(o->baseline, words[i], size) != 0 ||
		              (o->baseline[size] != '\0' && o->baseline[size] != '/' &&
		               words[i][size - 1] != '/'));
	}
	if (add)
		words[(*count)++] = o->baseline;
	return words;
}

/* ---- who has to have agreed ------------------------------------------------------------------ */

static eh_status find_teams(const char *list, comparing *c, eh_error *error)
{
	audit_keyring ring;
	eh_status status;

	if (list == NULL)
		return EH_OK;
	c->names = schema_words(list, ',');
	if (c->names == NULL)
		return error_set(error, EH_E_USAGE, "--agreed takes teams with commas between, and one is empty in "
		                 "'%.80s'", list);
	status = audit_keyring_read(&ring, error);
	if (status == EH_OK)
		status = audit_teams_find(&ring, c->names, &c->teams, error);
	layout_clear(audit_keyring_layout(), &ring);
	return status;
}

static void free_teams(comparing *c)
{
	free(c->teams.items);
	schema_words_free(c->names);
}

int comparing_refused(const comparing *c)
{
	const comparison_list *all = &c->report->comparisons;
	text_list said = { NULL, 0 };
	int code = EXIT_CODE_OK;

	for (size_t i = 0; i < all->count; i++) {
		const contract_reason *r = NULL;

		while ((r = comparison_departure(&all->items[i], r)) != NULL) {
			code = EXIT_CODE_NOT_COMPARABLE;
			if (text_list_has(&said, r->detail))
				continue;
			text_list_add(&said, r->detail);
			log_write(EH_LOG_WARN, "%s is not compared: %s", all->items[i].other.executor, r->detail);
		}
	}
	text_list_clear(&said);
	return code;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static eh_status pair_groups(comparing *c, const comparing_options *o, eh_error *error)
{
	comparison_list *p = &c->report->comparisons;
	bool one = c->count == 1 && c->groups[0].count == 1;
	eh_status status = EH_OK;

	c->mode = GRID_AGAINST;
	if (one && !o->alone)
		return error_set(error, EH_E_USAGE, "compare needs a second result; %s is one",
		                 c->groups[0].results[0]->path);
	if (one) {
		pair_add(p, c->groups[0].results[0], c->groups[0].results[0], o);
		c->mode = GRID_ALONE;
	} else if (o->baseline != NULL && archiving_is(o->baseline)) {
		status = pair_archived(p, c->groups, c->count, o);
	} else if (c->count == 2 && c->groups[0].folder && c->groups[1].folder && o->baseline == NULL) {
		pair_runs(p, &c->groups[0], &c->groups[1], o);
	} else {
		status = pair_all(p, c->groups, c->count, o, error);
	}
	if (status == EH_OK && p->count == 0)
		return error_set(error, EH_E_USAGE, "no executor is in both %s and %s, which are compared as two runs, "
		                 "each executor with itself; to compare different executors, name their files: %s %s",
		                 c->groups[0].word, c->groups[c->count - 1].word, c->groups[0].results[0]->path,
		                 c->groups[c->count - 1].results[0]->path);
	if (status == EH_OK && p->count > 1 && p->items[0].a != p->items[1].a)
		c->mode = GRID_PAIRED;
	return status == EH_OK ? select_cases(p, c->groups, c->count, o, error) : status;
}

eh_status comparing_make(const cli_call *call, const comparing_options *o, comparing *out, eh_error *error)
{
	comparing c = { .report = NULL };
	comparing_options own = *o;
	const char **words = words_of(call, o, &c.count);
	eh_status status = find_teams(o->agreed, &c, error);

	own.contract.agreed = o->agreed != NULL ? &c.teams : NULL;
	if (status == EH_OK)
		status = cli_inputs_read(words, c.count, &c.groups, error);
	free(words);
	if (status != EH_OK) {
		free_teams(&c);
		return status;
	}
	c.report = layout_new(comparison_report_layout());
	status = pair_groups(&c, &own, error);
	if (status != EH_OK)
		comparing_free(&c);
	else
		*out = c;
	return status;
}

void comparing_free(comparing *c)
{
	layout_free(comparison_report_layout(), c->report);
	cli_inputs_free(c->groups, c->count);
	free_teams(c);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What holds for a whole grid, or for whole columns: the machine, who vouches, how it was run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "audit/audit.h"
#include "base/text.h"
#include "contract/evidence.h"
#include "report/grid.h"

/* ---- the machine's speed --------------------------------------------------------------------- */

/* The largest change of a canary whose case counts; 0 without any. */
static double swing_of(const grid *g)
{
	double most = 0;

	for (size_t i = 0; i < grid_results(g); i++)
		for (size_t k = 0; k < grid_result(g, i)->row_count; k++) {
			const result_row *row = &grid_result(g, i)->rows[k];
			const record_derived *d = row->record->derived;

			if (result_row_counts(row) && d != NULL && d->canary_drift > most)
				most = d->canary_drift;
		}
	return most;
}

static bool cited(const grid *g, const char *rule)
{
	for (size_t k = 0; k < g->count; k++)
		for (size_t i = 0; i < g->comparisons[k].cases.count; i++)
			if (contract_cites(&g->comparisons[k].cases.items[i].reasons, rule))
				return true;
	return false;
}

/* Whether all were measured in turns by one run. */
static bool in_turns(const grid *g)
{
	const char *run = text_or_empty(grid_result(g, 0)->record->run.id);

	for (size_t i = 0; i < grid_results(g); i++) {
		const record_run *r = &grid_result(g, i)->record->run;

		if (r->design == NULL || r->design->kind != RECORD_DESIGN_LOCKSTEP || strcmp(text_or_empty(r->id), run) != 0)
			return false;
	}
	return true;
}

static void swing_note(grid *g)
{
	double swing = swing_of(g);
	const char *after = in_turns(g) ? "; the turns took that out" : "";

	if (!(swing > 0) || !cited(g, "canary-drift"))
		return;
	grid_note_add(g, "", swing < 0.1 ?
	              memory_format("machine speed swung by up to %.0f %% while this ran%s",
	                            swing * 100, after) :
	              memory_format("machine speed swung by up to %.1fx while this ran%s", 1 + swing,
	                            after));
}

/* ---- what was asked for ---------------------------------------------------------------------- */

/* Cases of the protocol that stand in no row. */
static void unasked_note(grid *g)
{
	size_t most = 0;

	for (size_t k = 0; k < g->count; k++) {
		const comparison *c = &g->comparisons[k];
		size_t here = 0;

		for (size_t i = 0; i < c->cases.count; i++)
			here += !comparison_asked(c, &c->cases.items[i]);
		most = here > most ? here : most;
	}
	if (most > 0)
		grid_note_add(g, "", memory_format("%zu more case%s of the protocol %s not asked for", most,
		                                   most == 1 ? "" : "s", most == 1 ? "was" : "were"));
}

/* ---- who agreed ------------------------------------------------------------------------------ */

/* Of the teams that had to agree, where all had. */
static void agreed_note(grid *g)
{
	const comparison_agreement_list *teams = &g->comparisons[0].agreements;
	text t = { 0 };

	for (size_t k = 0; k < g->count; k++)
		if (comparison_departure(&g->comparisons[k], NULL) != NULL)
			return;
	for (size_t i = 0; i < teams->count; i++)
		text_add(&t, "%s%s (key %.12s)", i > 0 ? ", " : "", teams->items[i].team,
		         teams->items[i].fingerprint);
	if (teams->count > 0)
		grid_note_add(g, "", memory_format("protocol agreed on before measuring: %s", t.data));
	text_free(&t);
}

/* ---- results as a whole ---------------------------------------------------------------------- */

/* A fact, and how many results it holds for, by name. */
typedef struct fact { char *words; text names; size_t count; } fact;
typedef struct facts { fact *items; size_t count; } facts;

static bool ends_with(const text *t, const char *name)
{
	size_t size = strlen(name);

	return t->data != NULL && t->size >= size && strcmp(t->data + t->size - size, name) == 0;
}

static void fact_add(facts *all, const char *words, const char *name)
{
	size_t i = 0;

	while (i < all->count && strcmp(all->items[i].words, words) != 0)
		i++;
	if (i == all->count) {
		all->items = memory_grow(all->items, (i + 1) * sizeof(*all->items));
		all->items[all->count++] = (fact){ .words = memory_text(words) };
	}
	all->items[i].count++;
	if (!ends_with(&all->items[i].names, name))
		text_add(&all->items[i].names, "%s%s", all->items[i].names.size > 0 ? ", " : "", name);
}

static bool is_unsigned(const result *r)
{
	const audit_evidence *trust;

	return audit_trust(r, &trust, NULL) == EH_OK && trust->level == AUDIT_UNSIGNED;
}

/* NULL where the record does not say. */
static const char *virtualization_of(const result *r)
{
	const record_layer_list *layers = &r->record->executor.layers;

	for (size_t i = 0; i < layers->count; i++)
		for (size_t k = 0; k < layers->items[i].fields.count; k++) {
			const record_field *f = &layers->items[i].fields.items[k];

			if (layers->items[i].layer == RECORD_LAYER_HOST && f->value.kind == SCALAR_TEXT &&
			    strcmp(f->name, "virtualization") == 0 && f->value.text[0] != '\0' &&
			    strcmp(f->value.text, "none") != 0)
				return f->value.text;
		}
	return NULL;
}

static void add_caveats(facts *all, const evidence *e, const char *name)
{
	for (size_t i = 0; i < e->reasons.count; i++) {
		const contract_reason *reason = &e->reasons.items[i];
		char *words;

		if (reason->level < CONTRACT_CAVEAT)
			continue;
		words = memory_format("%s%s%s", reason->rule, reason->detail[0] != '\0' ? ": " : "",
		                      reason->detail);
		fact_add(all, words, name);
		free(words);
	}
}

static void add_result(facts *all, const grid *g, size_t i)
{
	const result *r = grid_result(g, i);
	const char *name = grid_result_name(g, i);
	const char *machine = virtualization_of(r);
	char *words = machine == NULL ? NULL : strstr(machine, "machine") != NULL ?
	              memory_text(machine) : memory_format("virtual machine (%s)", machine);

	if (is_unsigned(r))
		fact_add(all, "unsigned", name);
	if (words != NULL)
		fact_add(all, words, name);
	add_caveats(all, &grid_source(g, i)->evidence, name);
	free(words);
}

/* Caveats that follow from both results. */
static void add_pairs(facts *all, const grid *g)
{
	for (size_t k = 0; k < g->count; k++)
		for (size_t i = 0; i < g->comparisons[k].reasons.count; i++) {
			const contract_reason *reason = &g->comparisons[k].reasons.items[i];

			if (reason->level == CONTRACT_CAVEAT &&
			    evidence_reason(&g->comparisons[k].baseline.evidence, reason->rule) == NULL &&
			    evidence_reason(&g->comparisons[k].other.evidence, reason->rule) == NULL)
				fact_add(all, reason->rule, grid_column(g, k));
		}
}

/* ---- what the values are --------------------------------------------------------------------- */

/* The statistic behind a value that is no median, or is one where another was declared; "" else. */
static const char *statistic_of(const grid *g, size_t i)
{
	const record_case *row = NULL;

	for (size_t k = 0; k < g->count && row == NULL; k++)
		if (g->rows[i].cells[k].row != NULL && g->rows[i].cells[k].row->a != NULL)
			row = g->rows[i].cells[k].row->a->record;
	if (row == NULL || row->derived == NULL)
		return "";
	if (row->derived->statistic != NULL)
		return row->derived->statistic->name;
	return row->measure.statistic > RECORD_STATISTIC_MEDIAN ? "median" : "";
}

static void statistic_notes(grid *g)
{
	facts all = { 0 };

	for (size_t i = 0; i < g->row_count; i++)
		if (statistic_of(g, i)[0] != '\0')
			fact_add(&all, statistic_of(g, i), g->cases.brief[i]);
	for (size_t i = 0; i < all.count; i++) {
		fact *f = &all.items[i];

		grid_note_add(g, "", f->count == g->row_count ? memory_format("values: %s", f->words) :
		              memory_format("values: %s of %s", f->words, f->names.data));
		text_free(&f->names);
		free(f->words);
	}
	free(all.items);
}

void grid_facts_fill(grid *g)
{
	facts all = { 0 };
	text line = { 0 };

	agreed_note(g);
	unasked_note(g);
	statistic_notes(g);
	swing_note(g);
	for (size_t i = 0; i < grid_results(g); i++)
		add_result(&all, g, i);
	add_pairs(&all, g);
	for (size_t i = 0; i < all.count; i++) {
		const fact *f = &all.items[i];

		text_add(&line, "%s%s", i > 0 ? "; " : "", f->words);
		if (f->count < grid_results(g))
			text_add(&line, " (%s)", f->names.data);
		text_free(&all.items[i].names);
		free(all.items[i].words);
	}
	if (line.size > 0)
		grid_note_add(g, "", memory_text(line.data));
	text_free(&line);
	free(all.items);
}

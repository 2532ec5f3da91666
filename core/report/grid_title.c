/* SPDX-License-Identifier: Apache-2.0 */
/* What is true of a whole grid: protocol, executors, design, time, margin. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "report/grid.h"

static size_t runs_of(const grid *g)
{
	size_t runs = 0;

	for (size_t i = 0; i < grid_results(g); i++) {
		bool known = false;

		for (size_t k = 0; k < i && !known; k++)
			known = strcmp(grid_result(g, i)->record->run.id, grid_result(g, k)->record->run.id) == 0;
		runs += !known;
	}
	return runs;
}

static void add_protocols(text *t, const grid *g)
{
	text_list names = { 0 };

	for (size_t i = 0; i < grid_results(g); i++) {
		const record_protocol *p = &grid_result(g, i)->record->protocol;
		char *name = memory_format("%s@%llu", p->name, (unsigned long long)p->version);

		if (!text_list_has(&names, name)) {
			text_add(t, "%s%s", names.count > 0 ? " and " : "", name);
			text_list_add(&names, name);
		}
		free(name);
	}
	text_list_clear(&names);
	if (g->comparisons[0].certified)
		text_add(t, " (certified)");
}

/* ---- time ------------------------------------------------------------------------------------ */

static void add_seconds(text *t, const record_run *run)
{
	double seconds = run->design != NULL && run->design->spent_ns != LAYOUT_NO_UINT ?
	                 (double)run->design->spent_ns * 1e-9 : 0;
	int64_t from, to;

	if (!(seconds > 0) && clock_wall_seconds(run->started, &from) && clock_wall_seconds(run->ended, &to))
		seconds = (double)(to - from);
	if (seconds > 0)
		text_add(t, ": %.0f s", seconds);
}

/* The rounds of all cases and executions together; 0 without turns. */
static uint64_t rounds_of(const result *r)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < r->row_count; i++)
		for (size_t e = 0; e < r->rows[i].record->executions.count; e++) {
			const record_turns *turns = r->rows[i].record->executions.items[e].turns;

			if (turns != NULL && turns->rounds.count > 0)
				sum += turns->rounds.items[turns->rounds.count - 1];
		}
	return sum;
}

static void add_executions(text *t, const grid *g)
{
	uint64_t least = UINT64_MAX, most = 0;

	for (size_t i = 0; i < grid_results(g); i++) {
		uint64_t done = grid_result(g, i)->record->run.executions.done;

		least = done < least ? done : least;
		most = done > most ? done : most;
	}
	text_add(t, ", %llu", (unsigned long long)least);
	if (most > least)
		text_add(t, " to %llu", (unsigned long long)most);
	text_add(t, " execution%s", most == 1 ? "" : "s");
}

static void add_design(text *t, const grid *g)
{
	const record_run *run = &grid_result(g, 0)->record->run;
	bool turns = run->design != NULL && run->design->kind == RECORD_DESIGN_LOCKSTEP;

	text_add(t, turns ? ", in turns" : ", in sequence");
	add_seconds(t, run);
	if (turns)
		text_add(t, ", %llu rounds", (unsigned long long)rounds_of(grid_result(g, 0)));
	else
		add_executions(t, g);
}

/* ---- the line -------------------------------------------------------------------------------- */

static bool one_name(const grid *g)
{
	for (size_t i = 1; i < grid_results(g); i++)
		if (strcmp(labels_name(grid_result(g, i)), labels_name(grid_result(g, 0))) != 0)
			return false;
	return true;
}

static void add_executor(text *t, const result *r)
{
	const char *device = r->record->executor.device.name;

	text_add(t, " on %s%s%s%s", labels_name(r), device != NULL ? " (" : "", text_or_empty(device),
	         device != NULL ? ")" : "");
}

char *grid_title(const grid *g)
{
	size_t executors = g->count + (g->mode == GRID_PAIRED ? 0 : 1);
	text t = { 0 };

	add_protocols(&t, g);
	if (g->mode == GRID_ALONE)
		add_executor(&t, grid_result(g, 0));
	else if (g->mode == GRID_PAIRED)
		text_add(&t, ", each of %zu executor%s against its other run", executors,
		         executors == 1 ? "" : "s");
	else if (one_name(g))
		text_add(&t, " on %s, %zu results", labels_name(grid_result(g, 0)), executors);
	else
		text_add(&t, " on %zu executors", executors);
	if (runs_of(g) == 1) {
		text_add(&t, "%s", g->mode == GRID_ALONE ? "" : " of one machine");
		add_design(&t, g);
	} else {
		if (g->mode == GRID_AGAINST)
			text_add(&t, " in %zu runs", runs_of(g));
		add_executions(&t, g);
	}
	return t.data;
}

char *grid_margin(const grid *g)
{
	double least = INFINITY, most = 0;

	for (size_t i = 0; i < g->row_count; i++)
		for (size_t k = 0; k < g->count; k++) {
			const comparison_row *row = g->rows[i].cells[k].row;

			if (row == NULL || !(row->margin > 0))
				continue;
			least = fmin(least, row->margin);
			most = fmax(most, row->margin);
		}
	if (!(most > 0) || g->mode == GRID_ALONE)
		return memory_text("");
	return least < most * 0.9999 ? memory_format("%.2g to %.2g %%", least * 100, most * 100)
	                             : memory_format("%.3g %%", most * 100);
}

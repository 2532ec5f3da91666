/* SPDX-License-Identifier: Apache-2.0 */
/* Checks a record's executor: its digest, its clocks, and that the programs of the rows are what its
 * compiler made. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "record/check.h"
#include "record/identity.h"

/* ---- the digest ------------------------------------------------------------------------------ */

/* An executor that could not be opened has none. */
static void check_identity(const record_executor *e, findings *f)
{
	char hex[65];

	if (e->digest == NULL || e->digest[0] == '\0' || !identity_digest(e, hex) ||
	    strcmp(hex, e->digest) == 0)
		return;
	findings_differ(f, CHECK_RUN, "executor.digest", memory_format("\"%.60s\"", e->digest),
	                memory_format("\"%.60s\"", hex), "its device and layers give");
}

static void check_instruments(const record_instrument_list *all, findings *f)
{
	for (size_t i = 1; i < all->count && !findings_enough(f); i++) {
		char *place;

		if (all->items[i].execution > all->items[i - 1].execution)
			continue;
		place = memory_format("instruments[%zu].execution", i);
		(void)findings_add(f, EH_E_ALTERED, CHECK_RUN, place, NULL, NULL,
		                   "%s is not above the one before it" FINDING_ALTERED, place);
		free(place);
	}
}

void check_executor(const record_result *r, findings *f)
{
	if (!findings_enough(f))
		check_identity(&r->executor, f);
	check_instruments(&r->instruments, f);
}

/* ---- programs -------------------------------------------------------------------------------- */

static bool same_text(const char *a, const char *b)
{
	return strcmp(a != NULL ? a : "", b != NULL ? b : "") == 0;
}

/* A compiler that was not known when the layers were listed may be any. */
static bool is_by(const record_program *p, const record_layer *layer)
{
	return layer->source == RECORD_SOURCE_UNAVAILABLE ||
	       (same_text(layer->name, p->compiler) &&
	        (p->compiler_version == NULL || same_text(layer->version, p->compiler_version)));
}

/* Whether the stack has the program's compiler, as far as both name one. */
static bool has_compiler(const record_executor *e, const record_program *p)
{
	bool any = false;

	for (size_t i = 0; i < e->layers.count; i++) {
		if (e->layers.items[i].layer != RECORD_LAYER_COMPILER)
			continue;
		if (is_by(p, &e->layers.items[i]))
			return true;
		any = true;
	}
	return !any || p->compiler == NULL || p->compiler[0] == '\0';
}

bool check_stack_changed(const record_result *r)
{
	const text_list *deviations = &r->protocol.deviations;
	const size_t size = strlen(RECORD_EXECUTOR_CHANGED);

	for (size_t i = 0; i < deviations->count; i++)
		if (strncmp(deviations->items[i], RECORD_EXECUTOR_CHANGED, size) == 0)
			return true;
	return false;
}

static const record_program *program_of(const record_execution *e)
{
	return record_execution_counts(e) ? e->program : NULL;
}

/* In the portable tier all executions run one program text. */
static void check_source(const row_check *c, const record_program *p, const record_program *first,
                         size_t index)
{
	if (c->row->tier != RECORD_TIER_PORTABLE || p->source_sha256 == NULL || findings_enough(c->f) ||
	    first->source_sha256 == NULL || strcmp(p->source_sha256, first->source_sha256) == 0)
		return;
	check_add(c, EH_E_ALTERED, CHECK_ROWS, index, "program.source_sha256",
	          memory_text("is not that of the executions before it, though the case is one"));
}

void check_programs(const row_check *c)
{
	const record_execution_list *all = &c->row->executions;
	const record_program *first = NULL;

	if (c->stack_changed)
		return;
	for (size_t i = 0; i < all->count && !findings_enough(c->f); i++) {
		const record_program *p = program_of(&all->items[i]);

		if (p == NULL)
			continue;
		first = first != NULL ? first : p;
		check_source(c, p, first, i);
		if (!findings_enough(c->f) && !has_compiler(&c->result->executor, p))
			check_add(c, EH_E_ALTERED, CHECK_ROWS, i, "program.compiler",
			          memory_format("is %.40s%s%.60s, which no compiler layer of the executor is",
			                        p->compiler, p->compiler_version != NULL ? " " : "",
			                        p->compiler_version != NULL ? p->compiler_version : ""));
	}
}

/* ---- positions ------------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
	const row_place *x = a;
	const row_place *y = b;

	if (x->execution != y->execution)
		return x->execution < y->execution ? -1 : 1;
	if (x->position != y->position)
		return x->position < y->position ? -1 : 1;
	return x->row != y->row ? (x->row > y->row) - (x->row < y->row) :
	                          (x->index > y->index) - (x->index < y->index);
}

void check_positions(row_sums *rows, findings *f)
{
	row_place *all = rows->places;

	if (findings_enough(f) || rows->place_count == 0)
		return;
	qsort(all, rows->place_count, sizeof(*all), by_place);
	for (size_t i = 1; i < rows->place_count && !findings_enough(f); i++) {
		char *where;

		if (all[i].execution != all[i - 1].execution || all[i].position != all[i - 1].position)
			continue;
		where = memory_format("cases[%u].executions[%u].position", (unsigned)all[i].row,
		                      (unsigned)all[i].index);
		(void)findings_add(f, EH_E_ALTERED, CHECK_RUN, where, NULL, NULL,
		                   "%s is %llu, where execution %llu measured cases[%u]" FINDING_ALTERED,
		                   where, (unsigned long long)all[i].position,
		                   (unsigned long long)all[i].execution, (unsigned)all[i - 1].row);
		free(where);
	}
}

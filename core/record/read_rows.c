/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a result that is read: independent of each other, so that every processor takes some,
 * and only the samples, and what somebody wants kept, stay in memory. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "record/reader.h"
#include "record/rowpool.h"

/* Rows that one thread takes at a time; fewer are not worth a second thread. */
enum { STRIDE = 16 };

typedef struct row_reader {
	reader *all;
	json_arena *arena, *kept;
	pthread_t thread;
} row_reader;

/* The words of a checked row, which outlive its tree. */
static const char *status_word(const cJSON *row)
{
	static const char *const words[] = { "valid", "not-converged", "unsupported", "failed",
		                             "invalid" };
	const char *word = json_string(row, "status", "");
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(words[i], word) == 0)
			return words[i];
	return "";
}

static const char *clock_word(const cJSON *row)
{
	const cJSON *e;

	cJSON_ArrayForEach(e, json_path(row, "executions"))
		if (pool_counts(e))
			return strcmp(json_string(e, "clock", ""), "device") == 0 ? "device" : "host";
	return "";
}

/* What a plan says, its row says too. */
static void fill_from_plan(result_row *r, const cJSON *plan)
{
	const cJSON *work = json_path(plan, "work");

	r->plan = plan;
	r->id = json_string(plan, "id", "");
	r->workload = json_string(plan, "workload", "");
	r->precision = json_string(plan, "precision", "");
	r->tier = json_string(plan, "tier", "");
	r->metric = json_string(work, "metric", "");
	(void)json_double(work, "amount", &r->amount);
	if (pool_is_load(plan)) {
		r->metric = "s";
		r->amount = 1;
	}
	r->status = r->clock = "";
}

static eh_status parse_row(const reader *all, json_arena *arena, size_t i, cJSON **row,
                           eh_error *error)
{
	char *place;
	eh_status status = json_parse_part(arena, all->text, all->r->memory->parts.rows[i], 2, all->name,
	                                   row, error);

	if (status != EH_OK)
		return status;
	place = memory_format("cases[%zu]", i);
	status = layout_decode(record_case_layout(), *row, all->name, place,
	                       &all->r->record->cases.items[i], error);
	free(place);
	return status;
}

/* What outlives the row's tree. */
static void keep_of(const reader *all, json_arena *kept, result_row *r, const cJSON *row)
{
	void *room;

	if (all->trees || all->keeper != NULL)
		r->json = row;
	if (all->keeper == NULL)
		return;
	room = json_arena_get(kept, all->keeper->size);
	all->keeper->take(r, kept, room);
	r->kept = room;
	r->json = NULL;
}

static void take_row(reader *all, json_arena *arena, json_arena *kept, size_t i)
{
	result_row *r = &all->r->rows[i];
	eh_error error = ERROR_INIT;
	cJSON *row = NULL;

	if (i < all->r->record->protocol.canonical.cases.count)
		r->planned = &all->r->record->protocol.canonical.cases.items[i];
	fill_from_plan(r, all->plans[i]);
	if (parse_row(all, arena, i, &row, &error) != EH_OK) {
		char *place = memory_format("cases[%zu]", i);

		(void)findings_add_error(&all->found[i], CHECK_STRUCTURE, place, all->name, &error);
		free(place);
		all->executions[i] = SIZE_MAX;
		return;
	}
	all->executions[i] = (size_t)cJSON_GetArraySize(json_path(row, "executions"));
	run_order_count(&all->order, row);
	record_pool_fill(&all->r->pools[i], row);
	check_row(row, &(row_given){ i, &all->r->pools[i], all->plans[i], all->seals[i], &all->order,
		                     arena }, &all->found[i]);
	r->record = &all->r->record->cases.items[i];
	r->status = status_word(row);
	r->clock = clock_word(row);
	r->runs = all->executions[i];
	r->side = record_pool_side(&all->r->pools[i]);
	keep_of(all, kept, r, row);
}

static void *take_rows(void *context)
{
	row_reader *mine = context;
	reader *all = mine->all;
	size_t count = all->r->row_count;

	for (;;) {
		size_t from = atomic_fetch_add(&all->next, STRIDE);
		size_t i;

		if (from >= count)
			return NULL;
		for (i = from; i < count && i < from + STRIDE; i++) {
			if (!all->trees)
				json_arena_reset(mine->arena);
			take_row(all, mine->arena, mine->kept, i);
		}
	}
}

void reader_take_rows(reader *all, void (*meanwhile)(void *), void *context)
{
	row_reader readers[READER_THREADS_MAX];
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	size_t want = processors < 1 ? 1 : (size_t)processors;
	size_t count = 1;
	size_t i;

	if (want > READER_THREADS_MAX)
		want = READER_THREADS_MAX;
	if (want > (all->r->row_count + STRIDE - 1) / STRIDE)
		want = (all->r->row_count + STRIDE - 1) / STRIDE;
	for (i = 0; i < READER_THREADS_MAX; i++)
		readers[i] = (row_reader){ .all = all };
	for (i = 0; i < want || i == 0; i++) {
		readers[i].arena = json_arena_new();
		readers[i].kept = all->keeper != NULL ? json_arena_new() : NULL;
	}
	while (count < want &&
	       pthread_create(&readers[count].thread, NULL, take_rows, &readers[count]) == 0)
		count++;
	meanwhile(context);
	(void)take_rows(&readers[0]);
	for (i = 1; i < count; i++)
		(void)pthread_join(readers[i].thread, NULL);
	for (i = 0; i < READER_THREADS_MAX; i++) {
		all->r->memory->kept[i] = all->trees ? readers[i].arena : readers[i].kept;
		if (!all->trees)
			json_arena_free(readers[i].arena);
	}
}

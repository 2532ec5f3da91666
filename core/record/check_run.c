/* SPDX-License-Identifier: Apache-2.0 */
/* What a record says of its run: when, which executions, in which order, how noisy. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "record/check.h"

/* ---- times ----------------------------------------------------------------------------------- */

static int number_at(const char *s, size_t digits)
{
	int value = 0;

	for (size_t i = 0; i < digits; i++)
		value = value * 10 + (s[i] - '0');
	return value;
}

static int days_of(int year, int month)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

	return days[month - 1] + (month == 2 && leap);
}

/* "2026-11-21T00:02:22Z", of a day that there is. */
static bool is_time(const char *s)
{
	static const char form[] = "0000-00-00T00:00:00Z";
	int month;
	int day;
	size_t i;

	for (i = 0; form[i] != '\0'; i++)
		if (form[i] == '0' ? s[i] < '0' || s[i] > '9' : s[i] != form[i])
			return false;
	if (s[i] != '\0')
		return false;
	month = number_at(s + 5, 2);
	day = number_at(s + 8, 2);
	return month >= 1 && month <= 12 && day >= 1 && day <= days_of(number_at(s, 4), month) &&
	       number_at(s + 11, 2) <= 23 && number_at(s + 14, 2) <= 59 && number_at(s + 17, 2) <= 59;
}

static void not_a_time(findings *f, const cJSON *run, const char *key)
{
	char *place = memory_format("run.%s", key);

	(void)findings_add(f, EH_E_FORMAT, CHECK_RUN, place, json_path(run, key), NULL,
	                   "%s is not a time like 2026-11-21T00:02:22Z", place);
	free(place);
}

/* ---- executions ------------------------------------------------------------------------------ */

void run_order_take(const cJSON *head, run_order *order, findings *f)
{
	static const char *const keys[] = { "execution", "position" };
	const cJSON *list = json_path(head, "run.order");
	size_t room = (size_t)cJSON_GetArraySize(list) + 1;
	uint64_t before[2] = { 0, 0 };
	const cJSON *item;

	*order = (run_order){ .sound = true, .numbers = memory_get(room * sizeof(*order->numbers)),
		              .rows = memory_get(room * sizeof(*order->rows)) };
	cJSON_ArrayForEach(item, list) {
		for (size_t i = 0; i < 2; i++) {
			uint64_t number = 0;

			(void)json_uint(item, keys[i], &number);
			if (number <= before[i] && !findings_enough(f)) {
				char *place = memory_format("run.order[%zu].%s", order->count, keys[i]);

				(void)findings_add(f, EH_E_ALTERED, CHECK_RUN, place,
				                   json_path(item, keys[i]), NULL,
				                   "%s is not above the one before it" ALTERED, place);
				free(place);
			}
			order->sound = order->sound && number > before[i];
			before[i] = number;
		}
		order->numbers[order->count++] = before[0];
	}
}

/* Where the execution stands, or where it would. */
static size_t place_in(const run_order *order, uint64_t number)
{
	size_t low = 0;
	size_t high = order->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (order->numbers[middle] < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool run_order_lists(const run_order *order, uint64_t number)
{
	size_t i = place_in(order, number);

	return !order->sound || (i < order->count && order->numbers[i] == number);
}

void run_order_count(run_order *order, const cJSON *row)
{
	const cJSON *e;
	uint64_t number;

	cJSON_ArrayForEach(e, json_path(row, "executions"))
		if (order->sound && json_uint(e, "execution", &number) &&
		    run_order_lists(order, number))
			atomic_fetch_add(&order->rows[place_in(order, number)], 1);
}

void run_order_free(run_order *order)
{
	free(order->numbers);
	free(order->rows);
}

static void too_few(findings *f, uint64_t done, size_t row, size_t has)
{
	(void)findings_add(f, EH_E_ALTERED, CHECK_RUN, "run.executions.done", NULL, NULL,
	                   "run.executions.done is %llu but cases[%zu] has %zu executions" ALTERED,
	                   (unsigned long long)done, row, has);
}

void check_executions(const cJSON *head, const size_t *executions, size_t rows, findings *f)
{
	const cJSON *all = json_path(head, "run.executions");
	uint64_t done = 0;
	uint64_t planned = 0;

	(void)json_uint(all, "done", &done);
	for (size_t i = 0; i < rows && !findings_enough(f); i++) {
		if (executions[i] >= done)
			continue;
		too_few(f, done, i, executions[i]);
		return;
	}
	check_expect(f, CHECK_RUN, "run.executions.declared", json_path(all, "declared"),
	             json_path(head, "protocol.canonical.executions"), "protocol.canonical says");
	if (json_uint(all, "planned", &planned) && done < planned && !findings_enough(f) &&
	    strcmp(json_string(head, "status", ""), "complete") == 0)
		(void)findings_add(f, EH_E_ALTERED, CHECK_RUN, "status", json_path(head, "status"), NULL,
		                   "status is complete but run.executions.done is %llu of %llu planned"
		                   ALTERED, (unsigned long long)done, (unsigned long long)planned);
}

/* A complete run has the first execution and all after it. */
static void check_gaps(const cJSON *head, const run_order *order, findings *f)
{
	if (strcmp(json_string(head, "status", ""), "complete") != 0)
		return;
	for (size_t i = 0; i < order->count && !findings_enough(f); i++) {
		if (order->numbers[i] == i + 1)
			continue;
		(void)findings_add(f, EH_E_ALTERED, CHECK_RUN, "run.order", NULL, NULL,
		                   "status is complete but run.order has execution %llu in the place of "
		                   "execution %zu" ALTERED, (unsigned long long)order->numbers[i], i + 1);
		return;
	}
}

void check_order(const cJSON *head, const run_order *order, size_t rows, findings *f)
{
	const cJSON *done = json_path(head, "run.executions.done");
	uint64_t said = 0;
	size_t whole = 0;

	if (!order->sound)
		return;
	check_gaps(head, order, f);
	for (size_t i = 0; i < order->count && !findings_enough(f); i++) {
		whole += order->rows[i] == rows;
		if (order->rows[i] == 0)
			(void)findings_add(f, EH_E_ALTERED, CHECK_RUN, "run.order", NULL, NULL,
			                   "run.order lists execution %llu, of which no case has anything"
			                   ALTERED, (unsigned long long)order->numbers[i]);
	}
	(void)json_as_uint(done, &said);
	if (said != whole && !findings_enough(f))
		(void)findings_add(f, EH_E_ALTERED, CHECK_RUN, "run.executions.done", done, NULL,
		                   "run.executions.done is %llu but every case has %zu of the executions "
		                   "in run.order" ALTERED, (unsigned long long)said, whole);
}

/* ---- the rest -------------------------------------------------------------------------------- */

static void check_noise(const cJSON *noise, findings *f)
{
	const cJSON *class;

	cJSON_ArrayForEach(class, json_path(noise, "classes")) {
		char *place;

		if (class->valuedouble >= 0 || findings_enough(f))
			continue;
		place = memory_format("run.noise_floor.classes.%.40s", class->string);
		(void)findings_add(f, EH_E_FORMAT, CHECK_RUN, place, class, NULL,
		                   "%s is below 0, so it is no share", place);
		free(place);
	}
}

void check_run(const cJSON *head, bool has_samples, findings *f)
{
	const cJSON *run = json_path(head, "run");
	const char *ended = json_string(run, "ended", "");
	bool complete = strcmp(json_string(head, "status", ""), "complete") == 0;

	if (findings_enough(f))
		return;
	if (!is_time(json_string(run, "started", "")))
		not_a_time(f, run, "started");
	/* A run that was killed did not say when. */
	if (!is_time(ended) && (complete || ended[0] != '\0'))
		not_a_time(f, run, "ended");
	check_noise(json_path(run, "noise_floor"), f);
	/* An executor that could not be opened has none, and no samples. */
	if (has_samples && cJSON_GetArraySize(json_path(head, "executor.layers")) == 0)
		(void)findings_add(f, EH_E_FORMAT, CHECK_RUN, "executor.layers", NULL, NULL,
		                   "executor.layers is empty, so nothing says what the samples were "
		                   "taken on");
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/plan_page.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "report/report.h"

static void print_cases(const run_plan *p)
{
	table *t = table_new("nrrr");
	bool together = p->design == RECORD_DESIGN_LOCKSTEP;

	table_head(t, (const char *const[]){ "case", "working set", "memory", "samples" });
	table_rule(t);
	for (size_t i = 0; i < p->cases.count; i++) {
		const run_plan_case *c = &p->cases.items[i];
		char set[32], memory[32], longest[32], *most;

		text_about_bytes(c->working_set_bytes, set);
		text_about_bytes(c->memory_bytes * (together ? p->executors.count : 1), memory);
		text_format_duration(c->longest_ns, longest);
		most = memory_format("%s at most", longest);
		table_row(t, (const char *const[]){ c->id, set, memory, most });
		free(most);
	}
	(void)table_print(t, stdout);
	table_free(t);
}

/* A line for each executor without the memory for all cases. */
static void print_too_large(const run_plan *p)
{
	for (size_t e = 0; e < p->executors.count; e++) {
		const char *name = p->executors.items[e], *first = NULL;
		size_t count = 0;

		for (size_t i = 0; i < p->cases.count; i++)
			if (text_list_has(&p->cases.items[i].too_large_for, name)) {
				first = first == NULL ? p->cases.items[i].id : first;
				count++;
			}
		if (count == 1)
			printf("too large for %s, and unsupported there: %s\n", name, first);
		else if (count > 1)
			printf("too large for %s, and unsupported there: %zu cases, such as %s\n", name, count, first);
	}
}

/* malloc'd "8 cases in 2 executions each, 60s in all, ...". */
static char *amount_words(const run_plan *p)
{
	char time[32], cache[32];
	text t = { 0 };

	text_add(&t, "%zu cases in %llu executions each, ", p->cases.count, (unsigned long long)p->executions);
	text_format_duration(p->budget_ns != LAYOUT_NO_UINT ? p->budget_ns :
	                     p->expected_ns / 1000000000 * 1000000000, time);
	text_add(&t, "%s %s, design %s", time, p->budget_ns != LAYOUT_NO_UINT ? "in all" : "at least",
	         run_design_word(p->design));
	if (p->size_class != 0)
		text_add(&t, ", sizes %s", run_size_class_word(p->size_class));
	if (p->cache_bytes != LAYOUT_NO_UINT) {
		text_format_bytes(p->cache_bytes, cache);
		text_add(&t, ", sizes for a cache of %s", cache);
	}
	if (p->compute_units != LAYOUT_NO_UINT)
		text_add(&t, ", numbers for %llu compute units", (unsigned long long)p->compute_units);
	return t.data;
}

void plan_page_print(const run_plan *p)
{
	char *amount = amount_words(p);
	text on = { 0 };

	text_add(&on, "%s on ", p->protocol);
	for (size_t i = 0; i < p->executors.count; i++)
		text_add(&on, "%s%s", i > 0 ? ", " : "", p->executors.items[i]);
	(void)table_sentence(stdout, on.data);
	(void)table_sentence(stdout, amount);
	putchar('\n');
	print_cases(p);
	for (size_t i = 0; i < p->agreed.count; i++)
		printf("%s%s%s", i == 0 ? "\nagreements: " : ", ", p->agreed.items[i], i + 1 == p->agreed.count ? "\n" : "");
	printf("\nmemory: %s\n", p->design == RECORD_DESIGN_LOCKSTEP ?
	       "of all executors together, which hold it at the same time" : "of one executor");
	print_too_large(p);
	text_free(&on);
	free(amount);
}

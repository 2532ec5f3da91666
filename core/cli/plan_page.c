/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/plan_page.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "report/report.h"

static void format_bytes(double bytes, char out[32])
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	size_t unit = 0;

	for (; bytes >= 1024 && unit + 1 < sizeof(units) / sizeof(units[0]); unit++)
		bytes /= 1024;
	snprintf(out, 32, "%.3g %s", bytes, units[unit]);
}

static void print_cases(const run_plan *p)
{
	table *t = table_new("lrrr");
	bool together = p->design == RECORD_DESIGN_LOCKSTEP;

	table_row(t, (const char *const[]){ "case", "working set", "memory", "samples" });
	table_rule(t);
	for (size_t i = 0; i < p->cases.count; i++) {
		const run_plan_case *c = &p->cases.items[i];
		char set[32], memory[32], longest[32], *most;

		format_bytes((double)c->working_set_bytes, set);
		format_bytes((double)c->memory_bytes * (together ? (double)p->executors.count : 1), memory);
		text_format_duration(c->longest_ns, longest);
		most = memory_format("%s at most", longest);
		table_row(t, (const char *const[]){ c->id, set, memory, most });
		free(most);
	}
	(void)table_print(t, stdout);
	table_free(t);
}

void plan_page_print(const run_plan *p)
{
	char time[32], cache[32];

	printf("%s on ", p->protocol);
	for (size_t i = 0; i < p->executors.count; i++)
		printf("%s%s", i > 0 ? ", " : "", p->executors.items[i]);
	printf("\n%zu cases in %llu executions each, ", p->cases.count, (unsigned long long)p->executions);
	if (p->budget_ns != LAYOUT_NO_UINT) {
		text_format_duration(p->budget_ns, time);
		printf("%s in all", time);
	} else {
		text_format_duration(p->expected_ns / 1000000000 * 1000000000, time);
		printf("%s at least", time);
	}
	printf(", design %s", run_design_word(p->design));
	if (p->size_class != 0)
		printf(", sizes %s", run_size_class_word(p->size_class));
	if (p->cache_bytes != LAYOUT_NO_UINT) {
		text_format_bytes(p->cache_bytes, cache);
		printf(", sizes for a cache of %s", cache);
	}
	if (p->compute_units != LAYOUT_NO_UINT)
		printf(", numbers for %llu compute units", (unsigned long long)p->compute_units);
	printf("\n\n");
	print_cases(p);
	printf("\nmemory: %s\n", p->design == RECORD_DESIGN_LOCKSTEP ?
	       "of all executors together, which hold it at the same time" : "of one executor");
}

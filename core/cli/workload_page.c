/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/workload_page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/command.h"
#include "protocol/canonical.h"
#include "protocol/plan.h"
#include "protocol/values.h"
#include "report/report.h"

/* ---- filling --------------------------------------------------------------------------------- */

/* As text_set, of a plugin's text. */
static void set_clean(char **to, const char *from)
{
	text_set(to, from);
	if (*to != NULL)
		text_clean(*to);
}

static void add_words(text_list *out, const char *list, const char *between)
{
	char *copy = memory_text(list), *rest = copy;

	for (char *word; (word = strsep(&rest, between)) != NULL;)
		if (word[0] != '\0' && !text_list_has(out, word))
			text_list_add(out, word);
	free(copy);
}

/* Those of the parameter, or that of the default case. */
static void find_precisions(const eh_workload *workload, text_list *out)
{
	const eh_param *param = values_param(workload, "precision");
	eh_work work;
	eh_case values;

	if (param != NULL && param->type == EH_PARAM_ENUM && param->domain != NULL) {
		char *domain = NULL;

		set_clean(&domain, param->domain);
		add_words(out, domain, "|");
		free(domain);
	} else if (values_given(workload, NULL, 0, &values, &work, NULL) == EH_OK) {
		if (work.precision[0] != '\0')
			text_list_add(out, work.precision);
		plan_values_free(&values);
	}
}

void workload_summarise(const eh_workload *workload, answer_workload *out)
{
	text_set(&out->name, workload->name);
	text_set(&out->summary, workload->summary);
	out->revision = workload->revision;
	find_precisions(workload, &out->precisions);
	for (int tier = RECORD_TIER_PORTABLE; tier <= RECORD_TIER_VENDOR; tier++)
		if (values_offers(workload, (enum record_tier)tier))
			word_list_add(&out->tiers, tier);
}

static void fill_parameters(const eh_workload *workload, answer_parameter_list *out)
{
	for (size_t i = 0; i < values_param_count(workload); i++) {
		const eh_param *param = &workload->params[i];
		answer_parameter *one = layout_append(answer_parameter_layout(), out);

		set_clean(&one->key, param->key);
		set_clean(&one->domain, param->domain != NULL ? param->domain : "");
		set_clean(&one->standard, param->standard);
		set_clean(&one->tune, param->tune);
		set_clean(&one->help, param->help != NULL ? param->help : "");
	}
}

static void fill_counted(const eh_case *values, const eh_work *work, answer_counted *out)
{
	for (uint32_t i = 0; i < values->value_count; i++)
		text_map_add(&out->parameters, values->values[i].key, values->values[i].text);
	text_set(&out->precision, work->precision);
	canonical_work(work, &out->work);
	out->device_bytes = work->device_bytes;
	out->local_bytes = work->local_bytes;
	out->group_items = work->group_items;
	text_set(&out->kernel, work->kernel);
}

/* The settings as lines of a section; of no settings the first parameter at its default. */
static char *example_of(const eh_workload *workload, const char *const *settings, size_t count)
{
	const eh_param *first = workload->params;
	text t = { 0 };

	text_add(&t, "[case %s]\nworkload = %s\n", workload->name, workload->name);
	for (size_t i = 0; i < count; i++) {
		const int size = (int)strcspn(settings[i], "=");

		text_add(&t, "%.*s = %s\n", size, settings[i], settings[i] + size + 1);
	}
	if (count == 0 && values_param_count(workload) > 0)
		text_add(&t, "%s = %s\n", first->key, first->standard != NULL ? first->standard : "VALUE");
	return t.data;
}

eh_status workload_describe(const eh_workload *workload, const char *const *settings, size_t count,
                            answer_workload_page *out, eh_error *error)
{
	eh_error own = ERROR_INIT;
	eh_work work;
	eh_case values;
	eh_status status = values_given(workload, settings, count, &values, &work, &own);

	if (status != EH_OK && count > 0)
		return error_set(error, status, "%s", own.message);
	workload_summarise(workload, &out->workload);
	fill_parameters(workload, &out->parameters);
	if (status == EH_OK) {
		out->counted = layout_new(answer_counted_layout());
		fill_counted(&values, &work, out->counted);
		plan_values_free(&values);
	} else {
		set_clean(&out->uncounted, own.message);
	}
	if (EH_ROOM(workload->struct_size, eh_workload, checks) && workload->checks != NULL)
		set_clean(&out->checks, workload->checks);
	out->example = example_of(workload, settings, count);
	return EH_OK;
}

/* ---- printing -------------------------------------------------------------------------------- */

/* malloc'd: "f32 f64", "-" for none. */
static char *joined(const text_list *words)
{
	text t = { 0 };

	for (size_t i = 0; i < words->count; i++)
		text_add(&t, "%s%s", i > 0 ? " " : "", words->items[i]);
	return t.data != NULL ? t.data : memory_text("-");
}

static char *tiers_of(const answer_workload *w)
{
	text t = { 0 };

	for (size_t i = 0; i < w->tiers.count; i++)
		text_add(&t, "%s%s", i > 0 ? " " : "", record_tier_word(w->tiers.items[i]));
	return t.data != NULL ? t.data : memory_text("-");
}

void workload_print_list(const answer_workload_list *all)
{
	table *t = table_new("lwww");

	table_head(t, (const char *const[]){ "workload", "precisions", "tiers", "what it measures" });
	table_rule(t);
	for (size_t i = 0; i < all->count; i++) {
		const answer_workload *w = &all->items[i];
		char *precisions = joined(&w->precisions), *tiers = tiers_of(w);

		if (w->error != NULL)
			table_row(t, (const char *const[]){ w->name, "refused", "", w->error });
		else
			table_row(t, (const char *const[]){ w->name, precisions, tiers, w->summary });
		if (!w->installed)
			table_note(t, w->path);
		free(precisions);
		free(tiers);
	}
	(void)table_print(t, stdout);
	table_free(t);
}

/* malloc'd copy with spaces for `between`. */
static char *spaced(const char *list, char between)
{
	char *copy = memory_text(list != NULL ? list : "");

	for (char *c = copy; *c != '\0'; c++)
		if (*c == between)
			*c = ' ';
	return copy;
}

static void print_parameters(const answer_parameter_list *parameters)
{
	table *t = table_new("lwlw");

	table_head(t, (const char *const[]){ "parameter", "values", "default", "tuned" });
	table_rule(t);
	for (size_t i = 0; i < parameters->count; i++) {
		const answer_parameter *one = &parameters->items[i];
		char *domain = spaced(one->domain, '|'), *tune = spaced(one->tune, ',');

		table_row(t, (const char *const[]){ one->key, domain,
		                                    one->standard != NULL ? one->standard : "(none)", tune });
		if (one->help[0] != '\0')
			table_note(t, one->help);
		free(domain);
		free(tune);
	}
	(void)table_print(t, stdout);
	table_free(t);
}

/* The sentence that explains a word of the record. */
static const char *sentence_of(const layout_words *words, int value)
{
	for (size_t i = 0; i < words->count; i++)
		if (words->items[i].value == value)
			return words->items[i].sentence;
	return "";
}

/* malloc'd: "f16 in, f32 accumulated, f16 out". */
static char *precision_words(const char *precision)
{
	char *copy = memory_text(precision), *rest = copy, *words;
	const char *in = strsep(&rest, "/"), *inside = strsep(&rest, "/"), *out = strsep(&rest, "/");

	words = out != NULL ? memory_format("%s in, %s accumulated, %s out", in, inside, out) :
	                      memory_text(precision[0] != '\0' ? precision : "no arithmetic");
	free(copy);
	return words;
}

/* One count with its formula: "2*M*N*K = 2.15 Gflop". */
static void print_count(const char *label, double count, const char *unit, const char *formula)
{
	char amount[40];

	if (!(count > 0))
		return;
	text_format_si(count, unit, amount);
	(void)table_item(stdout, 2, label, "%s%s%s", formula, formula[0] != '\0' ? " = " : "", amount);
}

/* "18MiB", "8 B". */
static void size_words(uint64_t bytes, char out[40])
{
	char spelt[32];

	text_format_bytes(bytes, spelt);
	(void)snprintf(out, 40, "%s%s", spelt, strchr(spelt, 'B') == NULL ? " B" : "");
}

static void print_memory(const answer_counted *c)
{
	char device[40], touched[40], local[40];

	size_words(c->device_bytes, device);
	size_words(c->work.working_set_bytes, touched);
	size_words(c->local_bytes, local);
	(void)table_item(stdout, 2, "memory", "%s on the device, %s touched by an operation%s%s%s", device,
	                 touched, c->local_bytes > 0 ? "; " : "", c->local_bytes > 0 ? local : "",
	                 c->local_bytes > 0 ? " of local memory a work-group" : "");
}

static void print_counted(const answer_counted *c)
{
	char *precision = precision_words(c->precision);
	text values = { 0 };

	for (size_t i = 0; i < c->parameters.count; i++)
		text_add(&values, "%s%s=%s", i > 0 ? " " : "", c->parameters.items[i].key,
		         c->parameters.items[i].value);
	puts("\nthe work of one operation");
	(void)table_item(stdout, 2, "case", "%s", values.data != NULL ? values.data : "");
	(void)table_item(stdout, 2, "metric", "%s: %s", record_metric_word(c->work.metric),
	                 sentence_of(record_metric_words(), (int)c->work.metric));
	if (c->work.metric == RECORD_METRIC_SECONDS)
		(void)table_item(stdout, 2, "divided by", "%.0f operations", c->work.amount);
	print_count("flops", c->work.flops, "flop", c->work.flops_formula);
	print_count("bytes", c->work.bytes, "B", c->work.bytes_formula);
	print_memory(c);
	(void)table_item(stdout, 2, "precision", "%s", precision);
	(void)table_item(stdout, 2, "timed", "%s: %s", record_region_word(c->work.region),
	                 sentence_of(record_region_words(), (int)c->work.region));
	if (c->kernel[0] != '\0')
		(void)table_item(stdout, 2, "kernel", "%s.k, work-groups of up to %llu", c->kernel,
		                 (unsigned long long)c->group_items);
	else
		(void)table_item(stdout, 2, "kernel", "none");
	text_free(&values);
	free(precision);
}

void workload_print_page(const answer_workload_page *page)
{
	const answer_workload *w = &page->workload;

	printf("%s  revision %llu\n", w->name, (unsigned long long)w->revision);
	(void)table_sentence(stdout, w->summary);
	if (!w->installed)
		(void)table_wrap(stdout, w->path, 0);
	putchar('\n');
	print_parameters(&page->parameters);
	if (page->counted != NULL)
		print_counted(page->counted);
	else
		(void)table_item(stdout, 0, "\nno default", "%s", page->uncounted);
	puts("\ntiers");
	for (size_t i = 0; i < w->tiers.count; i++)
		(void)table_item(stdout, 2, record_tier_word(w->tiers.items[i]), "%s",
		                 sentence_of(record_tier_words(), (int)w->tiers.items[i]));
	puts("\nchecked");
	(void)table_wrap(stdout, page->checks != NULL ? page->checks : "the workload does not say how", 2);
	puts("\nin a protocol (`evenhand help protocol`, docs/protocol.md)");
	for (const char *line = page->example; *line != '\0';) {
		const size_t size = strcspn(line, "\n");

		command_put(stdout, "  %.*s\n", (int)size, line);
		line += size + (line[size] == '\n');
	}
}

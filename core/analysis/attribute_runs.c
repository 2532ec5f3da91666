/* SPDX-License-Identifier: Apache-2.0 */
/* The command lines that would decide what stayed open, or separate what changed at once. */
#include <stdlib.h>
#include <string.h>

#include "analysis/attribute.h"
#include "base/text.h"

/* Executions of a run that is to decide: twice as many, and enough for a certified verdict. */
#define EXECUTIONS_MOST 100

/* What the commands have in common. */
typedef struct commands {
	attribution *a;
	double margin;           /* 0: the protocol's                                           */
	const text_list *asked;  /* ids of cases; none: all                                     */
	uint64_t executions;     /* of a run that is to decide                                  */
} commands;

static uint64_t executions_for(const result *a, const result *b)
{
	uint64_t x = a->record->run.executions.done, y = b->record->run.executions.done;
	uint64_t twice = 2 * (x > y ? x : y);

	twice = twice > CONTRACT_EXECUTIONS_CERTIFIED ? twice : CONTRACT_EXECUTIONS_CERTIFIED;
	return twice < EXECUTIONS_MOST ? twice : EXECUTIONS_MOST;
}

/* The path, as a shell takes it, at which `evenhand run -o FOLDER` leaves the executor's result. */
static void add_path(text *t, const char *folder, const char *executor)
{
	char *path = memory_format("%s/%s.json", folder, executor), *word;

	for (char *c = path + strlen(folder) + 1; *c != '\0'; c++)
		*c = *c == ':' || *c == '/' ? '-' : *c;
	word = text_shell_word(path);
	text_add(t, " %s", word);
	free(word);
	free(path);
}

/* malloc'd "A,B". */
static char *names_of(const text_list *names)
{
	text t = { 0 };

	for (size_t i = 0; i < names->count; i++)
		text_add(&t, "%s%s", i > 0 ? "," : "", names->items[i]);
	return t.data != NULL ? t.data : memory_text("");
}

static void add_word(text *t, const char *before, const char *word)
{
	char *quoted = text_shell_word(word);

	text_add(t, "%s%s", before, quoted);
	free(quoted);
}

/* executors: a comma list; count 0: the protocol's. */
static void add_run(const commands *c, const char *executors, uint64_t count, const char *folder)
{
	text line = { 0 };

	add_word(&line, "evenhand run ", c->a->protocol);
	add_word(&line, " --on ", executors);
	if (c->asked->count > 0) {
		char *ids = names_of(c->asked);

		add_word(&line, " --case ", ids);
		free(ids);
	}
	if (count > 0)
		text_add(&line, " --executions %llu", (unsigned long long)count);
	text_add(&line, " -o %s", folder);
	text_list_add(&c->a->runs, line.data);
	text_free(&line);
}

static void begin_attribute(text *line, const commands *c)
{
	text_add(line, "evenhand attribute");
	if (c->margin > 0)
		text_add(line, " --margin %g%%", 100 * c->margin);
}

static void plan_separation(const commands *c)
{
	attribution *a = c->a;
	char *names = names_of(&a->proposed);
	text line = { 0 };

	begin_attribute(&line, c);
	add_word(&line, " ", a->comparison.baseline.path);
	add_word(&line, " ", a->comparison.other.path);
	for (size_t i = 0; i < a->proposed.count; i++)
		add_path(&line, "results/between", a->proposed.items[i]);
	add_run(c, names, 0, "results/between");
	text_list_add(&a->runs, line.data);
	text_free(&line);
	free(names);
}

/* A stack that replaced the other under one name, against the result of the other. */
static void plan_repetition(const commands *c)
{
	attribution *a = c->a;
	text line = { 0 };

	begin_attribute(&line, c);
	add_word(&line, " ", a->comparison.baseline.path);
	add_path(&line, "results/more", a->comparison.other.executor);
	add_run(c, a->comparison.other.executor, c->executions, "results/more");
	text_list_add(&a->runs, line.data);
	text_free(&line);
}

/* The results of a run of these executors; one that is named twice has a second of its own name. */
static void add_paths(text *line, const text_list *names, bool twice)
{
	for (size_t i = 0; i < names->count; i++) {
		char *name = memory_format("%s%s", names->items[i], twice && i == 1 ? "#2" : "");

		add_path(line, "results/more", name);
		free(name);
	}
}

/* All stacks once more, in one run: the two, then those between. */
static void plan_decision(const commands *c)
{
	const attribution *a = c->a;
	bool twice = strcmp(a->comparison.baseline.executor, a->comparison.other.executor) == 0;
	text_list names = { 0 };
	text line = { 0 };
	char *list;

	if (twice && !a->comparison.one_run) {
		plan_repetition(c);
		return;
	}
	text_list_add(&names, a->comparison.baseline.executor);
	text_list_add(&names, a->comparison.other.executor);
	for (size_t i = 0; i + 1 < a->steps.count; i++)
		text_list_add(&names, a->steps.items[i].to);
	begin_attribute(&line, c);
	add_paths(&line, &names, twice);
	list = names_of(&names);
	add_run(c, list, c->executions, "results/more");
	text_list_add(&c->a->runs, line.data);
	free(list);
	text_free(&line);
	text_list_clear(&names);
}

/* Whether more samples could decide a case. */
static bool decidable(const attribution *a)
{
	for (size_t i = 0; i < a->open.count; i++)
		if (a->open.items[i].verdict == VERDICT_INCONCLUSIVE ||
		    a->open.items[i].verdict == VERDICT_DESCRIPTION)
			return true;
	return false;
}

void attribute_plan_runs(attribution *a, const result *const *results, double margin)
{
	commands c = { a, margin, &results[0]->record->run.asked,
		       executions_for(results[0], results[1]) };

	switch (a->answer) {
	case ATTRIBUTION_CONFOUNDED:
		if (a->proposed.count > 0)
			plan_separation(&c);
		else if (a->groups.count == 1)
			plan_decision(&c);
		break;
	case ATTRIBUTION_CONDITIONS:
	case ATTRIBUTION_UNEXPLAINED:
		plan_decision(&c);
		break;
	case ATTRIBUTION_PARTLY:
	case ATTRIBUTION_UNDECIDED:
		/* What did not move in any step is open as well. */
		if (decidable(a) || (a->answer == ATTRIBUTION_UNDECIDED && a->moved.count > 0))
			plan_decision(&c);
		break;
	default:
		break;
	}
}

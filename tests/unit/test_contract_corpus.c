/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The corpus of tests/contract/pairs.txt: pairs of results made from one base by named edits, each
 * with the verdict and the exact set of rules that must fire, in both directions.  A rule that no
 * two pairs fire, or that no pair just fails to fire, fails the test.
 */
#include "analysis/diagnose.h"
#include "corpus.h"

/* ---- what came of it ------------------------------------------------------------------------- */

static const comparison_row *row_by_id(const comparison *c, const char *id)
{
	for (size_t i = 0; i < c->cases.count; i++)
		if (strcmp(c->cases.items[i].id, id) == 0)
			return &c->cases.items[i];
	return NULL;
}

static const comparison_row *row_for(const comparison *c, const pair_spec *s)
{
	const comparison_row *row = row_by_id(c, s->row != NULL ? s->row : "triad.f32.64MiB");

	return row != NULL ? row : &c->cases.items[0];
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* "rule rule ...", sorted: what the row cites. */
static char *rules_of(const comparison_row *row)
{
	const char *ids[128];
	size_t count = 0;
	text t = { 0 };

	for (size_t i = 0; i < row->cites.count; i++)
		ids[count++] = row->cites.items[i];
	qsort(ids, count, sizeof(*ids), by_text);
	text_add(&t, "%s", "");
	for (size_t i = 0; i < count; i++)
		text_add(&t, "%s%s", i > 0 ? " " : "", ids[i]);
	return t.data;
}

static char *sorted_words(const char *list)
{
	char *copy = memory_text(list);
	char *rest = copy;
	const char *words[128];
	size_t count = 0;
	char *word;
	text t = { 0 };

	while ((word = strsep(&rest, " ")) != NULL)
		if (word[0] != '\0')
			words[count++] = word;
	qsort(words, count, sizeof(*words), by_text);
	text_add(&t, "%s", "");
	for (size_t i = 0; i < count; i++)
		text_add(&t, "%s%s", i > 0 ? " " : "", words[i]);
	free(copy);
	return t.data;
}

static bool has_word(const char *list, const char *word)
{
	size_t size = strlen(word);

	for (const char *at = list; (at = strstr(at, word)) != NULL; at += size)
		if ((at == list || at[-1] == ' ') && (at[size] == ' ' || at[size] == '\0'))
			return true;
	return false;
}

static const char *mirrored(const char *verdict)
{
	return strcmp(verdict, "FASTER") == 0 ? "SLOWER" :
	       strcmp(verdict, "SLOWER") == 0 ? "FASTER" : verdict;
}

/* The strength of what is said: no verdict, an open one, a real one. */
static int strength(enum comparison_verdict v)
{
	switch (v) {
	case VERDICT_FASTER:
	case VERDICT_SLOWER:
	case VERDICT_EQUIVALENT: return 2;
	case VERDICT_INCONCLUSIVE:
	case VERDICT_DESCRIPTION: return 1;
	case VERDICT_NOT_COMPARABLE:
	case VERDICT_ABSENT:
	case comparison_verdict_absent: return 0;
	}
	return 0;
}

static bool same_value(double x, double y)
{
	return !(x < y) && !(x > y);
}

static bool same_side(const comparison_side *x, const comparison_side *y)
{
	return x == NULL || y == NULL ? x == y : layout_same(comparison_side_layout(), x, y);
}

/* What b says about a is what a says about b, seen from the other side. */
static char *mirror_fault(const comparison *ab, const comparison *ba)
{
	if (ab->cases.count != ba->cases.count || ab->level != ba->level || ab->family != ba->family)
		return memory_text("not the same rows, level or family");
	for (size_t i = 0; i < ab->cases.count; i++) {
		const comparison_row *x = &ab->cases.items[i];
		const comparison_row *y = NULL;

		for (size_t k = 0; k < ba->cases.count; k++)
			if (ba->cases.items[k].a == x->b && ba->cases.items[k].b == x->a)
				y = &ba->cases.items[k];
		if (y == NULL || strcmp(comparison_verdict_word(x->verdict),
		                        mirrored(comparison_verdict_word(y->verdict))) != 0)
			return memory_format("%s: the verdict is not mirrored", x->id);
		if (!same_side(x->baseline, y->other) || !same_value(x->margin, y->margin) ||
		    !same_value(x->p_value, y->p_value))
			return memory_format("%s: the numbers are not mirrored", x->id);
		if (x->speedup > 0 &&
		    !same_value(x->speedup < 1 ? x->speedup : 1 / x->speedup,
		                x->speedup < 1 ? 1 / y->speedup : y->speedup) &&
		    (x->speedup * y->speedup < 1 - 1e-15 || x->speedup * y->speedup > 1 + 1e-15))
			return memory_format("%s: the ratio is not the inverse", x->id);
	}
	return NULL;
}

/* ---- the evidence ---------------------------------------------------------------------------- */

/* Whether the side has the evidence that its row has alone, and the verdict does not go beyond. */
static bool evidence_agrees(const comparison *c, const comparison_row *row, const result *r,
                            const result_row *alone, const comparison_side *side)
{
	const contract_reason *worst;
	evidence e;
	bool same;

	layout_init(evidence_layout(), &e);
	evidence_judge(r, alone, c->certified, &e);
	worst = evidence_worst(&e);
	same = layout_same(evidence_layout(), &e, &side->evidence) &&
	       (worst == NULL || worst->level < CONTRACT_DESCRIPTION || strength(row->verdict) < 2) &&
	       (e.level < EVIDENCE_BAD || strength(row->verdict) < 1);
	layout_clear(evidence_layout(), &e);
	return same;
}

/* A row has one evidence, whoever asks. */
static char *evidence_fault(const comparison *c)
{
	for (size_t i = 0; i < c->cases.count; i++) {
		const comparison_row *row = &c->cases.items[i];

		if ((row->a != NULL && !evidence_agrees(c, row, c->a, row->a, row->baseline)) ||
		    (row->b != NULL && !evidence_agrees(c, row, c->b, row->b, row->other)))
			return memory_format("%s: the evidence of a side is not that of its row", row->id);
	}
	return NULL;
}

/* The same of a diagnosis, which is as strict as the protocol of its result. */
static char *diagnosis_fault(const comparison *c)
{
	diagnosis *d = diagnose_result(c->b, NULL, 0, NULL, 0);
	char *fault = NULL;

	for (size_t i = 0; i < c->cases.count; i++) {
		const comparison_row *row = &c->cases.items[i];

		for (size_t k = 0; row->b != NULL && fault == NULL && k < d->cases.count; k++)
			if (strcmp(d->cases.items[k].id, row->b->id) == 0 &&
			    !layout_same(evidence_layout(), &d->cases.items[k].evidence,
			                 &row->other->evidence))
				fault = memory_format("%s: diagnose has other evidence", row->id);
	}
	diagnosis_free(d);
	return fault;
}

/* ---- what more should decide ----------------------------------------------------------------- */

/* Whether more executions or rounds may help: not against a noise floor that is wider than the
 * difference, and not in lockstep where no number of rounds is known. */
static bool more_may_help(const comparison_row *row)
{
	double away = fmax(row->speedup, 1 / row->speedup);

	if (row->lockstep)
		return row->more_rounds != LAYOUT_NO_UINT;
	return isnan(row->noise_floor) || away <= 1 + row->margin || away > 1 + row->noise_floor;
}

static char *more_fault(const comparison *c)
{
	for (size_t i = 0; i < c->cases.count; i++) {
		const comparison_row *row = &c->cases.items[i];

		if (!isnan(row->more) && (row->verdict != VERDICT_INCONCLUSIVE || !more_may_help(row)))
			return memory_format("%s: more evidence would not decide it", row->id);
	}
	return NULL;
}

typedef struct outcome { char *verdict, *rules; int strength; } outcome;

static char *try_pair(const pair_spec *s, enum side one, outcome *out)
{
	result *a = sealed_as(edited(s, SIDE_A, one), s->name, "corpus-a.json",
	                      signing(s, SIDE_A, one));
	result *b = sealed_as(edited(s, SIDE_B, one), s->name, "corpus-b.json",
	                      signing(s, SIDE_B, one));
	comparison *ab = contract_compare_with(a, b, s->options);
	comparison *ba = contract_compare_with(b, a, s->options);
	const comparison_row *row = row_for(ab, s);
	char *fault = mirror_fault(ab, ba);
	char *back;

	out->verdict = memory_text(comparison_verdict_word(row->verdict));
	out->rules = rules_of(row);
	out->strength = strength(row->verdict);
	if (fault == NULL)
		fault = evidence_fault(ab);
	if (fault == NULL)
		fault = more_fault(ab);
	if (fault == NULL && ab->certified == contract_declares_certified(b))
		fault = diagnosis_fault(ab);
	for (size_t i = 0; i < ba->cases.count && fault == NULL; i++) {
		if (ba->cases.items[i].a != row->b || ba->cases.items[i].b != row->a)
			continue;
		back = rules_of(&ba->cases.items[i]);
		if (strcmp(back, out->rules) != 0)
			fault = memory_format("%s one way, %s the other", out->rules, back);
		free(back);
	}
	comparison_free(ab);
	comparison_free(ba);
	result_free(a);
	result_free(b);
	return fault;
}

static void check_spec(const pair_spec *s, size_t *pairs)
{
	char *want = sorted_words(s->rules != NULL ? s->rules : "");
	char *why = NULL;

	for (int one = SIDE_A; one <= (s->one ? SIDE_B : SIDE_A); one++) {
		outcome is = { 0 };
		char *fault = try_pair(s, (enum side)one, &is);

		(*pairs)++;
		if (fault == NULL && (s->verdict == NULL || strcmp(s->verdict, is.verdict) != 0 ||
		                      strcmp(want, is.rules) != 0))
			fault = memory_format("is   %s: %s", is.verdict, is.rules);
		if (fault == NULL && s->near != NULL && has_word(is.rules, s->near))
			fault = memory_format("%s fires", s->near);
		if (fault != NULL && why == NULL)
			why = memory_text(fault);
		free(fault);
		free(is.verdict);
		free(is.rules);
	}
	say(why == NULL, s->name, why);
	free(why);
	free(want);
}

/* ---- the corpus as a whole ------------------------------------------------------------------- */

static void check_rules(void)
{
	const contract_rule_list *rules = &contract_rules()->rules;

	for (size_t i = 0; i < rules->count; i++) {
		size_t fired = 0;
		size_t just_not = 0;
		char *name = memory_format("%s: two pairs fire it, and one just does not", rules->items[i].id);

		for (size_t k = 0; k < spec_count; k++) {
			const pair_spec *s = &specs[k];

			if (has_word(s->rules, rules->items[i].id))
				fired += s->one ? 2 : 1;
			just_not += s->near != NULL && strcmp(s->near, rules->items[i].id) == 0;
		}
		say(fired >= 2 && just_not >= 1, name, "not enough pairs");
		free(name);
	}
}

/* ---- what statuses and flags say follows ----------------------------------------------------- */

/* "a, b" of a definition file as " a b". */
static char *without_commas(const char *list)
{
	char *words = memory_format(" %s", list);

	for (char *c = words; *c != '\0'; c++)
		*c = *c == ',' ? ' ' : *c;
	return words;
}

static bool is_rule(const char *word)
{
	const contract_rule_list *rules = &contract_rules()->rules;

	for (size_t i = 0; i < rules->count; i++)
		if (strcmp(rules->items[i].id, word) == 0)
			return true;
	return false;
}

/* The rules that a pair fires beyond those of every pair. */
static char *fired_by(const char *path, const char *json, bool *mirrored_well)
{
	static char name[] = "follows";
	pair_spec spec = { .name = name, .edit_count = 1 };
	outcome is = { 0 };
	char *fault;
	char *rules;
	text t = { 0 };
	char *rest;
	char *word;

	spec.edits[0] = (edit){ .b = true, .path = memory_text(path), .json = memory_text(json) };
	fault = try_pair(&spec, SIDE_A, &is);
	*mirrored_well = fault == NULL;
	rest = rules = is.rules;
	text_add(&t, "%s", "");
	while ((word = strsep(&rest, " ")) != NULL)
		if (strcmp(word, "protocol-same") != 0 && strcmp(word, "flags") != 0)
			text_add(&t, " %s", word);
	free(spec.edits[0].path);
	free(spec.edits[0].json);
	free(fault);
	free(rules);
	free(is.verdict);
	return t.data;
}

/* Whether each word of one list is in the other; NULL: is the id of a rule. */
static bool all_in(const char *list, const char *other)
{
	char *copy = memory_text(list);
	char *rest = copy;
	bool all = true;
	char *word;

	while ((word = strsep(&rest, " ")) != NULL)
		if (word[0] != '\0')
			all = all && (other != NULL ? has_word(other, word) : is_rule(word));
	free(copy);
	return all;
}

/* Rules that a flag alone fires are those that its line names; a rule that no flag fires alone looks at
 * the evidence instead, and must exist. */
static void check_flags(void)
{
	const layout_words *words = record_flag_words();
	char **fired = memory_get(words->count * sizeof(*fired));
	bool *well = memory_get(words->count * sizeof(*well));
	text any = { 0 };

	for (size_t i = 0; i < words->count; i++) {
		char *json = memory_format("[\"%s\"]", words->items[i].word);

		fired[i] = fired_by("cases/0/executions/1/flags", json, &well[i]);
		text_add(&any, "%s", fired[i]);
		free(json);
	}
	for (size_t i = 0; i < words->count; i++) {
		char *follows = without_commas(
			record_flag_mark((enum record_flag)words->items[i].value)->follows);
		char *name = memory_format("flag %s: its line names the rules that it fires",
		                           words->items[i].word);
		bool ok = well[i] && all_in(follows, NULL) && all_in(fired[i], follows);
		char *rest = follows;
		char *word;

		while ((word = strsep(&rest, " ")) != NULL)
			ok = ok && (word[0] == '\0' || !has_word(any.data, word) ||
			            has_word(fired[i], word));
		say(ok, name, fired[i]);
		free(name);
		free(follows);
		free(fired[i]);
	}
	text_free(&any);
	free(well);
	free(fired);
}

static void check_status(enum record_status status, const char *word)
{
	char *follows = without_commas(record_status_mark(status)->follows);
	char *json = memory_format("\"%s\"", word);
	bool well;
	char *fired = fired_by("cases/0/executions/*/status", json, &well);
	char *name = memory_format("status %s: its line names the rules that it fires", word);

	say(well && all_in(follows, fired) && all_in(fired, follows), name, fired);
	free(name);
	free(fired);
	free(json);
	free(follows);
}

/* out-of-time needs a run with a budget and executions without samples: the pairs have it. */
static void check_statuses(void)
{
	const layout_words *words = record_status_words();

	for (size_t i = 0; i < words->count; i++)
		if (words->items[i].value != RECORD_OUT_OF_TIME)
			check_status((enum record_status)words->items[i].value, words->items[i].word);
}

/* ---- verdicts and order ---------------------------------------------------------------------- */

/* A further caveat never makes a verdict stronger: each pair with one of them, in turn. */
static void check_monotony(void)
{
	static const char *const worse[][2] = {
		{ "harness/dirty", "true" },
		{ "cases/0/executions/0/flags", "[\"disturbed\"]" },
		{ "cases/0/executions/0/status", "\"not-converged\"" },
		{ "cases/0/executions/0/flags", "[\"throttled\"]" },
	};
	char *why = NULL;

	for (size_t i = 0; i < spec_count && why == NULL; i++) {
		const char *const *one = worse[i % (sizeof(worse) / sizeof(worse[0]))];
		outcome before = { 0 };
		outcome after = { 0 };
		pair_spec more = specs[i];

		/* It would not be the same result any more. */
		if (is_a(&specs[i]) || more.edit_count == EDITS_MAX)
			continue;
		more.edits[more.edit_count++] = (edit){ .b = true, .path = memory_text(one[0]),
			                                .json = memory_text(one[1]) };
		free(try_pair(&specs[i], SIDE_A, &before));
		free(try_pair(&more, SIDE_A, &after));
		/* What is throttled on both sides is compared again. */
		if (after.strength > before.strength && !has_word(before.rules, "throttled"))
			why = memory_format("%s with %s: %s becomes %s", specs[i].name, one[0],
			                    before.verdict, after.verdict);
		free(more.edits[more.edit_count - 1].path);
		free(more.edits[more.edit_count - 1].json);
		free(before.verdict);
		free(before.rules);
		free(after.verdict);
		free(after.rules);
	}
	say(why == NULL, "a further caveat never makes a verdict stronger", why);
	free(why);
}

static void reverse(cJSON *item, bool objects)
{
	cJSON *child;
	cJSON *turned = NULL;

	cJSON_ArrayForEach(child, item)
		reverse(child, objects);
	if (!objects || !cJSON_IsObject(item))
		return;
	turned = cJSON_CreateObject();
	while (item->child != NULL) {
		child = cJSON_DetachItemViaPointer(item, item->child);
		cJSON_InsertItemInArray(turned, 0, child);
	}
	while (turned->child != NULL)
		cJSON_AddItemToArray(item, cJSON_DetachItemViaPointer(turned, turned->child));
	cJSON_Delete(turned);
}

static void reverse_array(cJSON *array)
{
	cJSON *turned = cJSON_CreateArray();

	while (array->child != NULL)
		cJSON_InsertItemInArray(turned, 0, cJSON_DetachItemViaPointer(array, array->child));
	while (turned->child != NULL)
		cJSON_AddItemToArray(array, cJSON_DetachItemViaPointer(turned, turned->child));
	cJSON_Delete(turned);
}

static bool same_interval(const interval *x, const interval *y)
{
	return x == NULL || y == NULL ? x == y : layout_same(interval_layout(), x, y);
}

static void check_order(bool keys)
{
	static char name[] = "order";
	const pair_spec plain = { .name = name };
	cJSON *trees[2] = { edited(&plain, SIDE_A, SIDE_A), edited(&plain, SIDE_B, SIDE_A) };
	result *straight[2];
	result *turned[2];
	comparison *c[2];
	bool same;

	for (int i = 0; i < 2; i++) {
		straight[i] = sealed(cJSON_Duplicate(trees[i], true), "order");
		if (keys) {
			reverse(trees[i], true);
		} else {
			reverse_array(golden_at(trees[i], "cases"));
			reverse_array(golden_at(trees[i], "protocol/canonical/cases"));
		}
		turned[i] = sealed(trees[i], "order");
	}
	c[0] = contract_compare(straight[0], straight[1], 0);
	c[1] = contract_compare(turned[0], turned[1], 0);
	same = c[0]->cases.count == c[1]->cases.count;
	for (size_t i = 0; i < c[0]->cases.count && same; i++) {
		const comparison_row *x = &c[0]->cases.items[i];
		const comparison_row *y = row_by_id(c[1], x->id);

		same = y != NULL && x->verdict == y->verdict && same_value(x->speedup, y->speedup) &&
		       same_interval(x->speedup_interval, y->speedup_interval) &&
		       same_value(x->p_value, y->p_value) && x->reasons.count == y->reasons.count;
	}
	say(same, keys ? "the order of keys does not matter" : "the order of cases does not matter",
	    "another verdict or another number");
	for (int i = 0; i < 2; i++) {
		comparison_free(c[i]);
		result_free(straight[i]);
		result_free(turned[i]);
	}
}

static void check_edited_is_refused(void)
{
	char *path = golden_scratch("edited.json");
	eh_error error = ERROR_INIT;
	cJSON *root = cJSON_Duplicate(base, true);
	result *r = NULL;
	eh_status status;

	golden_reseal(root, true);
	set_at(root, "cases/0/executions/0/samples_ns", "[1,2,3]", "edited");
	(void)golden_write(root, path);
	status = result_read(path, &r, &error);
	say(status == EH_E_ALTERED, "a result whose samples were edited is never compared",
	    error.message);
	set_at(root, "format_version", "2", "edited");
	golden_reseal(root, true);
	(void)golden_write(root, path);
	status = result_read(path, &r, &error);
	say(status == EH_E_FORMAT, "a result of another format version is never compared",
	    error.message);
	cJSON_Delete(root);
	free(path);
}

int main(void)
{
	const char *src = getenv("SRC");
	char *place = memory_format("%s/tests/contract", src != NULL ? src : ".");
	char *pairs = memory_format("%s/pairs.txt", place);
	char *start = memory_format("%s/base.json", place);
	size_t pair_count = 0;

	if (json_read(start, &base, NULL) != EH_OK)
		give_up(start, "cannot be read");
	read_pairs(pairs);
	free(place);
	free(pairs);
	free(start);
	make_keys();
	for (size_t i = 0; i < spec_count; i++)
		check_spec(&specs[i], &pair_count);
	say(pair_count >= 60, "there are at least 60 pairs", "too few");
	check_rules();
	check_flags();
	check_statuses();
	check_monotony();
	check_order(true);
	check_order(false);
	check_edited_is_refused();
	printf("1..%d\n# %zu pairs in both directions\n", tests, pair_count);
	return failures > 0;
}

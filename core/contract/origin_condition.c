/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions of rules about what a case computed on and with: its proof, its inputs, its program,
 * and whether its samples are its own. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "contract/condition.h"

#define UNUSED_RESULTS() ((void)a, (void)b)

static const char *setting(const result_row *r, const char *key, const char *standard)
{
	return json_string(json_path(r->json, "measure"), key, standard);
}

/* The engine finds an execution invalid whose quickest sample claims so little of the proof. */
static const double least_claim = 0.5;

/* The smallest share of the proof's time per operation that the median of an execution claims.
 * Requests of a load may share what the proof pays for each operation. */
static double claim_of(const result_row *r)
{
	const cJSON *median = cJSON_GetArrayItem(json_path(r->json, "derived.execution_medians_ns"), 0);
	const cJSON *e;
	double least = INFINITY;

	if (strcmp(setting(r, "scenario", "none"), "none") != 0)
		return least;
	cJSON_ArrayForEach(e, json_path(r->json, "executions")) {
		double proved = 0;

		if (!condition_counts(e) || median == NULL ||
		    cJSON_GetArraySize(json_path(e, "samples_ns")) == 0)
			continue;
		if (json_double(json_path(e, "proof"), "ns_per_operation", &proved) && proved > 0)
			least = fmin(least, median->valuedouble / proved);
		median = median->next;
	}
	return least;
}

CONDITION(condition_proof)
{
	double cx = claim_of(x);
	double cy = claim_of(y);

	UNUSED_RESULTS();
	snprintf(detail, size, "%s: %.3g of the proof's time per operation",
	         cx < least_claim && cy < least_claim ? "both sides, at the least" :
	         cx < least_claim ? "the baseline" : "the other side", fmin(cx, cy));
	return cx < least_claim || cy < least_claim;
}

/* ---- inputs and program ---------------------------------------------------------------------- */

/* The counted execution of that number. */
static const cJSON *execution_of(const result_row *r, uint64_t number)
{
	const cJSON *e;
	uint64_t is;

	cJSON_ArrayForEach(e, json_path(r->json, "executions"))
		if (condition_counts(e) && json_uint(e, "execution", &is) && is == number)
			return e;
	return NULL;
}

static bool data_differ(const cJSON *dx, const cJSON *dy, const char *key, char *detail,
                        size_t size)
{
	const char *tx = json_string(dx, key, "");
	const char *ty = json_string(dy, key, "");

	snprintf(detail, size, "%s: %.16s | %.16s", key, tx, ty);
	return tx[0] != '\0' && ty[0] != '\0' && strcmp(tx, ty) != 0;
}

/* The distribution that a counted execution records, where it is not the declared one. */
static const char *other_distribution(const result_row *r)
{
	const char *declared = setting(r, "input_data", "standard");
	const cJSON *e;

	cJSON_ArrayForEach(e, json_path(r->json, "executions")) {
		const char *is = json_string(json_path(e, "data"), "distribution", declared);

		if (condition_counts(e) && strcmp(is, declared) != 0)
			return is;
	}
	return NULL;
}

CONDITION(condition_input_data)
{
	const char *ox = other_distribution(x);
	const char *oy = other_distribution(y);
	const cJSON *e;

	UNUSED_RESULTS();
	if (condition_differ(setting(x, "input_data", "standard"),
	                     setting(y, "input_data", "standard"), detail, size))
		return true;
	if (ox != NULL || oy != NULL) {
		snprintf(detail, size, "declared %s, recorded %s on %s",
		         setting(x, "input_data", "standard"), ox != NULL ? ox : oy,
		         ox != NULL && oy != NULL ? "both sides" :
		         ox != NULL ? "the baseline" : "the other side");
		return true;
	}
	cJSON_ArrayForEach(e, json_path(x->json, "executions")) {
		uint64_t number = 0;
		const cJSON *dx = json_path(e, "data");
		const cJSON *dy;

		if (dx == NULL || !condition_counts(e) || !json_uint(e, "execution", &number))
			continue;
		dy = json_path(execution_of(y, number), "data");
		if (dy != NULL && (data_differ(dx, dy, "distribution", detail, size) ||
		                   data_differ(dx, dy, "sha256", detail, size)))
			return true;
	}
	return false;
}

/* 1 when every counted execution has the member, 0 when none has, 2 otherwise. */
static int has_member(const result_row *r, const char *key)
{
	bool with = false;
	bool without = false;
	const cJSON *e;

	cJSON_ArrayForEach(e, json_path(r->json, "executions")) {
		if (!condition_counts(e))
			continue;
		with = with || json_path(e, key) != NULL;
		without = without || json_path(e, key) == NULL;
	}
	return with && without ? 2 : with;
}

/* Whether an execution of the same number counts on both sides. */
static bool share_a_number(const result_row *x, const result_row *y)
{
	const cJSON *e;
	uint64_t number;

	cJSON_ArrayForEach(e, json_path(x->json, "executions"))
		if (condition_counts(e) && json_uint(e, "execution", &number) &&
		    execution_of(y, number) != NULL)
			return true;
	return false;
}

CONDITION(condition_input_undisclosed)
{
	int hx = has_member(x, "data");
	int hy = has_member(y, "data");

	UNUSED_RESULTS();
	if (hx == 1 && hy == 1) {
		snprintf(detail, size, "no execution of the same number on both sides");
		return !share_a_number(x, y);
	}
	if (hx == hy && hx != 2)
		return false;
	return condition_either(hx != 1, hy != 1, "no digest of the inputs", detail, size);
}

/* The first that a counted execution records; "" when none does. */
static const char *source_of(const result_row *r)
{
	const cJSON *e;

	cJSON_ArrayForEach(e, json_path(r->json, "executions")) {
		const char *hex = json_string(json_path(e, "program"), "source_sha256", "");

		if (condition_counts(e) && hex[0] != '\0')
			return hex;
	}
	return "";
}

CONDITION(condition_source)
{
	const char *sx = source_of(x);
	const char *sy = source_of(y);

	UNUSED_RESULTS();
	snprintf(detail, size, "%.12s | %.12s", sx, sy);
	return strcmp(x->tier, "portable") == 0 && strcmp(y->tier, "portable") == 0 &&
	       sx[0] != '\0' && sy[0] != '\0' && strcmp(sx, sy) != 0;
}

/* How many different binaries the counted executions ran. */
static size_t binaries_of(const result_row *r)
{
	const char *first = NULL;
	size_t others = 0;
	const cJSON *e;

	cJSON_ArrayForEach(e, json_path(r->json, "executions")) {
		const char *hex = json_string(json_path(e, "program"), "binary_sha256", "");

		if (!condition_counts(e) || hex[0] == '\0')
			continue;
		if (first == NULL)
			first = hex;
		others += strcmp(first, hex) != 0;
	}
	return others;
}

CONDITION(condition_binary)
{
	UNUSED_RESULTS();
	return condition_either(binaries_of(x) > 0, binaries_of(y) > 0, "different binaries", detail,
	                        size);
}

/* Fewer values that differ could be the same by chance, where a clock is coarse. */
enum { VALUES_OF_AN_EXECUTION = 8 };

static bool same_samples(const statistics_side *s, size_t i, const statistics_side *t, size_t j)
{
	const double *p = s->samples[i];
	const double *q = t->samples[j];
	double seen[VALUES_OF_AN_EXECUTION];
	size_t values = 0;
	size_t k;

	if (s->counts[i] != t->counts[j])
		return false;
	for (k = 0; k < s->counts[i]; k++) {
		size_t n = 0;

		if (p[k] < q[k] || p[k] > q[k])
			return false;
		while (n < values && (p[k] < seen[n] || p[k] > seen[n]))
			n++;
		if (n == values && values < VALUES_OF_AN_EXECUTION)
			seen[values++] = p[k];
	}
	return values == VALUES_OF_AN_EXECUTION;
}

/* How many executions of s, one side's, stand again in t, or further on in s itself (t NULL). */
static size_t copies_in(const statistics_side *s, const statistics_side *t)
{
	size_t count = 0;
	size_t i;
	size_t j;

	for (i = 0; i < s->executions; i++) {
		const statistics_side *other = t != NULL ? t : s;

		for (j = t != NULL ? 0 : i + 1; j < other->executions; j++)
			if (same_samples(s, i, other, j))
				break;
		count += j < other->executions;
	}
	return count;
}

static bool tells_apart(const statistics_side *s)
{
	size_t total = 0;
	size_t changes = 0;
	size_t i;
	size_t k;

	for (i = 0; i < s->executions; i++) {
		total += s->counts[i];
		for (k = 1; k < s->counts[i]; k++)
			changes += s->samples[i][k] > s->samples[i][k - 1] ||
			           s->samples[i][k] < s->samples[i][k - 1];
	}
	return total >= 10 && changes >= total / 2;
}

CONDITION(condition_copied)
{
	size_t within_x = copies_in(&x->side, NULL);
	size_t within_y = copies_in(&y->side, NULL);
	size_t across;

	if (within_x > 0 || within_y > 0) {
		snprintf(detail, size, "executions that stand there twice: baseline %zu, other %zu",
		         within_x, within_y);
		return true;
	}
	if (strcmp(json_string(a->root, "digest", "?"), json_string(b->root, "digest", "")) == 0)
		return false;
	across = copies_in(&x->side, &y->side);
	snprintf(detail, size, "%zu of %zu executions of the baseline stand in the other", across,
	         x->side.executions);
	if (across > 0)
		return true;
	snprintf(detail, size, "every sample is the same");
	return x->side.executions > 0 && ratio_same_samples(&x->side, &y->side) &&
	       tells_apart(&x->side);
}

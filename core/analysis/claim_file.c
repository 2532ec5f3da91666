/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a claim, as strictly as a protocol. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/claim.h"
#include "base/files.h"
#include "base/json.h"
#include "base/text.h"
#include "base/ini.h"

typedef struct reading {
	const char *source;
	const ini_section *section;
	claim *out;
	eh_error *error;
} reading;

static const char *const relations[] = { "at-least", "at-most", "within", "faster", "slower",
	                                 "equivalent", NULL };
static const char *const overs[] = { "all", "any", "mean", NULL };
static const char *const metrics[] = { "speed", "time", NULL };
static const char *const subjects[] = { "stack", "hardware", "interconnect", "firmware", "driver",
	"runtime", "compiler", "library", "harness", "operating-system", "host", "site", NULL };
static const char *const statistics[] = { "median", "p90", "p95", "p97", "p99", "p99.9", NULL };

const char *claim_relation_name(enum claim_relation relation)
{
	return relations[relation];
}

const char *claim_over_name(enum claim_over over)
{
	return overs[over];
}

/* ---- values ---------------------------------------------------------------------------------- */

static const ini_setting *setting(const reading *r, const char *key)
{
	for (size_t i = 0; i < r->section->count; i++)
		if (strcmp(r->section->settings[i].key, key) == 0)
			return &r->section->settings[i];
	return NULL;
}

static eh_status take_text(const reading *r, const char *key, bool must, char **out)
{
	const ini_setting *s = setting(r, key);

	*out = memory_text(s != NULL ? s->text : "");
	return s != NULL || !must ? EH_OK :
	       ini_refuse(r->source, r->section->line, r->error, "[claim] needs '%s'", key);
}

static eh_status take_word(const reading *r, const char *key, const char *const *words,
                           const char *fallback, size_t *out)
{
	const ini_setting *s = setting(r, key);
	const char *value = s != NULL ? s->text : fallback;
	text all = { 0 };
	eh_status status;

	if (value == NULL)
		return ini_refuse(r->source, r->section->line, r->error, "[claim] needs '%s'", key);
	for (*out = 0; words[*out] != NULL; (*out)++) {
		if (strcmp(words[*out], value) == 0) {
			text_free(&all);
			return EH_OK;
		}
		text_add(&all, "%s%s", *out > 0 ? ", " : "", words[*out]);
	}
	status = ini_refuse(r->source, s != NULL ? s->line : r->section->line, r->error,
	                      "'%s' is one of %s, not '%.60s'", key, all.data, value);
	text_free(&all);
	return status;
}

static eh_status take_number(const reading *r, const char *key, double low, double high,
                             double *out)
{
	const ini_setting *s = setting(r, key);
	char *copy;
	size_t size;
	bool percent, good;

	if (s == NULL)
		return EH_OK;
	copy = memory_text(s->text);
	size = strlen(copy);
	percent = size > 1 && copy[size - 1] == '%';
	if (percent)
		copy[size - 1] = '\0';
	good = text_parse_double(copy, out);
	free(copy);
	*out = percent ? *out / 100 : *out;
	return good && *out > low && *out <= high ? EH_OK :
	       ini_refuse(r->source, s->line, r->error, "'%s' is a number above %g up to %g, not "
	                    "'%.60s'", key, low, high, s->text);
}

static eh_status take_protocol(const reading *r)
{
	const ini_setting *s = setting(r, "protocol");
	const char *at = s != NULL ? strrchr(s->text, '@') : NULL;

	if (s == NULL)
		return ini_refuse(r->source, r->section->line, r->error, "[claim] needs 'protocol'");
	if (at == NULL || at == s->text || !text_parse_uint(at + 1, &r->out->version) ||
	    r->out->version == 0)
		return ini_refuse(r->source, s->line, r->error, "'protocol' is NAME@VERSION, such as "
		                    "quick@1, not '%.60s'", s->text);
	r->out->protocol = memory_format("%.*s", (int)(at - s->text), s->text);
	return EH_OK;
}

static eh_status take_digest(const reading *r)
{
	const ini_setting *s = setting(r, "digest");
	eh_status status = take_text(r, "digest", false, &r->out->digest);

	if (status == EH_OK && s != NULL &&
	    (strlen(s->text) != 64 || strspn(s->text, "0123456789abcdef") != 64))
		status = ini_refuse(r->source, s->line, r->error, "'digest' is 64 hexadecimal digits");
	return status;
}

/* ---- selectors ------------------------------------------------------------------------------- */

/* Calls visit for each trimmed piece between commas, until one gives false. */
static bool each_piece(const char *list, bool (*visit)(void *, const char *), void *context)
{
	char *copy = memory_text(list), *rest = copy, *piece;
	bool all = true;

	while (all && (piece = strsep(&rest, ",")) != NULL) {
		size_t size;

		while (*piece == ' ' || *piece == '\t')
			piece++;
		size = strlen(piece);
		while (size > 0 && (piece[size - 1] == ' ' || piece[size - 1] == '\t'))
			piece[--size] = '\0';
		all = visit(context, piece);
	}
	free(copy);
	return all;
}

/* The kind of layer of "KIND=..." or "KIND.FIELD=..."; 0 for a pattern of the executor's name. */
static size_t kind_size(const char *condition)
{
	size_t size = strcspn(condition, "=");

	return condition[size] == '=' ? strcspn(condition, ".=") : 0;
}

static bool sound_condition(void *context, const char *condition)
{
	size_t size = kind_size(condition);

	(void)context;
	if (condition[0] == '\0')
		return false;
	if (size == 0)
		return strchr(condition, '=') == NULL;
	if (size == 6 && strncmp(condition, "device", 6) == 0)
		return condition[size] == '=';
	for (size_t i = 1; subjects[i] != NULL; i++)
		if (strlen(subjects[i]) == size && strncmp(subjects[i], condition, size) == 0)
			return true;
	return false;
}

static eh_status take_selector(const reading *r, const char *key, char **out)
{
	const ini_setting *s = setting(r, key);
	eh_status status = take_text(r, key, true, out);

	if (status != EH_OK || each_piece(*out, sound_condition, NULL))
		return status;
	return ini_refuse(r->source, s->line, r->error, "'%s' is a comma list of conditions: a pattern "
	                    "of the executor's name, device=PATTERN, LAYER=PATTERN or "
	                    "LAYER.FIELD=PATTERN; '%.60s' has another", key, s->text);
}

static bool layer_meets(const cJSON *layer, const char *field, const char *pattern)
{
	const char *name = json_string(layer, "name", "");
	char *whole;
	const cJSON *value;
	bool meets;

	if (field[0] != '\0') {
		const cJSON *fields = json_path(layer, "fields");

		value = json_path(cJSON_GetObjectItemCaseSensitive(fields, field), "value");
		if (value == NULL)
			return false;
		whole = cJSON_IsString(value) ? memory_text(value->valuestring) : json_text(value, false);
		meets = fnmatch(pattern, whole, 0) == 0;
		free(whole);
		return meets;
	}
	whole = memory_format("%s %s", name, json_string(layer, "version", ""));
	meets = fnmatch(pattern, name, 0) == 0 || fnmatch(pattern, whole, 0) == 0;
	free(whole);
	return meets;
}

static bool meets(void *context, const char *condition)
{
	const result *r = context;
	size_t size = kind_size(condition), head = strcspn(condition, "=");
	const cJSON *layer;
	char *kind, *field;
	bool found = false;

	if (size == 0)
		return fnmatch(condition, r->executor, 0) == 0;
	if (strncmp(condition, "device=", 7) == 0)
		return fnmatch(condition + 7, json_string(json_path(r->root, "executor.device"), "name", ""),
		               0) == 0;
	kind = memory_format("%.*s", (int)size, condition);
	field = memory_format("%.*s", size < head ? (int)(head - size - 1) : 0,
	                      size < head ? condition + size + 1 : "");
	cJSON_ArrayForEach(layer, json_path(r->root, "executor.layers"))
		found = found || (strcmp(json_string(layer, "layer", ""), kind) == 0 &&
		                  layer_meets(layer, field, condition + head + 1));
	free(field);
	free(kind);
	return found;
}

bool claim_selects(const char *selector, const result *r)
{
	result *seen = (result *)(uintptr_t)r;

	return each_piece(selector, meets, seen);
}

typedef struct naming { const char *id; bool found; } naming;

static bool names(void *context, const char *pattern)
{
	naming *n = context;

	n->found = n->found || fnmatch(pattern, n->id, 0) == 0;
	return true;
}

bool claim_names_case(const claim *c, const char *id)
{
	naming n = { .id = id };

	(void)each_piece(c->cases, names, &n);
	return n.found;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static eh_status check_keys(const reading *r)
{
	static const char *const keys[] = { "name", "text", "claimant", "published", "protocol",
		"digest", "metric", "statistic", "cases", "a", "b", "relation", "factor", "subject",
		"over", "margin" };
	const size_t count = sizeof(keys) / sizeof(*keys);

	for (size_t i = 0; i < r->section->count; i++) {
		const ini_setting *s = &r->section->settings[i];
		const char *near;
		bool known = false;

		for (size_t k = 0; k < count; k++)
			known = known || strcmp(keys[k], s->key) == 0;
		if (known)
			continue;
		near = text_nearest(s->key, keys, count);
		return ini_refuse(r->source, s->line, r->error, "[claim] has no key '%.60s'%s%s%s", s->key,
		                    near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
		                    near != NULL ? "'?" : "");
	}
	return EH_OK;
}

static eh_status refuse_key(const reading *r, const char *key, const char *why)
{
	const ini_setting *s = setting(r, key);

	return ini_refuse(r->source, s != NULL ? s->line : r->section->line, r->error, "%s", why);
}

/* What one key asks of another. */
static eh_status check_together(const reading *r)
{
	enum claim_relation relation = r->out->relation;
	bool factor = setting(r, "factor") != NULL, margin = setting(r, "margin") != NULL;
	bool takes = relation <= CLAIM_WITHIN;

	if (takes && !factor)
		return refuse_key(r, "relation", "this relation needs 'factor'");
	if (!takes && factor)
		return refuse_key(r, "factor", "'factor' belongs to at-least, at-most and within");
	if (relation == CLAIM_WITHIN && !margin)
		return refuse_key(r, "relation", "within needs 'margin'");
	if (margin && relation != CLAIM_WITHIN && relation != CLAIM_EQUIVALENT)
		return refuse_key(r, "margin", "'margin' belongs to within and equivalent");
	if (relation >= CLAIM_FASTER && r->out->metric == CLAIM_TIME && setting(r, "metric") != NULL)
		return refuse_key(r, "metric", "faster, slower and equivalent are of the speed; leave "
		                  "'metric' out");
	if (strcmp(r->out->a, r->out->b) == 0)
		return refuse_key(r, "b", "'a' and 'b' are the same selector");
	return EH_OK;
}

static eh_status take_all(const reading *r)
{
	claim *c = r->out;
	size_t word[5] = { 0 };
	eh_status status = check_keys(r);

#define STEP(call) do { if (status == EH_OK) status = (call); } while (0)
	STEP(take_text(r, "name", true, &c->name));
	STEP(take_text(r, "text", true, &c->text));
	STEP(take_text(r, "claimant", true, &c->claimant));
	STEP(take_text(r, "published", false, &c->published));
	STEP(take_protocol(r));
	STEP(take_digest(r));
	STEP(take_text(r, "cases", true, &c->cases));
	STEP(take_selector(r, "a", &c->a));
	STEP(take_selector(r, "b", &c->b));
	STEP(take_word(r, "relation", relations, NULL, &word[0]));
	STEP(take_word(r, "over", overs, "all", &word[1]));
	STEP(take_word(r, "metric", metrics, "speed", &word[2]));
	STEP(take_word(r, "subject", subjects, "stack", &word[3]));
	STEP(setting(r, "statistic") != NULL ?
	     take_word(r, "statistic", statistics, NULL, &word[4]) : EH_OK);
	STEP(take_number(r, "factor", 0, 1e9, &c->factor));
	STEP(take_number(r, "margin", 0, 0.9, &c->margin));
#undef STEP
	if (status != EH_OK)
		return status;
	c->relation = (enum claim_relation)word[0];
	c->over = (enum claim_over)word[1];
	c->metric = (enum claim_metric)word[2];
	c->subject = memory_text(subjects[word[3]]);
	c->statistic = memory_text(setting(r, "statistic") != NULL ? statistics[word[4]] : "");
	return check_together(r);
}

eh_status claim_parse(const char *data, size_t size, const char *source, claim **out,
                      eh_error *error)
{
	ini_text l;
	eh_status status = ini_read(data, size, source, &l, error);

	*out = NULL;
	if (status != EH_OK)
		return status;
	if (l.count != 1 || strcmp(l.sections[0].name, "claim") != 0) {
		status = ini_refuse(source, l.count > 0 ? l.sections[l.count - 1].line : 0, error,
		                      "a claim is one section, [claim], and nothing else");
	} else {
		claim *c = memory_get(sizeof(*c));
		reading r = { .source = source, .section = &l.sections[0], .out = c, .error = error };

		c->factor = 1;
		status = take_all(&r);
		if (status == EH_OK)
			*out = c;
		else
			claim_free(c);
	}
	ini_free(&l);
	return status;
}

eh_status claim_read(const char *path, claim **out, eh_error *error)
{
	char *data;
	size_t size;
	eh_status status = file_read(path, &data, &size, error);

	if (status != EH_OK)
		return status;
	status = claim_parse(data, size, path, out, error);
	free(data);
	return status;
}

void claim_free(claim *c)
{
	if (c == NULL)
		return;
	free(c->name);
	free(c->text);
	free(c->claimant);
	free(c->published);
	free(c->protocol);
	free(c->digest);
	free(c->statistic);
	free(c->cases);
	free(c->a);
	free(c->b);
	free(c->subject);
	free(c);
}

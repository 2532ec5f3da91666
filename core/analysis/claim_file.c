/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a claim, as strictly as a protocol.  The keys are the members of claim. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/claim.h"
#include "analysis/stacks.h"
#include "base/files.h"
#include "base/ini.h"
#include "base/text.h"

typedef struct reading {
	const char *source;
	const ini_section *section;
	claim *out;
	eh_error *error;
} reading;

/* ---- comma lists ----------------------------------------------------------------------------- */

/* Calls visit for each trimmed piece between commas until it returns false; false then. */
static bool each_piece(const char *list, bool (*visit)(const void *, const char *),
                       const void *context)
{
	char *copy = memory_text(list), *rest = copy, *piece;
	bool all = true;

	while (all && (piece = strsep(&rest, ",")) != NULL) {
		size_t size;

		piece += strspn(piece, " \t");
		size = strlen(piece);
		while (size > 0 && (piece[size - 1] == ' ' || piece[size - 1] == '\t'))
			piece[--size] = '\0';
		all = visit(context, piece);
	}
	free(copy);
	return all;
}

static bool is_other(const void *id, const char *pattern)
{
	return fnmatch(pattern, id, 0) != 0;
}

bool claim_names_case(const claim *c, const char *id)
{
	return !each_piece(c->cases, is_other, id);
}

typedef struct ids { const char *const *items; size_t count; char **idle; } ids;

/* Keeps the pattern, and ends the search, when it fits none. */
static bool fits_one(const void *context, const char *pattern)
{
	const ids *all = context;

	for (size_t i = 0; i < all->count; i++)
		if (fnmatch(pattern, all->items[i], 0) == 0)
			return true;
	*all->idle = memory_text(pattern);
	return false;
}

char *claim_idle_pattern(const claim *c, const char *const *items, size_t count)
{
	char *idle = NULL;
	ids all = { items, count, &idle };

	(void)each_piece(c->cases, fits_one, &all);
	return idle;
}

/* ---- selectors ------------------------------------------------------------------------------- */

/* One condition: KIND=PATTERN or KIND.FIELD=PATTERN; without a kind a pattern of the executor's
 * name. */
typedef struct condition {
	const char *kind, *field, *pattern;  /* kind and field in the condition, not terminated  */
	size_t kind_size, field_size;
} condition;

static condition parse_condition(const char *words)
{
	size_t head = strcspn(words, "=");
	condition c = { .kind = words, .kind_size = strcspn(words, ".=") };

	if (words[head] != '=')
		return (condition){ .pattern = words };
	c.field = words + c.kind_size + 1;
	c.field_size = c.kind_size < head ? head - c.kind_size - 1 : 0;
	c.pattern = words + head + 1;
	return c;
}

static bool is_device(const condition *c)
{
	return c->kind_size == 6 && strncmp(c->kind, "device", 6) == 0 && c->kind[6] == '=';
}

static int layer_kind_of(const condition *c)
{
	return layout_word_value(record_layer_kind_words(), c->kind, c->kind_size);
}

static bool is_condition(const void *unused, const char *words)
{
	condition c = parse_condition(words);

	(void)unused;
	return words[0] != '\0' && (c.kind_size == 0 ? c.kind == NULL : is_device(&c) ||
	                            layer_kind_of(&c) != 0);
}

static bool field_meets(const record_layer *layer, const condition *c)
{
	char *name = memory_format("%.*s", (int)c->field_size, c->field);
	const record_field *f = record_layer_field(layer, name);
	char *value = f != NULL ? scalar_text(&f->value) : NULL;
	bool meets = value != NULL && fnmatch(c->pattern, value, 0) == 0;

	free(value);
	free(name);
	return meets;
}

/* By its name, or by name and version. */
static bool layer_meets(const record_layer *layer, const condition *c)
{
	char *whole;
	bool meets;

	if (c->field_size > 0)
		return field_meets(layer, c);
	whole = memory_format("%s %s", layer->name, text_or_empty(layer->version));
	meets = fnmatch(c->pattern, layer->name, 0) == 0 || fnmatch(c->pattern, whole, 0) == 0;
	free(whole);
	return meets;
}

static bool executor_meets(const void *executor, const char *words)
{
	const record_executor *e = executor;
	condition c = parse_condition(words);
	int kind;

	if (c.kind == NULL)
		return fnmatch(c.pattern, e->name, 0) == 0;
	if (is_device(&c))
		return fnmatch(c.pattern, text_or_empty(e->device.name), 0) == 0;
	kind = layer_kind_of(&c);
	for (size_t i = 0; i < e->layers.count; i++)
		if ((int)e->layers.items[i].layer == kind && layer_meets(&e->layers.items[i], &c))
			return true;
	return false;
}

bool claim_selects(const char *selector, const record_executor *e)
{
	return each_piece(selector, executor_meets, e);
}

/* ---- values ---------------------------------------------------------------------------------- */

static const ini_setting *setting(const reading *r, const char *key)
{
	for (size_t i = 0; i < r->section->count; i++)
		if (strcmp(r->section->settings[i].key, key) == 0)
			return &r->section->settings[i];
	return NULL;
}

static eh_status take_word(const reading *r, const ini_setting *s, const layout_words *words,
                           const char *absent, int *out)
{
	text all = { 0 };
	eh_status status;

	*out = layout_word_value(words, s->text, strlen(s->text));
	if (*out != 0 || (absent != NULL && strcmp(s->text, absent) == 0))
		return EH_OK;
	if (absent != NULL)
		text_add(&all, "%s", absent);
	for (size_t i = 0; i < words->count; i++)
		text_add(&all, "%s%s", all.size > 0 ? ", " : "", words->items[i].word);
	status = ini_refuse(r->source, s->line, r->error, "'%s' is one of %s, not '%.60s'", s->key,
	                    all.data, s->text);
	text_free(&all);
	return status;
}

/* Above 0 and up to most. */
static eh_status take_number(const reading *r, const ini_setting *s, double most, double *out)
{
	size_t size = strlen(s->text);
	bool percent = size > 1 && s->text[size - 1] == '%';
	char *digits = memory_format("%.*s", (int)(percent ? size - 1 : size), s->text);
	bool good = text_parse_double(digits, out);

	free(digits);
	if (percent)
		*out /= 100;
	return good && *out > 0 && *out <= most ? EH_OK :
	       ini_refuse(r->source, s->line, r->error, "'%s' is a number above 0 up to %g, not '%.60s'",
	                  s->key, most, s->text);
}

/* NAME@VERSION. */
static eh_status take_protocol(const reading *r, const ini_setting *s)
{
	const char *at = strrchr(s->text, '@');

	if (at == NULL || at == s->text || !text_parse_uint(at + 1, &r->out->version) ||
	    r->out->version == 0)
		return ini_refuse(r->source, s->line, r->error, "'protocol' is NAME@VERSION, such as "
		                  "quick@1, not '%.60s'", s->text);
	r->out->protocol = memory_format("%.*s", (int)(at - s->text), s->text);
	return EH_OK;
}

static eh_status check_text(const reading *r, const ini_setting *s)
{
	if (strcmp(s->key, "digest") == 0 &&
	    (strlen(s->text) != 64 || strspn(s->text, "0123456789abcdef") != 64))
		return ini_refuse(r->source, s->line, r->error, "'digest' is 64 hexadecimal digits");
	if ((strcmp(s->key, "a") == 0 || strcmp(s->key, "b") == 0) &&
	    !each_piece(s->text, is_condition, NULL))
		return ini_refuse(r->source, s->line, r->error, "'%s' is a comma list of conditions: a "
		                  "pattern of the executor's name, device=PATTERN, LAYER=PATTERN or "
		                  "LAYER.FIELD=PATTERN; '%.60s' has another", s->key, s->text);
	return EH_OK;
}

static eh_status take_value(const reading *r, const layout_field *f, const ini_setting *s)
{
	void *member = (char *)r->out + f->offset;

	if (strcmp(s->key, "protocol") == 0)
		return take_protocol(r, s);
	if (f->kind == LAYOUT_WORD)
		return take_word(r, s, f->words(), strcmp(s->key, "subject") == 0 ? "stack" : NULL, member);
	if (f->kind == LAYOUT_NUMBER)
		return take_number(r, s, strcmp(s->key, "margin") == 0 ? 0.9 : 1e9, member);
	text_set(member, s->text);
	return check_text(r, s);
}

/* ---- the file -------------------------------------------------------------------------------- */

/* The version is a part of the key `protocol`. */
static bool is_key(const layout_field *f)
{
	return f->kind != LAYOUT_UINT;
}

static eh_status refuse_unknown(const reading *r, const ini_setting *s, const layout *l)
{
	const char *keys[64], *near;
	size_t count = 0;

	for (size_t i = 0; i < l->count; i++)
		if (is_key(&l->fields[i]))
			keys[count++] = l->fields[i].key;
	near = text_nearest(s->key, keys, count);
	return ini_refuse(r->source, s->line, r->error, "[claim] has no key '%.60s'%s%s%s", s->key,
	                  near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
	                  near != NULL ? "'?" : "");
}

static eh_status take_setting(const reading *r, const ini_setting *s)
{
	const layout *l = claim_layout();

	for (size_t i = 0; i < l->count; i++)
		if (strcmp(l->fields[i].key, s->key) == 0 && is_key(&l->fields[i]))
			return take_value(r, &l->fields[i], s);
	return refuse_unknown(r, s, l);
}

/* metric and over have a default. */
static eh_status check_missing(const reading *r)
{
	const layout *l = claim_layout();

	for (size_t i = 0; i < l->count; i++) {
		const layout_field *f = &l->fields[i];

		if (!f->optional && is_key(f) && setting(r, f->key) == NULL &&
		    strcmp(f->key, "metric") != 0 && strcmp(f->key, "over") != 0)
			return ini_refuse(r->source, r->section->line, r->error, "[claim] needs '%s'", f->key);
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
	const claim *c = r->out;
	bool takes = c->relation <= CLAIM_WITHIN;

	if (takes && isnan(c->factor))
		return refuse_key(r, "relation", "this relation needs 'factor'");
	if (!takes && !isnan(c->factor))
		return refuse_key(r, "factor", "'factor' belongs to at-least, at-most and within");
	if (c->relation == CLAIM_WITHIN && isnan(c->margin))
		return refuse_key(r, "relation", "within needs 'margin'");
	if (!isnan(c->margin) && c->relation != CLAIM_WITHIN && c->relation != CLAIM_EQUIVALENT)
		return refuse_key(r, "margin", "'margin' belongs to within and equivalent");
	if (!takes && c->metric == CLAIM_TIME)
		return refuse_key(r, "metric", "faster, slower and equivalent are of the speed; leave "
		                  "'metric' out");
	if (strcmp(c->a, c->b) == 0)
		return refuse_key(r, "b", "'a' and 'b' are the same selector");
	return EH_OK;
}

static eh_status take_section(const reading *r)
{
	eh_status status = EH_OK;

	r->out->metric = CLAIM_SPEED;
	r->out->over = CLAIM_ALL;
	for (size_t i = 0; i < r->section->count && status == EH_OK; i++)
		status = take_setting(r, &r->section->settings[i]);
	if (status == EH_OK)
		status = check_missing(r);
	return status == EH_OK ? check_together(r) : status;
}

eh_status claim_parse(const char *data, size_t size, const char *source, claim **out,
                      eh_error *error)
{
	ini_text ini;
	eh_status status = ini_read(data, size, source, &ini, error);
	reading r = { .source = source, .error = error };

	*out = NULL;
	if (status != EH_OK)
		return status;
	if (ini.count != 1 || strcmp(ini.sections[0].name, "claim") != 0) {
		status = ini_refuse(source, ini.count > 0 ? ini.sections[ini.count - 1].line : 0, error,
		                    "a claim is one section, [claim], and nothing else");
	} else {
		r.section = &ini.sections[0];
		r.out = layout_new(claim_layout());
		status = take_section(&r);
		if (status == EH_OK)
			*out = r.out;
		else
			claim_free(r.out);
	}
	ini_free(&ini);
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
	layout_free(claim_layout(), c);
}

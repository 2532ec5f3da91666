/* SPDX-License-Identifier: Apache-2.0 */
#include "record/reach.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/json_scan.h"
#include "base/letters.h"
#include "base/text.h"

static const char separators[] = " \t\n:;,='\"";

/* ---- the text -------------------------------------------------------------------------------- */

static bool is_hex(const char *s)
{
	return s[strspn(s, "0123456789abcdefABCDEF")] == '\0';
}

/* An identifier written with dashes: the same without them, malloc'd; else NULL. */
static char *without_dashes(const char *value)
{
	char *out = memory_text(value), *to = out;

	for (const char *c = value; *c != '\0'; c++)
		if (*c != '-')
			*to++ = *c;
	*to = '\0';
	if (strlen(out) >= 12 && strlen(out) < strlen(value) && is_hex(out))
		return out;
	free(out);
	return NULL;
}

/* An identifier of 32 hex digits: the same as a UUID is written, malloc'd; else NULL. */
static char *with_dashes(const char *value)
{
	return strlen(value) != 32 || !is_hex(value) ? NULL :
	       memory_format("%.8s-%.4s-%.4s-%.4s-%s", value, value + 8, value + 12, value + 16, value + 20);
}

/* Takes form, which may be NULL; adds it in small letters. */
static void add_small(text_list *list, char *form)
{
	if (form != NULL) {
		(void)letters_small(form, strlen(form));
		text_list_add(list, form);
	}
	free(form);
}

static void add_hex(reach *r, const char *value)
{
	size_t size = strlen(value);
	char *hex = memory_get(2 * size + 1);

	digest_hex((const unsigned char *)value, size, hex);
	add_small(&r->forms, hex);
}

static void add_forms(reach *r, const char *value)
{
	char *other = memory_text(value);

	add_small(&r->forms, memory_text(value));
	add_hex(r, value);
	(void)letters_small(other, strlen(other));
	add_hex(r, other);
	(void)letters_capital(other, strlen(other));
	add_hex(r, other);
	add_small(&r->forms, without_dashes(value));
	add_small(&r->forms, with_dashes(value));
	free(other);
}

static void add_paths(reach *r, const char *value)
{
	char *copy = memory_text(value), *rest = copy, *piece;

	while ((piece = strsep(&rest, separators)) != NULL)
		if (piece[0] == '/' && strlen(piece) >= REACH_LEAST && strcmp(piece, value) != 0)
			add_small(&r->paths, memory_text(piece));
	free(copy);
}

void reach_set(reach *r, const char *value)
{
	if (strlen(value) < REACH_LEAST)
		return;
	add_forms(r, value);
	add_paths(r, value);
}

void reach_clear(reach *r)
{
	text_list_clear(&r->forms);
	text_list_clear(&r->paths);
}

/* ---- values ---------------------------------------------------------------------------------- */

bool reach_ends_word(char c)
{
	return c == '\0' || strchr(separators, c) != NULL;
}

static bool has_whole(const char *value, const char *path)
{
	const size_t size = strlen(path);

	for (const char *at = value; (at = strstr(at, path)) != NULL; at++)
		if ((at == value || reach_ends_word(at[-1])) && reach_ends_word(at[size]))
			return true;
	return false;
}

/* Makes the value small. */
static bool has_any(const reach *r, char *value)
{
	(void)letters_small(value, strlen(value));
	for (size_t i = 0; i < r->forms.count; i++)
		if (strstr(value, r->forms.items[i]) != NULL)
			return true;
	for (size_t i = 0; i < r->paths.count; i++)
		if (has_whole(value, r->paths.items[i]))
			return true;
	return false;
}

static int digit(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10;
}

/* Replaces %XX by the byte, but for %00. */
static void unescape(char *value)
{
	char *to = value;

	for (const char *c = value; *c != '\0'; c++)
		if (c[0] == '%' && isxdigit((unsigned char)c[1]) && isxdigit((unsigned char)c[2]) &&
		    strncmp(c, "%00", 3) != 0) {
			*to++ = (char)(16 * digit(c[1]) + digit(c[2]));
			c += 2;
		} else {
			*to++ = *c;
		}
	*to = '\0';
}

bool reach_holds(const reach *r, const char *value)
{
	char *copy = memory_text(value);
	bool found = has_any(r, copy);

	if (!found && strchr(copy, '%') != NULL) {
		unescape(copy);
		found = has_any(r, copy);
	}
	free(copy);
	return found;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

typedef struct finder {
	const reach *reach;
	json_scan scan;
	text place;        /* of the value that comes next                                       */
	text_list *places;
} finder;

static eh_status find_value(finder *f);

static void cut(text *t, size_t size)
{
	t->size = size;
	t->data[size] = '\0';
}

static void note(finder *f, json_quoted string)
{
	char *value = json_quoted_text(string);

	if (reach_holds(f->reach, value))
		text_list_add(f->places, f->place.data);
	free(value);
}

/* Whether the members' names of the object at that place are data. */
static bool names_are_data(const char *place)
{
	static const char *const maps[] = { "fields", "parameters", "chosen", "space", "classes" };
	const char *dot = strrchr(place, '.'), *last = dot != NULL ? dot + 1 : place;

	for (size_t i = 0; i < sizeof(maps) / sizeof(*maps); i++)
		if (strcmp(last, maps[i]) == 0)
			return true;
	return false;
}

static eh_status find_member(finder *f, bool named)
{
	const size_t before = f->place.size;
	json_quoted name;
	eh_status status = json_scan_name(&f->scan, &name);

	if (status != EH_OK)
		return status;
	text_add(&f->place, "%s%.*s", before > 0 ? "." : "", (int)name.size, name.bytes);
	if (named)
		note(f, name);
	status = strcmp(f->place.data, "salts") == 0 ? json_scan_skip(&f->scan) : find_value(f);
	cut(&f->place, before);
	return status;
}

static eh_status find_members(finder *f)
{
	const bool named = names_are_data(f->place.data);
	bool more;
	eh_status status = json_scan_enter(&f->scan, &more);

	while (status == EH_OK && more) {
		status = find_member(f, named);
		if (status == EH_OK)
			status = json_scan_more(&f->scan, '}', &more);
	}
	return status;
}

static eh_status find_elements(finder *f)
{
	const size_t before = f->place.size;
	bool more;
	eh_status status = json_scan_enter(&f->scan, &more);

	for (size_t i = 0; status == EH_OK && more; i++) {
		if (json_starts_number(json_scan_peek(&f->scan))) {
			status = json_scan_skip(&f->scan);
		} else {
			text_add(&f->place, "[%zu]", i);
			status = find_value(f);
			cut(&f->place, before);
		}
		if (status == EH_OK)
			status = json_scan_more(&f->scan, ']', &more);
	}
	return status;
}

static eh_status find_value(finder *f)
{
	json_quoted string;
	eh_status status;

	switch (json_scan_peek(&f->scan)) {
	case '{': return find_members(f);
	case '[': return find_elements(f);
	case '"':
		status = json_scan_string(&f->scan, &string);
		if (status == EH_OK)
			note(f, string);
		return status;
	default: return json_scan_skip(&f->scan);
	}
}

eh_status reach_find(const reach *r, const char *body, size_t size, const char *name,
                     text_list *places, eh_error *error)
{
	finder f = { .reach = r, .places = places,
		     .scan = json_scan_of(body, (json_span){ 0, size }, 0, name, error) };
	eh_status status = EH_OK;

	if (r->forms.count == 0)
		return EH_OK;
	text_add(&f.place, "%s", "");
	status = find_value(&f);
	text_free(&f.place);
	return status;
}

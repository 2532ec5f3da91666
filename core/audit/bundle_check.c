/* SPDX-License-Identifier: Apache-2.0 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "audit/bundle.h"
#include "base/digest.h"
#include "base/json.h"
#include "base/text.h"
#include "record/shape.h"

static const shape member_shape[] = {
	{ "name", SHAPE_TEXT, false, NULL, NULL }, { "size", SHAPE_UINT, false, NULL, NULL },
	{ "sha256", SHAPE_SHA256, false, NULL, NULL }, { NULL, SHAPE_TEXT, false, NULL, NULL }
};

static const shape manifest_shape[] = {
	{ "format", SHAPE_WORD, false, NULL, "evenhand-bundle" },
	{ "format_version", SHAPE_UINT, false, NULL, NULL },
	{ "members", SHAPE_OBJECTS, false, member_shape, NULL },
	{ NULL, SHAPE_TEXT, false, NULL, NULL }
};

typedef struct problems { char **items; size_t count; } problems;

__attribute__((format(printf, 2, 3)))
static void problem(problems *p, const char *format, ...)
{
	va_list args;
	char *sentence = NULL;

	va_start(args, format);
	if (vasprintf(&sentence, format, args) < 0)
		sentence = memory_text("the bundle does not hold");
	va_end(args);
	p->items = memory_grow(p->items, (p->count + 2) * sizeof(*p->items));
	p->items[p->count++] = sentence;
	p->items[p->count] = NULL;
}

/* ---- manifest -------------------------------------------------------------------------------- */

static void check_member(const bundle *b, const cJSON *item, problems *p)
{
	const char *name = json_string(item, "name", "");
	const bundle_member *m = bundle_find(b, name);
	uint64_t size = 0;
	char hex[65];

	if (m == NULL) {
		problem(p, "%.100s is in the manifest and not in the bundle", name);
		return;
	}
	digest_bytes(m->data, m->size, hex);
	(void)json_uint(item, "size", &size);
	if (size != m->size || strcmp(hex, json_string(item, "sha256", "")) != 0)
		problem(p, "%s is not what the manifest says: its SHA-256 is %.16s... and not %.16s...",
		        name, hex, json_string(item, "sha256", ""));
}

static void check_manifest(const bundle *b, const cJSON *manifest, problems *p)
{
	const cJSON *members = json_path(manifest, "members");
	const cJSON *item, *other;

	cJSON_ArrayForEach(item, members) {
		check_member(b, item, p);
		for (other = item->next; other != NULL; other = other->next)
			if (strcmp(json_string(item, "name", ""), json_string(other, "name", "")) == 0)
				problem(p, "%.100s is in the manifest twice", json_string(item, "name", ""));
	}
	for (size_t i = 0; i < b->count; i++) {
		bool known = strcmp(b->members[i].name, BUNDLE_MANIFEST) == 0 ||
		             strcmp(b->members[i].name, BUNDLE_MANIFEST ".sig") == 0;

		cJSON_ArrayForEach(item, members)
			known = known || strcmp(json_string(item, "name", ""), b->members[i].name) == 0;
		if (!known)
			problem(p, "%s is in the bundle and not in the manifest", b->members[i].name);
	}
}

/* ---- kernels and protocols ------------------------------------------------------------------- */

static void add_text(digest *d, const char *s)
{
	char *count = memory_format("%zu:", strlen(s));

	digest_add(d, count, strlen(count));
	digest_add(d, s, strlen(s));
	free(count);
}

void bundle_source_digest(const cJSON *defines, const char *prelude, const char *body, char hex[65])
{
	digest *d = digest_new();
	const cJSON *item;

	cJSON_ArrayForEach(item, defines) {
		const char *equals = strchr(item->valuestring, '=');
		char *name = memory_format("%.*s", equals != NULL ? (int)(equals - item->valuestring) :
		                           (int)strlen(item->valuestring), item->valuestring);

		add_text(d, name);
		add_text(d, equals != NULL ? equals + 1 : "");
		free(name);
	}
	add_text(d, prelude);
	add_text(d, body);
	digest_end(d, hex);
}

static void check_program(const bundle *b, const cJSON *program, const char *place, problems *p)
{
	const char *kernel = json_string(program, "kernel", NULL);
	const char *want = json_string(program, "source_sha256", "");
	const bundle_member *prelude = bundle_find(b, "kernels/dialect.h");
	const bundle_member *body;
	char *name;
	char hex[65];

	if (kernel == NULL || want[0] == '\0')
		return;
	name = memory_format("kernels/%s.k", kernel);
	body = bundle_find(b, name);
	free(name);
	if (body == NULL || prelude == NULL) {
		problem(p, "%s: the text of the kernel %.60s is not in the bundle", place, kernel);
		return;
	}
	bundle_source_digest(json_path(program, "defines"), prelude->data, body->data, hex);
	if (strcmp(hex, want) != 0)
		problem(p, "%s: kernels/%s.k is not the text that was measured: it gives %.16s... and "
		        "program.source_sha256 is %.16s...", place, kernel, hex, want);
}

static void check_result(const bundle *b, const bundle_member *m, problems *p)
{
	cJSON *root = NULL;
	const cJSON *row, *e;
	size_t before = p->count;
	bool protocol = false;

	/* What is wrong with the result itself, its own checks say. */
	if (json_parse(m->data, m->size, m->name, &root, NULL) != EH_OK)
		return;
	cJSON_ArrayForEach(row, json_path(root, "cases"))
		cJSON_ArrayForEach(e, json_path(row, "executions"))
			if (p->count < before + 8)
				check_program(b, json_path(e, "program"), m->name, p);
	for (size_t i = 0; i < b->count; i++)
		protocol = protocol ||
		           (strncmp(b->members[i].name, "protocols/", 10) == 0 &&
		            strcmp(b->members[i].data,
		                   json_string(json_path(root, "protocol"), "text", "")) == 0);
	if (!protocol)
		problem(p, "%s: its protocol's text is not in the bundle", m->name);
	cJSON_Delete(root);
}

char **bundle_check(const bundle *b)
{
	problems p = { memory_get(sizeof(char *)), 0 };
	const bundle_member *m = bundle_find(b, BUNDLE_MANIFEST);
	eh_error error = ERROR_INIT;
	cJSON *manifest = NULL;
	uint64_t version = 0;
	size_t results = 0;

	if (json_parse(m->data, m->size, BUNDLE_MANIFEST, &manifest, &error) != EH_OK ||
	    shape_check(manifest, manifest_shape, BUNDLE_MANIFEST, "", &error) != EH_OK)
		problem(&p, "%s", error.message);
	else if (!json_uint(manifest, "format_version", &version) || version != 1)
		problem(&p, BUNDLE_MANIFEST ": format_version is not 1, the one this evenhand reads");
	else
		check_manifest(b, manifest, &p);
	for (size_t i = 0; i < b->count; i++) {
		/* All are texts, and it would hide what stands behind it. */
		if (strlen(b->members[i].data) != b->members[i].size)
			problem(&p, "%s: there is a NUL byte in it", b->members[i].name);
		if (!bundle_is_result(&b->members[i]))
			continue;
		results++;
		check_result(b, &b->members[i], &p);
	}
	if (results == 0)
		problem(&p, "there is no result in the bundle");
	cJSON_Delete(manifest);
	return p.items;
}

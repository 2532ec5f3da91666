/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "audit/bundle.h"
#include "audit/envelope.h"
#include "base/digest.h"
#include "base/json_scan.h"
#include "base/limits.h"
#include "base/text.h"

/* ---- manifest -------------------------------------------------------------------------------- */

static void check_member(const bundle *b, const audit_manifest_member *stated, text_list *problems)
{
	const bundle_member *m = bundle_find(b, stated->name);
	source_bytes bytes;
	eh_error error = ERROR_INIT;
	char hex[65];

	if (m == NULL) {
		text_list_format(problems, "%.100s is in the manifest, but not in the bundle",
		                 stated->name);
		return;
	}
	bytes = bundle_bytes(b, m);
	if (source_digest(&bytes, hex, &error) != EH_OK)
		text_list_add(problems, error.message);
	else if (stated->size != m->size || strcmp(hex, stated->sha256) != 0)
		text_list_format(problems, "%s is not what the manifest says: its SHA-256 is %.16s... and "
		                 "not %.16s...", stated->name, hex, stated->sha256);
}

static int by_name(const void *a, const void *b)
{
	const audit_manifest_member *const *x = a, *const *y = b;
	int order = strcmp((*x)->name, (*y)->name);

	return order != 0 ? order : (*x > *y) - (*x < *y);
}

static int as_name(const void *name, const void *member)
{
	return strcmp(name, (*(const audit_manifest_member *const *)member)->name);
}

/* malloc'd: the entries in the order of their names; a hostile manifest has any number of them. */
static const audit_manifest_member **sort_entries(const audit_manifest *manifest)
{
	size_t count = manifest->members.count;
	const audit_manifest_member **sorted = memory_get((count + 1) * sizeof(*sorted));

	for (size_t i = 0; i < count; i++)
		sorted[i] = &manifest->members.items[i];
	if (count > 1)
		qsort(sorted, count, sizeof(*sorted), by_name);
	return sorted;
}

static void check_entries(const bundle *b, const audit_manifest_member **sorted, size_t count,
                          text_list *problems)
{
	for (size_t i = 0; i < count; i++) {
		if (i + 1 < count && strcmp(sorted[i]->name, sorted[i + 1]->name) == 0)
			text_list_format(problems, "%.100s is in the manifest twice", sorted[i]->name);
		else
			check_member(b, sorted[i], problems);
	}
	for (size_t i = 0; i < b->count; i++) {
		const char *name = b->members[i].name;

		if (strcmp(name, BUNDLE_MANIFEST) != 0 && strcmp(name, BUNDLE_MANIFEST ".sig") != 0 &&
		    bsearch(name, sorted, count, sizeof(*sorted), as_name) == NULL)
			text_list_format(problems, "%s is in the bundle, but not in the manifest", name);
	}
}

static void check_members(const bundle *b, const audit_manifest *manifest, text_list *problems)
{
	size_t count = manifest->members.count;
	const audit_manifest_member **sorted;

	/* Each has its entry, or some are doubled; one sentence is enough of many. */
	if (count > 2 * b->count + 16) {
		text_list_format(problems, "the manifest has %zu members, and the bundle %zu", count,
		                 b->count);
		return;
	}
	sorted = sort_entries(manifest);
	check_entries(b, sorted, count, problems);
	free(sorted);
}

static void check_manifest(const bundle *b, text_list *problems)
{
	const bundle_member *m = bundle_find(b, BUNDLE_MANIFEST);
	eh_error error = ERROR_INIT;
	json_scan scan = json_scan_of(m->data, (json_span){ 0, m->size }, 0, BUNDLE_MANIFEST, &error);
	audit_manifest manifest;
	eh_status status;

	layout_init(audit_manifest_layout(), &manifest);
	scan.memory = LIMIT_HEAD_MEMORY;
	status = layout_scan(audit_manifest_layout(), scan, "", &manifest);
	if (status == EH_OK)
		status = envelope_version(manifest.format_version, BUNDLE_MANIFEST, &error);
	if (status == EH_OK)
		check_members(b, &manifest, problems);
	else
		text_list_add(problems, error.message);
	layout_clear(audit_manifest_layout(), &manifest);
}

/* Members are texts, and readers of texts stop at a NUL. */
static void check_nul(const bundle *b, const bundle_member *m, text_list *problems)
{
	eh_error error = ERROR_INIT;
	source_bytes bytes = bundle_bytes(b, m);
	source_window w = source_window_of(&bytes, &error);
	bool found = false;

	while (!found && source_window_next(&w))
		found = memchr(w.bytes, '\0', w.size) != NULL;
	source_window_free(&w);
	if (found)
		text_list_format(problems, "%s has a NUL byte", m->name);
	else if (w.status != EH_OK)
		text_list_add(problems, error.message);
}

void bundle_check(const bundle *b, text_list *problems)
{
	size_t results = 0;

	check_manifest(b, problems);
	for (size_t i = 0; i < b->count; i++) {
		check_nul(b, &b->members[i], problems);
		results += bundle_is_result(&b->members[i]);
	}
	if (results == 0)
		text_list_add(problems, "the bundle has no result");
}

/* ---- kernels and protocols ------------------------------------------------------------------- */

static void add_bytes(digest *d, const char *s, size_t size)
{
	char *count = memory_format("%zu:", size);

	digest_add(d, count, strlen(count));
	digest_add(d, s, size);
	free(count);
}

void bundle_source_digest(const text_list *defines, const char *prelude, const char *body,
                          char hex[65])
{
	digest *d = digest_new();

	for (size_t i = 0; i < defines->count; i++) {
		const char *name = defines->items[i];
		size_t size = strcspn(name, "=");
		const char *value = name[size] == '=' ? name + size + 1 : "";

		add_bytes(d, name, size);
		add_bytes(d, value, strlen(value));
	}
	add_bytes(d, prelude, strlen(prelude));
	add_bytes(d, body, strlen(body));
	digest_end(d, hex);
}

bool bundle_has_source(const record_program *program)
{
	return program != NULL && program->kernel != NULL && program->source_sha256 != NULL &&
	       program->source_sha256[0] != '\0';
}

static const bundle_member *find_text(const bundle *b, const char *kernel)
{
	char *file = memory_format("kernels/%s.k", kernel);
	const bundle_member *found = bundle_find(b, file);

	free(file);
	return found;
}

/* Whether so many bytes more may be hashed: a row of a few hundred bytes can ask for a long text. */
static bool may_hash(bundle_kernels *k, size_t size)
{
	size_t before = atomic_fetch_add(&k->hashed, size);

	return before <= LIMIT_FILE + LIMIT_HASHED * k->b->total;
}

static void check_program(bundle_kernels *k, const record_program *program, findings *f)
{
	const bundle_member *prelude = bundle_find(k->b, "kernels/dialect.h");
	const bundle_member *body = find_text(k->b, program->kernel);
	char hex[65];

	if (body == NULL || prelude == NULL) {
		(void)findings_add(f, EH_E_ALTERED, CHECK_ROWS, "", NULL, NULL,
		                   "the text of the kernel %.60s is not in the bundle", program->kernel);
		return;
	}
	if (!may_hash(k, prelude->size + body->size))
		return;
	bundle_source_digest(&program->defines, prelude->data, body->data, hex);
	if (strcmp(hex, program->source_sha256) != 0)
		(void)findings_add(f, EH_E_ALTERED, CHECK_ROWS, "", NULL, NULL,
		                   "kernels/%s.k is not the text that was measured: it gives %.16s... and "
		                   "program.source_sha256 is %.16s...", program->kernel, hex,
		                   program->source_sha256);
}

static bool same_source(const record_program *a, const record_program *b)
{
	bool same = strcmp(a->kernel, b->kernel) == 0 && strcmp(a->source_sha256, b->source_sha256) == 0 &&
	            a->defines.count == b->defines.count;

	for (size_t i = 0; i < a->defines.count && same; i++)
		same = strcmp(a->defines.items[i], b->defines.items[i]) == 0;
	return same;
}

static bool has_protocol(const bundle *b, const char *body)
{
	size_t size = strlen(body);

	for (size_t i = 0; i < b->count; i++)
		if (b->members[i].size == size && strncmp(b->members[i].name, "protocols/", 10) == 0 &&
		    memcmp(b->members[i].data, body, size) == 0)
			return true;
	return false;
}

/* Of a result's problems that many are told. */
enum { PROBLEMS = 8 };

/* The executions of a case have one program, as a rule. */
static void check_kernels(const result_watch *w, const record_result *head, const record_case *row,
                          size_t index, findings *f)
{
	const record_program *last = NULL;

	(void)head;
	(void)index;
	for (size_t k = 0; k < row->executions.count && f->count < PROBLEMS; k++) {
		const record_program *program = row->executions.items[k].program;

		if (!bundle_has_source(program) || (last != NULL && same_source(last, program)))
			continue;
		check_program(w->context, program, f);
		last = program;
	}
}

result_watch bundle_watch_kernels(bundle_kernels *kernels)
{
	return (result_watch){ .row = check_kernels, .context = kernels, .found = { .most = PROBLEMS } };
}

eh_status bundle_kernels_end(const bundle_kernels *kernels, const char *path, eh_error *error)
{
	size_t most = LIMIT_FILE + LIMIT_HASHED * kernels->b->total;

	return kernels->hashed <= most ? EH_OK :
	       error_set(error, EH_E_NO_MEMORY, "%s: its results name more than %zu MiB of kernel texts, which "
	                 "are not all compared: pack fewer results in a bundle", path, most / LIMIT_MIB);
}

void bundle_check_result(const bundle *b, const char *name, const record_result *r,
                         const result_watch *kernels, text_list *problems)
{
	for (size_t i = 0; i < kernels->found.count; i++)
		text_list_format(problems, "%s: %s", name, kernels->found.items[i].sentence);
	if (!has_protocol(b, r->protocol.text))
		text_list_format(problems, "%s: its protocol's text is not in the bundle", name);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audit/beside.h"
#include "audit/bundle_collect.h"
#include "base/digest.h"
#include "base/file_lock.h"
#include "base/files.h"
#include "base/limits.h"
#include "base/paths.h"
#include "base/text.h"
#include "record/journal.h"

/* ---- collecting ------------------------------------------------------------------------------ */

/* Takes data. */
static eh_status add_member(bundle *b, const char *name, char *data, size_t size, eh_error *error)
{
	bundle_member *m;
	eh_status status = bundle_add(b, "the bundle", name, size, &m, error);

	if (status == EH_OK) {
		m->data = data;
		m->size = size;
	} else {
		free(data);
	}
	return status;
}

static char *numbered(const char *base, size_t n)
{
	return n > 1 ? memory_format("results/%zu-%s", n, base) : memory_format("results/%s", base);
}

static bool is_taken(const bundle *b, const char *base, size_t n)
{
	char *name = numbered(base, n);
	bool taken = bundle_find_like(b, name) != NULL;

	free(name);
	return taken;
}

/* Thousands of results may have one name: a number that is free, found by halving. */
static char *free_name(const bundle *b, const char *path)
{
	char *base = bundle_file_name(path, ".json"), *name;
	size_t taken = 0, open = 1;

	for (; is_taken(b, base, open); open *= 2)
		taken = open;
	while (open - taken > 1) {
		const size_t middle = taken + (open - taken) / 2;

		*(is_taken(b, base, middle) ? &taken : &open) = middle;
	}
	name = numbered(base, open);
	free(base);
	return name;
}

static eh_status add_beside(bundle *b, const char *path, const char *name, const char *suffix,
                            eh_error *error)
{
	char *to = memory_format("%s%s", name, suffix);
	char *data;
	size_t size;
	eh_status status = beside_read(path, suffix, &data, &size, error);

	if (status == EH_OK && data != NULL)
		status = add_member(b, to, data, size, error);
	free(to);
	return status;
}

static char *protocol_name(const record_protocol *p, unsigned n)
{
	char *name = memory_format("%.40s", p->name), *base = bundle_file_name(name, "");
	char *whole = n > 1 ? memory_format("protocols/%s-%llu-%u.ini", base, (unsigned long long)p->version, n)
	                    : memory_format("protocols/%s-%llu.ini", base, (unsigned long long)p->version);

	free(base);
	free(name);
	return whole;
}

static eh_status add_protocol(bundle *b, const result *r, eh_error *error)
{
	const record_protocol *protocol = &r->record->protocol;
	const char *body = protocol->text;
	char *name = protocol_name(protocol, 1);
	const bundle_member *there = bundle_find_like(b, name);
	eh_status status = EH_OK;

	for (unsigned n = 2; there != NULL && strcmp(there->data, body) != 0; n++) {
		free(name);
		name = protocol_name(protocol, n);
		there = bundle_find_like(b, name);
	}
	if (there == NULL)
		status = add_member(b, name, memory_text(body), strlen(body), error);
	free(name);
	return status;
}

/* ---- kernels --------------------------------------------------------------------------------- */

static eh_status add_text_file(bundle *b, const char *folder, const char *file, eh_error *error)
{
	char *name = memory_format("kernels/%s", file);
	char *installed = paths_data("workloads");
	char *path = path_join(folder != NULL ? folder : installed, file);
	char *data;
	size_t size;
	eh_status status = EH_OK;

	if (folder != NULL && !file_exists(path)) {
		free(path);
		path = path_join(installed, file);
	}
	if (bundle_find(b, name) == NULL) {
		status = file_read(path, &data, &size, error);
		if (status == EH_OK)
			status = add_member(b, name, data, size, error);
		else
			error_remedy(error, "; it is a kernel text that was measured: name its folder by --kernels");
	}
	free(path);
	free(installed);
	free(name);
	return status;
}

static eh_status add_kernel(bundle *b, const char *folder, const record_program *program,
                            const char *place, eh_error *error)
{
	char *file;
	eh_status status;

	if (!bundle_has_source(program))
		return EH_OK;
	if (strchr(program->kernel, '/') != NULL)
		return error_set(error, EH_E_FORMAT, "%s: '%.60s' is not a valid kernel name", place,
		                 program->kernel);
	file = memory_format("%s.k", program->kernel);
	status = add_text_file(b, folder, "dialect.h", error);
	if (status == EH_OK)
		status = add_text_file(b, folder, file, error);
	free(file);
	return status;
}

static eh_status add_kernels(bundle *b, const char *folder, const result *r, eh_error *error)
{
	const record_case_list *cases = &r->record->cases;
	eh_status status = EH_OK;

	for (size_t i = 0; i < cases->count; i++) {
		const record_execution_list *executions = &cases->items[i].executions;

		for (size_t k = 0; k < executions->count && status == EH_OK; k++)
			status = add_kernel(b, folder, executions->items[k].program, r->path, error);
	}
	return status;
}

/* As a reader does it, once all members are there. */
static eh_status check_kernels(bundle_kernels *kernels, const result *r, const char *path, eh_error *error)
{
	const record_case_list *cases = &r->record->cases;
	result_watch watch = bundle_watch_kernels(kernels);
	eh_status status;

	for (size_t i = 0; i < cases->count; i++)
		watch.row(&watch, r->record, &cases->items[i], i, &watch.found);
	status = watch.found.count == 0 ? bundle_kernels_end(kernels, path, error) :
	         error_set(error, EH_E_ALTERED, "%s: %.250s; name the folder with the text that was measured by "
	                   "--kernels", r->path, watch.found.items[0].sentence);
	findings_free(&watch.found);
	return status;
}

/* ---- results --------------------------------------------------------------------------------- */

/* A checked result, with the very bytes that were checked. */
typedef struct packing { result *r; char *bytes; size_t size; } packing;
typedef struct packings { packing *items; size_t count; } packings;

static int by_digest(const void *a, const void *b)
{
	const result *x = ((const packing *)a)->r;
	const result *y = ((const packing *)b)->r;
	int order = strcmp(x->record->digest, y->record->digest);

	return order != 0 ? order : strcmp(x->path, y->path);
}

/* The lock under which the result, as it was read, and what is beside it belong together. */
static eh_status hold(const result *r, int *lock, eh_error *error)
{
	char hex[65];
	eh_status status = file_lock_take(r->path, FILE_LOCK_WAIT_NS, lock, error);

	if (status == EH_OK)
		status = digest_file(r->path, hex, error);
	if (status == EH_OK && strcmp(hex, r->file_sha256) != 0)
		status = error_set(error, EH_E_USAGE, "%s was changed while it was packed: repeat the command",
		                   r->path);
	return status;
}

/* Takes the bytes. */
static eh_status add_result(bundle *b, const bundle_settings *s, packing *p, eh_error *error)
{
	char *name = free_name(b, p->r->path);
	int lock = -1;
	eh_status status = hold(p->r, &lock, error);

	if (status == EH_OK)
		status = audit_refuse_broken(p->r, error);
	if (status == EH_OK && s->journal != NULL && p->r->redacted.count > 0)
		status = error_set(error, EH_E_USAGE, "%s has redacted texts, which the journal still holds, and "
		                   "the secret behind all others: pack it without the journal", p->r->path);
	if (status == EH_OK) {
		status = add_member(b, name, p->bytes, p->size, error);
		p->bytes = NULL;
	}
	if (status == EH_OK)
		status = add_beside(b, p->r->path, name, ".sig", error);
	if (status == EH_OK)
		status = add_beside(b, p->r->path, name, ".amendments", error);
	file_lock_release(lock);
	if (status == EH_OK)
		status = add_kernels(b, s->kernels, p->r, error);
	if (status == EH_OK)
		status = add_protocol(b, p->r, error);
	free(name);
	return status;
}

static eh_status read_result(const char *path, packing *p, eh_error *error)
{
	int fd;
	eh_status status = file_open(path, LIMIT_FILE, &fd, error);

	if (status != EH_OK)
		return status;
	status = audit_read(fd, path, &p->r, &p->bytes, &p->size, error);
	close(fd);
	return status;
}

/* *out needs packings_free in any case. */
static eh_status read_results(const bundle_settings *s, packings *out, eh_error *error)
{
	eh_status status = EH_OK;

	*out = (packings){ memory_get((s->result_count + 1) * sizeof(*out->items)), 0 };
	while (out->count < s->result_count && status == EH_OK) {
		packing *p = &out->items[out->count];

		status = read_result(s->results[out->count], p, error);
		out->count += status == EH_OK;
	}
	if (out->count > 0)
		qsort(out->items, out->count, sizeof(*out->items), by_digest);
	return status;
}

static void packings_free(packings *all)
{
	for (size_t i = 0; i < all->count; i++) {
		result_free(all->items[i].r);
		free(all->items[i].bytes);
	}
	free(all->items);
}

/* ---- the journal ----------------------------------------------------------------------------- */

/* That a line was read is all that is asked of it. */
static eh_status pass(void *context, record_line *line, long offset, eh_error *error)
{
	(void)context;
	(void)line;
	(void)offset;
	(void)error;
	return EH_OK;
}

/* Refuses a journal with a damaged line, or one that none of the results was built from. */
static eh_status check_journal(const source_bytes *bytes, const packings *all, eh_error *error)
{
	record_line line;
	bool ours = false;
	eh_status status = journal_first_of(bytes, &line, error);

	if (status == EH_OK && line.kind != RECORD_LINE_RUN)
		status = error_set(error, EH_E_FORMAT, "%s is not a journal: its first line is not a run's",
		                   bytes->name);
	for (size_t i = 0; i < all->count && status == EH_OK && !ours; i++)
		ours = strcmp(all->items[i].r->record->run.id, line.run.id) == 0;
	if (status == EH_OK)
		status = ours ? journal_each_of(bytes, pass, NULL, error) :
		         error_set(error, EH_E_USAGE, "%s is the journal of another run than the results'",
		                   bytes->name);
	if (status == EH_OK && memchr(bytes->bytes, '\0', bytes->size) != NULL)
		status = error_set(error, EH_E_FORMAT, "%s has NUL bytes behind its last whole line, as after a "
		                   "loss of power: `evenhand run --resume` of its folder cuts them off", bytes->name);
	record_line_clear(&line);
	return status;
}

/* The bytes that are checked are those that are packed. */
static eh_status add_journal(bundle *b, const char *path, const packings *all, eh_error *error)
{
	char *data;
	size_t size;
	source_bytes bytes;
	eh_status status = file_read(path, &data, &size, error);

	if (status != EH_OK)
		return status;
	bytes = source_of_bytes(path, data, size);
	status = check_journal(&bytes, all, error);
	if (status == EH_OK)
		return add_member(b, "journal/run.journal", data, size, error);
	free(data);
	return status;
}

/* ---- the manifest ---------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
	return strcmp(((const bundle_member *)a)->name, ((const bundle_member *)b)->name);
}

/* malloc'd text of the manifest of all members. */
static char *manifest_text(const bundle *b)
{
	audit_manifest manifest;
	char *body, *out;

	layout_init(audit_manifest_layout(), &manifest);
	manifest.format = AUDIT_BUNDLE;
	manifest.format_version = 1;
	for (size_t i = 0; i < b->count; i++) {
		audit_manifest_member *m = layout_append(audit_manifest_member_layout(),
		                                         &manifest.members);
		char hex[65];

		digest_bytes(b->members[i].data, b->members[i].size, hex);
		text_set(&m->name, b->members[i].name);
		text_set(&m->sha256, hex);
		m->size = b->members[i].size;
	}
	body = layout_text(audit_manifest_layout(), &manifest, true);
	out = memory_format("%s\n", body);
	free(body);
	layout_clear(audit_manifest_layout(), &manifest);
	return out;
}

static eh_status sign_manifest(bundle *b, const char *body, const audit_key *key, eh_error *error)
{
	char hex[65];
	audit_subject subject = { AUDIT_MANIFEST, hex, hex, NULL };
	char *signature = NULL;
	eh_status status;

	digest_bytes(body, strlen(body), hex);
	status = audit_signatures_add(NULL, BUNDLE_MANIFEST ".sig", &subject, key, AUDIT_TESTER,
	                              &signature, error);
	if (status == EH_OK)
		status = add_member(b, BUNDLE_MANIFEST ".sig", signature, strlen(signature), error);
	return status;
}

static eh_status add_manifest(bundle *b, const audit_key *key, eh_error *error)
{
	char *body;
	eh_status status;

	if (b->count > 0)
		qsort(b->members, b->count, sizeof(*b->members), by_name);
	bundle_index(b);
	body = manifest_text(b);
	status = add_member(b, BUNDLE_MANIFEST, body, strlen(body), error);
	return status == EH_OK && key != NULL ? sign_manifest(b, body, key, error) : status;
}

/* ---- all of them ----------------------------------------------------------------------------- */

eh_status bundle_collect(bundle *b, const bundle_settings *settings, const char *path, eh_error *error)
{
	bundle_kernels kernels = { .b = b };
	packings all;
	eh_status status = read_results(settings, &all, error);

	for (size_t i = 0; i < all.count && status == EH_OK; i++)
		status = add_result(b, settings, &all.items[i], error);
	if (status == EH_OK && settings->journal != NULL)
		status = add_journal(b, settings->journal, &all, error);
	if (status == EH_OK)
		status = add_manifest(b, settings->key, error);
	for (size_t i = 0; i < all.count && status == EH_OK; i++)
		status = check_kernels(&kernels, all.items[i].r, path, error);
	packings_free(&all);
	return status;
}

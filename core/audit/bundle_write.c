/* SPDX-License-Identifier: Apache-2.0 */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "audit/bundle.h"
#include "base/digest.h"
#include "base/files.h"
#include "base/json.h"
#include "base/paths.h"
#include "base/text.h"

/* ---- collecting ------------------------------------------------------------------------------ */

/* Takes data. */
static void add_member(bundle *b, char *name, char *data, size_t size)
{
	b->members = memory_grow(b->members, (b->count + 1) * sizeof(*b->members));
	b->members[b->count++] = (bundle_member){ name, data, size };
}

/* "host-gcc-12.json" of a path, in letters that a bundle's name may have. */
static char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *name = memory_text(slash != NULL ? slash + 1 : path);
	size_t size = strlen(name);

	for (char *c = name; *c != '\0'; c++)
		if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._@+-", *c) ==
		    NULL || (c == name && *c == '.'))
			*c = '_';
	if (size < 5 || strcmp(name + size - 5, ".json") != 0) {
		char *longer = memory_format("%s.json", name);

		free(name);
		return longer;
	}
	return name;
}

static char *free_name(const bundle *b, const char *path)
{
	char *base = file_name(path);
	char *name = memory_format("results/%s", base);

	for (int n = 2; bundle_find_like(b, name) != NULL; n++) {
		free(name);
		name = memory_format("results/%d-%s", n, base);
	}
	free(base);
	return name;
}

static eh_status add_beside(bundle *b, const char *path, const char *name, const char *suffix,
                            eh_error *error)
{
	char *from = memory_format("%s%s", path, suffix);
	char *data;
	size_t size;
	eh_status status = EH_OK;

	if (file_exists(from)) {
		status = file_read(from, &data, &size, error);
		if (status == EH_OK)
			add_member(b, memory_format("%s%s", name, suffix), data, size);
	}
	free(from);
	return status;
}

static void add_protocol(bundle *b, const result *r)
{
	const char *body = json_string(json_path(r->root, "protocol"), "text", "");
	char *name = memory_format("protocols/%.40s-%llu.ini", r->protocol_name,
	                           (unsigned long long)r->protocol_version);
	const bundle_member *there = bundle_find_like(b, name);

	for (int n = 2; there != NULL && strcmp(there->data, body) != 0; n++) {
		free(name);
		name = memory_format("protocols/%.40s-%llu-%d.ini", r->protocol_name,
		                     (unsigned long long)r->protocol_version, n);
		there = bundle_find_like(b, name);
	}
	if (there == NULL)
		add_member(b, name, memory_text(body), strlen(body));
	else
		free(name);
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
			add_member(b, memory_text(name), data, size);
	}
	free(path);
	free(installed);
	free(name);
	return status;
}

static eh_status add_kernel(bundle *b, const char *folder, const cJSON *program, const char *place,
                            eh_error *error)
{
	const char *kernel = json_string(program, "kernel", NULL);
	const char *want = json_string(program, "source_sha256", "");
	char *file, *name;
	char hex[65];
	eh_status status;

	if (kernel == NULL || want[0] == '\0')
		return EH_OK;
	file = memory_format("%s.k", kernel);
	name = memory_format("kernels/%s", file);
	status = strchr(kernel, '/') != NULL ?
		error_set(error, EH_E_FORMAT, "%s: '%.60s' is no name of a kernel", place, kernel) :
		add_text_file(b, folder, "dialect.h", error);
	if (status == EH_OK)
		status = add_text_file(b, folder, file, error);
	if (status == EH_OK) {
		bundle_source_digest(json_path(program, "defines"),
		                     bundle_find(b, "kernels/dialect.h")->data,
		                     bundle_find(b, name)->data, hex);
		if (strcmp(hex, want) != 0)
			status = error_set(error, EH_E_ALTERED, "%s: the kernel text %s found here is not "
			                   "the one that was measured; give the folder with that one by "
			                   "--kernels", place, file);
	}
	free(name);
	free(file);
	return status;
}

static eh_status add_kernels(bundle *b, const char *folder, const result *r, eh_error *error)
{
	eh_status status = EH_OK;
	size_t i;

	for (i = 0; i < r->row_count && status == EH_OK; i++) {
		const cJSON *e;

		result_row_open(r, &r->rows[i]);
		cJSON_ArrayForEach(e, json_path(r->rows[i].json, "executions"))
			if (status == EH_OK)
				status = add_kernel(b, folder, json_path(e, "program"), r->path, error);
		result_row_close(r, &r->rows[i]);
	}
	return status;
}

/* ---- results --------------------------------------------------------------------------------- */

static int by_digest(const void *a, const void *b)
{
	const result *x = *(const result *const *)a;
	const result *y = *(const result *const *)b;
	int order = strcmp(json_string(x->root, "digest", ""), json_string(y->root, "digest", ""));

	return order != 0 ? order : strcmp(x->path, y->path);
}

static eh_status add_result(bundle *b, const bundle_settings *s, const result *r, eh_error *error)
{
	char *name = free_name(b, r->path);
	audit_evidence *evidence = NULL;
	char *copy = memory_get(r->size + 1);
	eh_status status = audit_trust(r, &evidence, error);

	if (status == EH_OK && evidence->level == AUDIT_BROKEN)
		status = error_set(error, EH_E_ALTERED, "%s: %s", r->path, evidence->problems[0]);
	memcpy(copy, r->bytes, r->size);
	add_member(b, memory_text(name), copy, r->size);
	if (status == EH_OK)
		status = add_beside(b, r->path, name, ".sig", error);
	if (status == EH_OK)
		status = add_beside(b, r->path, name, ".amendments", error);
	if (status == EH_OK)
		status = add_kernels(b, s->kernels, r, error);
	add_protocol(b, r);
	audit_evidence_free(evidence);
	free(name);
	return status;
}

static eh_status add_results(bundle *b, const bundle_settings *s, eh_error *error)
{
	result **read = memory_get((s->result_count + 1) * sizeof(result *));
	eh_status status = EH_OK;
	size_t count = 0, i;

	while (count < s->result_count && status == EH_OK) {
		status = result_read_lean(s->results[count], &read[count], error);
		count += status == EH_OK;
	}
	if (count > 0)
		qsort(read, count, sizeof(result *), by_digest);
	for (i = 0; i < count && status == EH_OK; i++)
		status = add_result(b, s, read[i], error);
	for (i = 0; i < count; i++)
		result_free(read[i]);
	free(read);
	return status;
}

/* ---- the archive ----------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
	return strcmp(((const bundle_member *)a)->name, ((const bundle_member *)b)->name);
}

static eh_status add_manifest(bundle *b, const audit_key *key, eh_error *error)
{
	cJSON *root = cJSON_CreateObject();
	cJSON *list;
	char *body, *data;
	char hex[65];
	audit_subject subject = { "manifest", hex, hex, NULL };
	eh_status status = EH_OK;

	if (b->count > 0)
		qsort(b->members, b->count, sizeof(*b->members), by_name);
	json_add_string(root, "format", "evenhand-bundle");
	json_add_uint(root, "format_version", 1);
	list = json_add_array(root, "members");
	for (size_t i = 0; i < b->count; i++) {
		cJSON *item = cJSON_CreateObject();

		digest_bytes(b->members[i].data, b->members[i].size, hex);
		json_add_string(item, "name", b->members[i].name);
		json_add_uint(item, "size", b->members[i].size);
		json_add_string(item, "sha256", hex);
		cJSON_AddItemToArray(list, item);
	}
	body = json_text(root, true);
	data = memory_format("%s\n", body);
	free(body);
	cJSON_Delete(root);
	digest_bytes(data, strlen(data), hex);
	add_member(b, memory_text(BUNDLE_MANIFEST), data, strlen(data));
	if (key != NULL) {
		char *signature = NULL;

		status = audit_signatures_add(NULL, BUNDLE_MANIFEST ".sig", &subject, key, AUDIT_TESTER,
		                              &signature, error);
		if (status == EH_OK)
			add_member(b, memory_text(BUNDLE_MANIFEST ".sig"), signature, strlen(signature));
	}
	return status;
}

typedef struct sink { file_writer *out; eh_error *error; eh_status status; } sink;

static la_ssize_t sink_write(struct archive *a, void *context, const void *data, size_t size)
{
	sink *s = context;

	s->status = file_writer_add(s->out, data, size, s->error);
	if (s->status == EH_OK)
		return (la_ssize_t)size;
	archive_set_error(a, EIO, "cannot write");
	return ARCHIVE_FATAL;
}

static bool put_member(struct archive *a, const bundle_member *m)
{
	struct archive_entry *entry = archive_entry_new();
	bool ok;

	if (entry == NULL)
		return false;
	archive_entry_set_pathname(entry, m->name);
	archive_entry_set_size(entry, (la_int64_t)m->size);
	archive_entry_set_filetype(entry, AE_IFREG);
	archive_entry_set_perm(entry, 0644);
	archive_entry_set_mtime(entry, 0, 0);
	archive_entry_set_uid(entry, 0);
	archive_entry_set_gid(entry, 0);
	ok = archive_write_header(a, entry) == ARCHIVE_OK &&
	     archive_write_data(a, m->data, m->size) == (la_ssize_t)m->size;
	archive_entry_free(entry);
	return ok;
}

static eh_status put_archive(const bundle *b, sink *s, eh_error *error)
{
	struct archive *a = archive_write_new();
	bool ok = a != NULL && archive_write_set_format_ustar(a) == ARCHIVE_OK &&
	          archive_write_add_filter_gzip(a) == ARCHIVE_OK &&
	          archive_write_set_filter_option(a, "gzip", "timestamp", NULL) == ARCHIVE_OK &&
	          archive_write_set_bytes_in_last_block(a, 1) == ARCHIVE_OK &&
	          archive_write_open(a, s, NULL, sink_write, NULL) == ARCHIVE_OK;
	size_t i;

	/* The manifest is last in the list and first in the archive. */
	for (i = b->count; i-- > 0 && ok && strncmp(b->members[i].name, BUNDLE_MANIFEST, 13) == 0;)
		ok = put_member(a, &b->members[i]);
	for (i = 0; i < b->count && ok; i++)
		if (strncmp(b->members[i].name, BUNDLE_MANIFEST, 13) != 0)
			ok = put_member(a, &b->members[i]);
	ok = ok && archive_write_close(a) == ARCHIVE_OK;
	if (!ok && s->status == EH_OK)
		s->status = error_set(error, EH_E_IO, "the bundle cannot be written: %.120s",
		                      a != NULL && archive_error_string(a) != NULL ?
		                      archive_error_string(a) : "libarchive refuses");
	if (a != NULL)
		(void)archive_write_free(a);
	return s->status;
}

eh_status bundle_write(const bundle_settings *settings, const char *path, eh_error *error)
{
	bundle b = { NULL, 0 };
	sink s = { NULL, error, EH_OK };
	eh_status status = add_results(&b, settings, error);

	if (status == EH_OK && settings->journal != NULL) {
		char *data;
		size_t size;

		status = file_read(settings->journal, &data, &size, error);
		if (status == EH_OK)
			add_member(&b, memory_text("journal/run.journal"), data, size);
	}
	if (status == EH_OK)
		status = add_manifest(&b, settings->key, error);
	if (status == EH_OK)
		status = file_writer_open(path, &s.out, error);
	if (status == EH_OK) {
		status = put_archive(&b, &s, error);
		if (status == EH_OK)
			status = file_writer_commit(s.out, error);
		else
			file_writer_abandon(s.out);
	}
	bundle_free(&b);
	return status;
}

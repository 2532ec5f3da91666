/* SPDX-License-Identifier: Apache-2.0 */
/* Bundles: whole, the same for the same results, and refused where anything was altered. */
#include "audit_place.h"

#include <archive.h>
#include <archive_entry.h>
#include <signal.h>
#include <sys/resource.h>

#include "audit/bundle.h"
#include "audit/bundle_unpack.h"
#include "audit/inspect.h"
#include "base/clock.h"
#include "base/digest.h"
#include "base/limits.h"
#include "base/random.h"

static char *bundled;

static int begin(void **state)
{
	bundled = golden_scratch("all.evenhand");
	return audit_place_begin(state);
}

static int finish(void **state)
{
	free(bundled);
	return audit_place_finish(state);
}

static bool bundle_holds(const char *file)
{
	eh_error error = ERROR_INIT;
	audit_verification all;
	bool holds;

	layout_init(audit_verification_layout(), &all);
	holds = audit_inspect(file, NULL, &all, &error) == EH_OK && all.reports.count > 1;
	for (size_t i = 0; i < all.reports.count; i++)
		holds = holds && all.reports.items[i].answer <= AUDIT_HOLDS;
	layout_clear(audit_verification_layout(), &all);
	return holds;
}

static void bundles_are_whole_and_the_same(void **state)
{
	eh_error error = ERROR_INIT;
	char *other = golden_path("host-clang-14.json");
	char *again = golden_scratch("again.evenhand");
	const char *ab[] = { path, other };
	const char *ba[] = { other, path };
	bundle_settings settings = { .results = ab, .result_count = 2 };
	char first[65], second[65];
	bundle b;

	(void)state;
	put_back();
	assert_int_equal(sign_as("alice", AUDIT_TESTER), EH_OK);
	assert_int_equal(bundle_write(&settings, bundled, &error), EH_OK);
	settings.results = ba;
	assert_int_equal(bundle_write(&settings, again, &error), EH_OK);
	assert_int_equal(digest_file(bundled, first, &error), EH_OK);
	assert_int_equal(digest_file(again, second, &error), EH_OK);
	assert_string_equal(first, second);
	assert_true(bundle_holds(bundled));
	assert_int_equal(bundle_read(bundled, &b, &error), EH_OK);
	assert_non_null(bundle_find(&b, "results/salted.json.sig"));
	assert_non_null(bundle_find(&b, "protocols/golden-1.ini"));
	bundle_free(&b);
	free(again);
	free(other);
	put_back();
}

typedef struct planted { const char *name, *data; unsigned type; const char *link; long long size; } planted;

static void make_archive(const planted *members, size_t count, const char *to)
{
	struct archive *a = archive_write_new();

	assert_int_equal(members[0].size > 0 ? archive_write_set_format_pax(a) :
	                 archive_write_set_format_gnutar(a), ARCHIVE_OK);
	assert_int_equal(archive_write_add_filter_gzip(a), ARCHIVE_OK);
	assert_int_equal(archive_write_set_filter_option(a, "gzip", "timestamp", NULL), ARCHIVE_OK);
	assert_int_equal(archive_write_open_filename(a, to), ARCHIVE_OK);
	for (size_t i = 0; i < count; i++) {
		struct archive_entry *e = archive_entry_new();

		archive_entry_set_pathname(e, members[i].name);
		archive_entry_set_size(e, (la_int64_t)strlen(members[i].data));
		archive_entry_set_filetype(e, members[i].type);
		archive_entry_set_perm(e, 0644);
		if (members[i].size > 0) { /* a hole, then the data */
			archive_entry_set_size(e, members[i].size);
			archive_entry_sparse_add_entry(e, members[i].size - 2, 2);
		}
		if (members[i].link != NULL)
			archive_entry_set_symlink(e, members[i].link);
		assert_int_equal(archive_write_header(a, e), ARCHIVE_OK);
		(void)archive_write_data(a, members[i].data, strlen(members[i].data));
		archive_entry_free(e);
	}
	assert_int_equal(archive_write_close(a), ARCHIVE_OK);
	(void)archive_write_free(a);
}

static void bad_archives_are_refused(void **state)
{
	static const struct { planted members[2]; const char *words; } bad[] = {
		{ { { "../x.json", "{}", AE_IFREG, NULL, 0 } }, "not allowed in a bundle" },
		{ { { "/etc/x.json", "{}", AE_IFREG, NULL, 0 } }, "not allowed in a bundle" },
		{ { { "results/../../x", "{}", AE_IFREG, NULL, 0 } }, "not allowed in a bundle" },
		{ { { "results/a b", "{}", AE_IFREG, NULL, 0 } }, "not allowed in a bundle" },
		{ { { "results/.x", "{}", AE_IFREG, NULL, 0 } }, "not allowed in a bundle" },
		{ { { "results/l.json", "", AE_IFLNK, "/etc/passwd", 0 } }, "not a plain file" },
		{ { { "results", "", AE_IFDIR, NULL, 0 } }, "not allowed in a bundle" },
		{ { { "results/f.json", "", AE_IFIFO, NULL, 0 } }, "not a plain file" },
		{ { { "manifest.json", "{}", AE_IFREG, NULL, 0 },
		    { "manifest.json", "[]", AE_IFREG, NULL, 0 } }, "there twice" },
		{ { { "results/a.json", "{}", AE_IFREG, NULL, 0 },
		    { "results/A.json", "[]", AE_IFREG, NULL, 0 } },
		  "results/a.json and results/A.json differ only in the case of letters" },
		{ { { "results/a.json", "{}", AE_IFREG, NULL, 0 } }, "no manifest.json" },
		{ { { "results/b.json", "", AE_IFBLK, NULL, 0 } }, "results/b.json is not a plain file" },
		{ { { "results/c.json", "", AE_IFCHR, NULL, 0 } }, "results/c.json is not a plain file" },
		{ { { "results/s.json", "{}", AE_IFREG, NULL, 1 << 20 } }, "results/s.json is not a plain file" },
		{ { { "evil.so", "ELF", AE_IFREG, NULL, 0 } }, "not allowed in a bundle: \"evil.so\"" },
		{ { { "journal/site.ini", "x", AE_IFREG, NULL, 0 } }, "not allowed in a bundle" },
		{ { { "results/deep/a.json", "{}", AE_IFREG, NULL, 0 } }, "not allowed in a bundle" },
		{ { { "results/.json", "{}", AE_IFREG, NULL, 0 } }, "not allowed in a bundle" },
		{ { { "results/a.json/", "", AE_IFDIR, NULL, 0 } }, "not allowed in a bundle" },
		{ { { "manifest.json", "{}", AE_IFREG, NULL, 0 },
		    { "results/a.json.sig", "{}", AE_IFREG, NULL, 0 } },
		  "results/a.json.sig is beside no member" },
		{ { { "manifest.json", "{}", AE_IFREG, NULL, 0 },
		    { "results/a.json.amendments", "{}", AE_IFREG, NULL, 0 } },
		  "results/a.json.amendments is beside no member" },
	};
	char *file = golden_scratch("bad.evenhand");

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		eh_error error = ERROR_INIT;
		bundle b;

		make_archive(bad[i].members, bad[i].members[1].name != NULL ? 2 : 1, file);
		assert_int_equal(bundle_read(file, &b, &error), EH_E_FORMAT);
		if (strstr(error.message, bad[i].words) == NULL)
			fail_msg("%s: %s", bad[i].members[0].name, error.message);
	}
	free(file);
}

/* `a`, then `b`, as one file. */
static void put_both(const char *file, const char *a, size_t a_size, const char *b, size_t b_size)
{
	char *both = memory_get(a_size + b_size + 1);

	memcpy(both, a, a_size);
	memcpy(both + a_size, b, b_size);
	assert_int_equal(golden_put(both, a_size + b_size, file), EH_OK);
	free(both);
}

static void refused(const char *file, const char *words)
{
	eh_error error = ERROR_INIT;
	bundle b;

	assert_int_equal(bundle_read(file, &b, &error), EH_E_FORMAT);
	if (strstr(error.message, words) == NULL)
		fail_msg("\"%s\" does not say \"%s\"", error.message, words);
}

/* gzip of nothing. */
static const char gzip_nothing[] = "\x1f\x8b\x08\0\0\0\0\0\0\x03\x03\0\0\0\0\0\0\0\0\0";

/* What other readers pass over, or take for more of the archive. */
static void nothing_follows_a_bundle(void **state)
{
	const char *one[] = { path };
	bundle_settings settings = { .results = one, .result_count = 1 };
	size_t nothing = sizeof(gzip_nothing) - 1;
	char *file = golden_scratch("behind.evenhand");
	char *packed = NULL;
	size_t size = 0;

	(void)state;
	put_back();
	assert_int_equal(bundle_write(&settings, bundled, NULL), EH_OK);
	assert_int_equal(file_read(bundled, &packed, &size, NULL), EH_OK);
	put_both(file, packed, size, "", 0);
	assert_true(bundle_holds(file));
	put_both(file, packed, size, "x", 1);
	refused(file, "1 bytes follow the compressed archive");
	put_both(file, packed, size, "\0", 1);
	refused(file, "1 bytes follow the compressed archive");
	put_both(file, packed, size, packed, size);
	refused(file, "bytes follow the compressed archive");
	put_both(file, packed, size, gzip_nothing, nothing);
	refused(file, "20 bytes follow the compressed archive");
	put_both(file, gzip_nothing, nothing, packed, size);
	refused(file, "bytes follow the compressed archive");
	put_both(file, packed, size - 1, "", 0);
	refused(file, "its compressed bytes are cut");
	/* The sum over what is unpacked. */
	packed[size - 8] ^= 1;
	put_both(file, packed, size, "", 0);
	refused(file, "this is not a bundle");
	free(packed);
	free(file);
}

/* Times, names, systems: any byte there could be another, and nobody would see it. */
static void the_header_is_that_of_every_bundle(void **state)
{
	const char *one[] = { path };
	bundle_settings settings = { .results = one, .result_count = 1 };
	char *file = golden_scratch("header.evenhand");
	char *packed = NULL;
	size_t size = 0;

	(void)state;
	put_back();
	assert_int_equal(bundle_write(&settings, bundled, NULL), EH_OK);
	assert_int_equal(file_read(bundled, &packed, &size, NULL), EH_OK);
	for (size_t bit = 0; bit < 8 * 10; bit++) {
		packed[bit / 8] = (char)(packed[bit / 8] ^ (1 << bit % 8));
		put_both(file, packed, size, "", 0);
		refused(file, bit < 16 ? "this is not a bundle" : "its first 10 bytes are not those of every bundle");
		packed[bit / 8] = (char)(packed[bit / 8] ^ (1 << bit % 8));
	}
	put_both(file, packed, size, "", 0);
	assert_true(bundle_holds(file));
	free(packed);
	free(file);
}

/* The bytes, compressed. */
static void pack(const char *file, const char *bytes, size_t size)
{
	struct archive *a = archive_write_new();
	struct archive_entry *e = archive_entry_new();

	assert_int_equal(archive_write_set_format_raw(a), ARCHIVE_OK);
	assert_int_equal(archive_write_add_filter_gzip(a), ARCHIVE_OK);
	assert_int_equal(archive_write_set_filter_option(a, "gzip", "timestamp", NULL), ARCHIVE_OK);
	assert_int_equal(archive_write_open_filename(a, file), ARCHIVE_OK);
	archive_entry_set_filetype(e, AE_IFREG);
	assert_int_equal(archive_write_header(a, e), ARCHIVE_OK);
	assert_int_equal(archive_write_data(a, bytes, size), size);
	archive_entry_free(e);
	assert_int_equal(archive_write_close(a), ARCHIVE_OK);
	(void)archive_write_free(a);
}

/* All bytes of the archive, malloc'd. */
static eh_status unpack(const char *file, size_t most, char **out, size_t *size, eh_error *error)
{
	bundle_unpacker *u = NULL;
	source_bytes packed;
	text all = { 0 };
	const char *piece;
	size_t got = 1;
	eh_status status = source_open(file, &packed, error);

	assert_int_equal(status, EH_OK);
	assert_int_equal(bundle_unpacker_new(&packed, most, &u, error), EH_OK);
	while (status == EH_OK && got > 0) {
		status = bundle_unpacker_next(u, &piece, &got, error);
		text_add_bytes(&all, piece, status == EH_OK ? got : 0);
	}
	bundle_unpacker_free(u);
	source_close(&packed);
	*out = all.data;
	*size = all.size;
	return status;
}

/* Behind the end of the archive, within what is compressed. */
static void nothing_follows_the_archive(void **state)
{
	static const planted manifest = { "manifest.json", "{}", AE_IFREG, NULL, 0 };
	static const planted other = { "results/x.json", "{}", AE_IFREG, NULL, 0 };
	char *file = golden_scratch("end.evenhand");
	char *ends[2] = { NULL, NULL };
	char *both;
	size_t sizes[2];
	eh_error error = ERROR_INIT;
	bundle b;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		make_archive(i == 0 ? &manifest : &other, 1, file);
		assert_int_equal(unpack(file, 1 << 20, &ends[i], &sizes[i], &error), EH_OK);
	}
	both = memory_get(sizes[0] + sizes[1]);
	memcpy(both, ends[0], sizes[0]);
	/* Zeros to the end of a record, and of one more. */
	pack(file, both, sizes[0]);
	assert_int_equal(bundle_read(file, &b, &error), EH_OK);
	bundle_free(&b);
	pack(file, both, sizes[0] + sizes[1]);
	assert_int_equal(bundle_read(file, &b, &error), EH_OK);
	bundle_free(&b);
	memcpy(both + sizes[0], ends[1], sizes[1]);
	pack(file, both, sizes[0] + sizes[1]);
	refused(file, "bytes follow the end of the archive");
	both[sizes[0] - 1] = 'x';
	pack(file, both, sizes[0]);
	refused(file, "1 bytes follow the end of the archive");
	free(both);
	free(ends[0]);
	free(ends[1]);
	free(file);
}

static void what_is_unpacked_has_a_limit(void **state)
{
	static const planted manifest = { "manifest.json", "{}", AE_IFREG, NULL, 0 };
	char *file = golden_scratch("limit.evenhand");
	eh_error error = ERROR_INIT;
	char *bytes;
	size_t size;

	(void)state;
	make_archive(&manifest, 1, file);
	assert_int_equal(unpack(file, 1000, &bytes, &size, &error), EH_E_NO_MEMORY);
	assert_non_null(strstr(error.message, "more than 1 GiB unpacked"));
	free(bytes);
	assert_int_equal(file_write(file, "", 0, &error), EH_OK);
	assert_int_equal(unpack(file, 1000, &bytes, &size, &error), EH_E_FORMAT);
	assert_non_null(strstr(error.message, "are cut"));
	free(bytes);
	free(file);
}

static void bundles_are_not_altered(void **state)
{
	eh_error error = ERROR_INIT;
	const char *one[] = { path };
	bundle_settings settings = { .results = one, .result_count = 1 };
	planted members[8];
	bundle b;

	(void)state;
	put_back();
	assert_int_equal(bundle_write(&settings, bundled, &error), EH_OK);
	assert_int_equal(bundle_read(bundled, &b, &error), EH_OK);
	assert_true(b.count >= 3 && b.count <= 8);
	for (size_t i = 0; i < b.count; i++)
		members[i] = (planted){ b.members[i].name, b.members[i].data, AE_IFREG, NULL, 0 };
	make_archive(members, b.count, bundled);
	assert_true(bundle_holds(bundled));
	/* A member less, one more, one changed. */
	make_archive(members, b.count - 1, bundled);
	assert_false(bundle_holds(bundled));
	for (size_t i = 1; i < b.count; i++) {
		const char *data = members[i].data;

		members[i].data = "{}";
		make_archive(members, b.count, bundled);
		assert_false(bundle_holds(bundled));
		members[i].data = data;
	}
	members[b.count] = (planted){ "kernels/extra.k", "x", AE_IFREG, NULL, 0 };
	make_archive(members, b.count + 1, bundled);
	assert_false(bundle_holds(bundled));
	bundle_free(&b);
}

/* ---- there and back ---------------------------------------------------------------------------- */

/* A name of a file, with what a file system allows. */
static char *any_name(random_state *random, size_t n)
{
	static const char *const pieces[] = { "a", "B", "7", ".", "_", "-", " ", "\xc3\xa4", "\xe2\x82\xac", "%",
		                              "..", "\n", "'", ".json", ".sig", "host-gcc" };
	const size_t long_enough = random_below(random, 4) == 0 ? 230 : 1 + random_below(random, 90);
	text t = { 0 };

	while (t.size < long_enough)
		text_add(&t, "%s", pieces[random_below(random, sizeof(pieces) / sizeof(*pieces))]);
	text_add(&t, "%zu%s", n, random_below(random, 2) == 0 ? ".json" : "");
	return t.data;
}

static bool has_bytes(const bundle *b, const char *data, size_t size)
{
	for (size_t i = 0; i < b->count; i++)
		if (b->members[i].size == size && memcmp(b->members[i].data, data, size) == 0)
			return true;
	return false;
}

/* What bundle_write writes holds, and unpacked it is the same bytes, whatever the names. */
static void any_names_come_back(void **state)
{
	char *packed = golden_scratch("names.evenhand"), *folder = golden_scratch("names"), *data = NULL;
	const char *seed = getenv("EVENHAND_FUZZ_SEED");
	eh_error error = ERROR_INIT;
	random_state random;
	size_t size = 0;

	(void)state;
	put_back();
	random_seed(&random, seed != NULL ? strtoull(seed, NULL, 10) : 1);
	assert_int_equal(dir_make(folder, &error), EH_OK);
	assert_int_equal(file_read(path, &data, &size, &error), EH_OK);
	for (size_t round = 0; round < 12; round++) {
		const char *list[5];
		bundle_settings settings = { .results = list, .result_count = 1 + random_below(&random, 4) };
		size_t results = 0;
		bundle b;

		for (size_t i = 0; i < settings.result_count; i++) {
			char *name = any_name(&random, i);

			list[i] = path_join(folder, name);
			assert_int_equal(file_write(list[i], data, size, &error), EH_OK);
			free(name);
		}
		if (bundle_write(&settings, packed, &error) != EH_OK)
			fail_msg("round %zu: %s", round, error.message);
		assert_true(bundle_holds(packed));
		assert_int_equal(bundle_read(packed, &b, &error), EH_OK);
		for (size_t i = 0; i < b.count; i++)
			results += bundle_is_result(&b.members[i]);
		assert_int_equal(results, settings.result_count);
		assert_true(has_bytes(&b, data, size));
		bundle_free(&b);
		for (size_t i = 0; i < settings.result_count; i++) {
			(void)remove(list[i]);
			free((char *)(uintptr_t)list[i]);
		}
	}
	free(data);
	free(folder);
	free(packed);
}

/* As many members as a bundle may have are found at once, by their names; one more is refused. */
static void many_members(void **state)
{
	const uint64_t began = clock_now_ns();
	eh_error error = ERROR_INIT;
	bundle b = { 0 };
	bundle_member *m;
	char name[300];

	(void)state;
	for (size_t i = 0; i < 65536; i++) {
		snprintf(name, sizeof(name), "results/%0200zu.json", i);
		assert_int_equal(bundle_add(&b, "x", name, 1, &m, &error), EH_OK);
	}
	for (size_t i = 0; i < 65536; i++) {
		snprintf(name, sizeof(name), "results/%0200zu.json", i);
		assert_ptr_equal(bundle_find(&b, name), &b.members[i]);
	}
	assert_int_equal(bundle_add(&b, "x", "results/more.json", 1, &m, &error), EH_E_FORMAT);
	assert_non_null(strstr(error.message, "more than 65536 members"));
	assert_true(clock_now_ns() - began < UINT64_C(5000000000));
	bundle_free(&b);
	assert_int_equal(bundle_add(&b, "x", "results/a.json", (UINT64_C(1) << 30) + 1, &m, &error),
	                 EH_E_NO_MEMORY);
	assert_non_null(strstr(error.message, "more than 1 GiB"));
}

static void add_text(bundle *b, const char *name, const char *body)
{
	bundle_member *m = NULL;

	assert_int_equal(bundle_add(b, "x", name, strlen(body), &m, NULL), EH_OK);
	m->data = memory_text(body);
	m->size = strlen(body);
}

/* The executions of a case have one program: its text is hashed once, and no more than a bundle may ask. */
static void texts_are_hashed_once(void **state)
{
	record_program program = { .kernel = (char *)(uintptr_t)"k" }, other;
	record_execution executions[] = { { .program = &program }, { .program = &program }, { .program = &other } };
	record_case row = { .executions = { executions, 2 } };
	bundle b = { 0 };
	bundle_kernels kernels = { .b = &b };
	result_watch watch = bundle_watch_kernels(&kernels);
	eh_error error = ERROR_INIT;
	findings found = { 0 };
	char hex[65];

	(void)state;
	add_text(&b, "kernels/dialect.h", "ab");
	add_text(&b, "kernels/k.k", "cde");
	bundle_source_digest(&program.defines, "ab", "cde", hex);
	program.source_sha256 = hex;
	other = program;
	text_list_add(&other.defines, "A=1");
	watch.row(&watch, NULL, &row, 0, &found);
	assert_int_equal(found.count, 0);
	assert_int_equal(kernels.hashed, 5);
	row.executions.count = 3;
	watch.row(&watch, NULL, &row, 0, &found);
	assert_int_equal(found.count, 1);
	assert_int_equal(kernels.hashed, 15);
	assert_int_equal(bundle_kernels_end(&kernels, "x", &error), EH_OK);
	kernels.hashed = LIMIT_FILE + LIMIT_HASHED * b.total + 1;
	watch.row(&watch, NULL, &row, 0, &found);
	assert_int_equal(found.count, 1);
	assert_int_equal(bundle_kernels_end(&kernels, "x", &error), EH_E_NO_MEMORY);
	text_list_clear(&other.defines);
	findings_free(&found);
	bundle_free(&b);
}

/* For writers as for readers. */
static void texts_have_limits(void **state)
{
	eh_error error = ERROR_INIT;
	bundle b = { 0 };
	bundle_member *m;

	(void)state;
	assert_int_equal(bundle_add(&b, "x", "kernels/a.k", LIMIT_KERNEL, &m, &error), EH_OK);
	assert_int_equal(bundle_add(&b, "x", "kernels/b.k", LIMIT_KERNEL + 1, &m, &error), EH_E_NO_MEMORY);
	assert_int_equal(bundle_add(&b, "x", "protocols/a.ini", LIMIT_MEMBERS - LIMIT_KERNEL, &m, &error), EH_OK);
	assert_int_equal(bundle_add(&b, "x", "results/a.json", LIMIT_MEMBERS, &m, &error), EH_OK);
	assert_int_equal(bundle_add(&b, "x", "journal/run.journal", LIMIT_MEMBERS, &m, &error), EH_OK);
	assert_int_equal(bundle_add(&b, "x", "results/a.json.sig", 1, &m, &error), EH_E_NO_MEMORY);
	assert_non_null(strstr(error.message, "more than 64 MiB, which no bundle needs"));
	bundle_free(&b);
}

/* Bytes that cannot be read are no bytes that are in order. */
static void what_cannot_be_read_is_said(void **state)
{
	text_list problems = { 0 };
	bundle b = { 0 };
	bundle_member *m = NULL;
	bool said = false;

	(void)state;
	add_text(&b, "manifest.json", "{\"format\":\"evenhand-bundle\",\"format_version\":1,\"members\":[]}");
	assert_int_equal(bundle_add(&b, "x", "results/a.json", 2, &m, NULL), EH_OK);
	m->size = 2;
	assert_int_equal(spill_add(&b.large, "{}", 2, NULL), EH_OK);
	assert_int_equal(ftruncate(b.large.fd, 1), 0);
	bundle_check(&b, &problems);
	for (size_t i = 0; i < problems.count; i++)
		said = said || strstr(problems.items[i], "'results/a.json' was changed while it was read") != NULL;
	assert_true(said);
	text_list_clear(&problems);
	bundle_free(&b);
}

/* A temporary file of which nothing could be written is closed too. */
static void a_full_disk_leaves_no_descriptor(void **state)
{
	struct rlimit before, none;
	eh_error error = ERROR_INIT;
	void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
	spill s = { 0 };
	int next = dup(0);

	(void)state;
	close(next);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	none = (struct rlimit){ 0, before.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
	assert_int_equal(spill_add(&s, "x", 1, &error), EH_E_IO);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	(void)signal(SIGXFSZ, handler);
	spill_close(&s);
	assert_int_equal(dup(0), next);
	close(next);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bundles_are_whole_and_the_same),
		cmocka_unit_test(bad_archives_are_refused),
		cmocka_unit_test(nothing_follows_a_bundle),
		cmocka_unit_test(the_header_is_that_of_every_bundle),
		cmocka_unit_test(nothing_follows_the_archive),
		cmocka_unit_test(what_is_unpacked_has_a_limit),
		cmocka_unit_test(bundles_are_not_altered),
		cmocka_unit_test(any_names_come_back),
		cmocka_unit_test(many_members),
		cmocka_unit_test(texts_are_hashed_once),
		cmocka_unit_test(texts_have_limits),
		cmocka_unit_test(what_cannot_be_read_is_said),
		cmocka_unit_test(a_full_disk_leaves_no_descriptor),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, begin, finish);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Signatures, amendments, redactions and bundles: what holds, and every way not to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <archive.h>
#include <archive_entry.h>
#include <sys/stat.h>

#include "audit/audit.h"
#include "audit/bundle.h"
#include "audit/inspect.h"
#include "base/digest.h"
#include "golden.h"
#include "result/redact.h"

static char *path;    /* a result with salts, of the golden journal                            */
static char *bundled;
static char *original; /* its bytes */
static audit_public alice, bob;

/* ---- the place ------------------------------------------------------------------------------- */

/* The golden journal as a run of today writes it, with a secret. */
static eh_status build_salted(const char *to)
{
	char *from = golden_path("run.journal");
	char *journal = golden_scratch("run.journal");
	char *body = golden_file(from);
	char *line_end = strchr(body, '\n');
	char *salted = memory_format("{\"salt\":\"00112233445566778899aabbccddeeff\",%.*s%s",
	                             (int)(line_end - body - 1), body + 1, line_end);
	eh_status status = golden_put(salted, strlen(salted), journal);

	if (status == EH_OK)
		status = result_build(journal, "host:gcc-12", true, to, NULL, NULL);
	free(salted);
	free(body);
	free(journal);
	free(from);
	return status;
}

static void put_back(void)
{
	char *beside = memory_format("%s.sig", path);
	char *amendments = memory_format("%s.amendments", path);

	assert_int_equal(golden_put(original, strlen(original), path), EH_OK);
	(void)unlink(beside);
	(void)unlink(amendments);
	free(amendments);
	free(beside);
}

static int begin(void **state)
{
	eh_error error = ERROR_INIT;
	char *config = golden_scratch("config");

	(void)state;
	setenv("XDG_CONFIG_HOME", config, 1);
	free(config);
	path = golden_scratch("salted.json");
	bundled = golden_scratch("all.evenhand");
	if (build_salted(path) != EH_OK)
		return -1;
	original = golden_file(path);
	if (audit_key_make("alice", "of the laboratory", NULL, &alice, &error) != EH_OK ||
	    audit_key_make("bob", NULL, "correct horse", &bob, &error) != EH_OK) {
		fprintf(stderr, "%s\n", error.message);
		return -1;
	}
	return 0;
}

static int finish(void **state)
{
	(void)state;
	free(path);
	free(bundled);
	free(original);
	return 0;
}

static eh_status sign_as(const char *name, unsigned role)
{
	eh_error error = ERROR_INIT;
	audit_key *key = NULL;
	result *r = NULL;
	eh_status status = audit_key_open(name, &key, &error);

	if (status == EH_OK)
		status = result_read_lean(path, &r, &error);
	if (status == EH_OK) {
		audit_subject subject = { "result", json_string(r->root, "digest", ""), r->file_sha256,
			                  r->root };

		status = audit_sign(path, &subject, key, role, &error);
	}
	result_free(r);
	audit_key_close(key);
	return status;
}

static enum audit_level level_of(char sentence[256])
{
	eh_error error = ERROR_INIT;
	audit_evidence *e = NULL;
	enum audit_level level;
	result *r = NULL;

	assert_int_equal(result_read_lean(path, &r, &error), EH_OK);
	assert_int_equal(audit_trust(r, &e, &error), EH_OK);
	level = e->level;
	if (sentence != NULL)
		memcpy(sentence, e->sentence, 256);
	audit_evidence_free(e);
	result_free(r);
	return level;
}

/* ---- keys ------------------------------------------------------------------------------------ */

static void keys_are_private_and_kept(void **state)
{
	eh_error error = ERROR_INIT;
	char *file = golden_scratch("config/evenhand/keys/alice.pem");
	char *public_file = golden_scratch("config/evenhand/keys/alice.pub");
	audit_public again;
	audit_key *key = NULL;
	struct stat info;

	(void)state;
	assert_int_equal(stat(file, &info), 0);
	assert_int_equal(info.st_mode & 0777, 0600);
	assert_int_equal(audit_key_make("alice", NULL, NULL, &again, &error), EH_E_USAGE);
	assert_non_null(strstr(error.message, "never overwritten"));
	assert_int_equal(audit_public_read(public_file, &again, &error), EH_OK);
	assert_string_equal(again.fingerprint, alice.fingerprint);
	assert_string_not_equal(alice.fingerprint, bob.fingerprint);
	/* bob's is encrypted. */
	unsetenv("EVENHAND_KEY_PASSPHRASE");
	assert_int_equal(audit_key_open("bob", &key, &error), EH_E_FORMAT);
	setenv("EVENHAND_KEY_PASSPHRASE", "wrong horse", 1);
	assert_int_equal(audit_key_open("bob", &key, &error), EH_E_FORMAT);
	setenv("EVENHAND_KEY_PASSPHRASE", "correct horse", 1);
	assert_int_equal(audit_key_open("bob", &key, &error), EH_OK);
	audit_key_close(key);
	assert_int_equal(audit_key_open("nobody", &key, &error), EH_E_NOT_FOUND);
	assert_int_equal(audit_key_open("../alice", &key, &error), EH_E_NOT_FOUND);
	assert_int_equal(chmod(file, 0644), 0);
	assert_int_equal(audit_key_open("alice", &key, &error), EH_E_USAGE);
	assert_int_equal(chmod(file, 0600), 0);
	assert_false(audit_name_ok(".hidden") || audit_name_ok("a/b") || audit_name_ok(""));
	free(public_file);
	free(file);
}

/* RFC 8032, 7.1, tests 1 and 2. */
static void signatures_are_ed25519(void **state)
{
	static const char one[] =
		"e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e3970"
		"1cf9b46bd25bf5f0595bbe24655141438e7a100b";
	audit_public key;
	char bad[sizeof(one)];

	(void)state;
	assert_true(audit_public_of("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
	                            &key));
	assert_true(audit_verify_bytes(&key, "", 0, one));
	assert_false(audit_verify_bytes(&key, "x", 1, one));
	memcpy(bad, one, sizeof(one));
	bad[0] = 'E';
	assert_false(audit_verify_bytes(&key, "", 0, bad));
	bad[0] = 'f';
	assert_false(audit_verify_bytes(&key, "", 0, bad));
	assert_false(audit_public_of("d7", &key));
}

/* ---- levels ---------------------------------------------------------------------------------- */

static void levels_follow_from_keys(void **state)
{
	eh_error error = ERROR_INIT;
	char sentence[256];

	(void)state;
	put_back();
	assert_int_equal(level_of(NULL), AUDIT_UNSIGNED);
	assert_int_equal(sign_as("alice", AUDIT_TESTER), EH_OK);
	assert_int_equal(level_of(sentence), AUDIT_SIGNED); /* own keys count as testers */
	assert_non_null(strstr(sentence, "alice"));
	assert_int_equal(sign_as("alice", AUDIT_VERIFIER), EH_E_USAGE); /* no second party */
	assert_int_equal(sign_as("bob", AUDIT_VERIFIER), EH_OK);
	assert_int_equal(level_of(NULL), AUDIT_SIGNED); /* bob is not trusted as verifier */
	assert_int_equal(audit_trust_add("bob-lab", &bob, AUDIT_VERIFIER, &error), EH_OK);
	assert_int_equal(audit_trust_add("bob-lab", &bob, AUDIT_VERIFIER, &error), EH_E_USAGE);
	assert_int_equal(level_of(sentence), AUDIT_VERIFIED);
	assert_non_null(strstr(sentence, "verified by bob-lab"));
	assert_int_equal(audit_trust_remove("bob-lab", &error), EH_OK);
	assert_int_equal(level_of(NULL), AUDIT_SIGNED);
	/* Elsewhere nobody knows either. */
	setenv("XDG_CONFIG_HOME", "/nowhere", 1);
	assert_int_equal(level_of(NULL), AUDIT_UNKNOWN);
	{
		char *config = golden_scratch("config");

		setenv("XDG_CONFIG_HOME", config, 1);
		free(config);
	}
	put_back();
}

/* A signature of one result says nothing about another, nor about its amendments. */
static void signatures_do_not_travel(void **state)
{
	char *beside = memory_format("%s.sig", path);
	char *other = golden_path("host-clang-14.json");
	char *body = golden_file(other);

	(void)state;
	put_back();
	assert_int_equal(sign_as("alice", AUDIT_TESTER), EH_OK);
	assert_int_equal(golden_put(body, strlen(body), path), EH_OK);
	assert_int_equal(level_of(NULL), AUDIT_BROKEN);
	put_back();
	free(body);
	free(other);
	free(beside);
}

/* ---- amendments ------------------------------------------------------------------------------ */

static eh_status amend(enum audit_amendment_kind kind, const char *words, const char *member,
                       eh_error *error)
{
	audit_key *key = NULL;
	eh_status status = audit_key_open("alice", &key, error);

	if (status == EH_OK)
		status = audit_amend(path, kind, words, member, key, error);
	audit_key_close(key);
	return status;
}

static void amendments_are_chained(void **state)
{
	eh_error error = ERROR_INIT;
	char *file = memory_format("%s.amendments", path);
	char *body, *second, *third;

	(void)state;
	put_back();
	assert_int_equal(amend(AUDIT_NOTE, "one", NULL, &error), EH_OK);
	assert_int_equal(amend(AUDIT_DISPUTE, "two", NULL, &error), EH_OK);
	assert_int_equal(amend(AUDIT_NOTE, "three", NULL, &error), EH_OK);
	assert_int_equal(level_of(NULL), AUDIT_UNSIGNED);
	body = golden_file(file);
	second = strchr(body, '\n') + 1;
	third = strchr(second, '\n') + 1;
	/* Without the second; in another order; cut. */
	{
		char *less = memory_format("%.*s%s", (int)(second - body), body, third);
		char *other = memory_format("%.*s%s%.*s", (int)(second - body), body, third,
		                            (int)(third - second), second);

		assert_int_equal(golden_put(less, strlen(less), file), EH_OK);
		assert_int_equal(level_of(NULL), AUDIT_BROKEN);
		assert_int_equal(amend(AUDIT_NOTE, "four", NULL, &error), EH_E_ALTERED);
		assert_int_equal(golden_put(other, strlen(other), file), EH_OK);
		assert_int_equal(level_of(NULL), AUDIT_BROKEN);
		assert_int_equal(golden_put(body, strlen(body) - 2, file), EH_OK);
		assert_int_equal(level_of(NULL), AUDIT_BROKEN);
		free(other);
		free(less);
	}
	assert_int_equal(golden_put(body, strlen(body), file), EH_OK);
	assert_int_equal(level_of(NULL), AUDIT_UNSIGNED);
	free(body);
	free(file);
	put_back();
}

static void redactions_keep_digests_and_signatures(void **state)
{
	eh_error error = ERROR_INIT;
	char *file = memory_format("%s.amendments", path);
	char *before, *after;
	result *r;

	(void)state;
	put_back();
	assert_int_equal(sign_as("alice", AUDIT_TESTER), EH_OK);
	assert_int_equal(result_read(path, &r, &error), EH_OK);
	before = memory_text(json_string(r->root, "digest", ""));
	result_free(r);
	assert_non_null(strstr(original, "\"tester\":\"Test\""));
	assert_int_equal(amend(AUDIT_REDACT, "privacy", "who.tester", &error), EH_OK);
	after = golden_file(path);
	assert_null(strstr(after, "\"tester\":\"Test\""));
	assert_null(strstr(after, "\"who.tester\""));
	assert_int_equal(result_read(path, &r, &error), EH_OK);
	assert_string_equal(json_string(r->root, "digest", ""), before);
	result_free(r);
	assert_int_equal(level_of(NULL), AUDIT_SIGNED);
	/* Twice, and what must stay. */
	assert_int_equal(amend(AUDIT_REDACT, "x", "who.tester", &error), EH_E_USAGE);
	assert_non_null(strstr(error.message, "redacted already"));
	assert_int_equal(amend(AUDIT_REDACT, "x", "cases[0].executions[0].samples_ns", &error),
	                 EH_E_USAGE);
	assert_non_null(strstr(error.message, "samples and what a comparison"));
	assert_int_equal(amend(AUDIT_REDACT, "x", "who.party", &error), EH_E_USAGE);
	/* Without the amendment nobody answers for what is missing. */
	assert_int_equal(unlink(file), 0);
	assert_int_equal(level_of(NULL), AUDIT_BROKEN);
	free(after);
	free(before);
	free(file);
	put_back();
}

static void an_old_result_has_nothing_to_redact(void **state)
{
	eh_error error = ERROR_INIT;
	char *golden = golden_path("host-gcc-12.json");
	char *body = golden_file(golden);

	(void)state;
	put_back();
	assert_int_equal(golden_put(body, strlen(body), path), EH_OK);
	assert_int_equal(amend(AUDIT_REDACT, "x", "who.tester", &error), EH_E_USAGE);
	assert_non_null(strstr(error.message, "no salts"));
	free(body);
	free(golden);
	put_back();
}

/* ---- bundles --------------------------------------------------------------------------------- */

static bool bundle_holds(const char *file)
{
	eh_error error = ERROR_INIT;
	audit_reports reports = { NULL, 0 };
	bool holds = audit_inspect(file, &reports, &error) == EH_OK && reports.count > 1;

	for (size_t i = 0; i < reports.count; i++)
		holds = holds && audit_report_holds(&reports.items[i]);
	audit_reports_free(&reports);
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

	assert_int_equal(archive_write_set_format_gnutar(a), ARCHIVE_OK);
	assert_int_equal(archive_write_add_filter_gzip(a), ARCHIVE_OK);
	assert_int_equal(archive_write_open_filename(a, to), ARCHIVE_OK);
	for (size_t i = 0; i < count; i++) {
		struct archive_entry *e = archive_entry_new();

		archive_entry_set_pathname(e, members[i].name);
		archive_entry_set_size(e, (la_int64_t)strlen(members[i].data));
		archive_entry_set_filetype(e, members[i].type);
		archive_entry_set_perm(e, 0644);
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
		{ { { "../x.json", "{}", AE_IFREG, NULL, 0 } }, "no bundle has" },
		{ { { "/etc/x.json", "{}", AE_IFREG, NULL, 0 } }, "no bundle has" },
		{ { { "results/../../x", "{}", AE_IFREG, NULL, 0 } }, "no bundle has" },
		{ { { "results/a b", "{}", AE_IFREG, NULL, 0 } }, "no bundle has" },
		{ { { "results/.x", "{}", AE_IFREG, NULL, 0 } }, "no bundle has" },
		{ { { "results/l.json", "", AE_IFLNK, "/etc/passwd", 0 } }, "no plain file" },
		{ { { "results", "", AE_IFDIR, NULL, 0 } }, "no bundle has" },
		{ { { "results/f.json", "", AE_IFIFO, NULL, 0 } }, "no plain file" },
		{ { { "manifest.json", "{}", AE_IFREG, NULL, 0 },
		    { "manifest.json", "[]", AE_IFREG, NULL, 0 } }, "there twice" },
		{ { { "results/a.json", "{}", AE_IFREG, NULL, 0 } }, "no manifest.json" },
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

/* ---- tampering ------------------------------------------------------------------------------- */

static uint64_t random_state = 20;

static size_t random_below(size_t n)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (size_t)(random_state >> 33) % n;
}

/* A small result: the tuned case alone, two executions of three samples. */
static void make_small(void)
{
	eh_error error = ERROR_INIT;
	cJSON *root = NULL, *cases, *plans, *executions, *e;

	put_back();
	assert_int_equal(json_read(path, &root, &error), EH_OK);
	cases = golden_at(root, "cases");
	plans = golden_at(root, "protocol/canonical/cases");
	for (int i = 7; i >= 0; i--) {
		if (i == 5)
			continue;
		cJSON_DeleteItemFromArray(cases, i);
		cJSON_DeleteItemFromArray(plans, i);
	}
	executions = golden_at(root, "cases/0/executions");
	while (cJSON_GetArraySize(executions) > 2)
		cJSON_DeleteItemFromArray(executions, 2);
	cJSON_ArrayForEach(e, executions) {
		cJSON *samples = cJSON_GetObjectItemCaseSensitive(e, "samples_ns");

		while (cJSON_GetArraySize(samples) > 3)
			cJSON_DeleteItemFromArray(samples, 3);
		cJSON_DeleteItemFromObjectCaseSensitive(e, "host_ns");
	}
	golden_set(root, "run/executions/done", "2");
	golden_set(root, "cases/0/measure/samples_min", "3");
	golden_set(root, "protocol/canonical/cases/0/measure/samples_min", "3");
	golden_reseal(root, true);
	assert_int_equal(golden_write(root, path), EH_OK);
	cJSON_Delete(root);
}

/* Whether the edited text verifies with the signatures; *named when the record itself shows it. */
static bool verifies(const char *edited, size_t size, const char *signatures,
                     const audit_keyring *ring, bool *named)
{
	findings f = { .only_first = true };
	char *copy = memory_get(size + 1);
	audit_evidence *e;
	bool holds = false;
	result *r;

	memcpy(copy, edited, size);
	r = result_examine("edited.json", copy, size, &f);
	*named = f.count > 0 && f.items[0].sentence[0] != '\0';
	if (r != NULL && f.count == 0) {
		audit_subject subject = { "result", json_string(r->root, "digest", ""), r->file_sha256,
			                  r->root };

		e = audit_evidence_of(signatures, NULL, &subject, ring);
		holds = e->level != AUDIT_BROKEN;
		audit_evidence_free(e);
	}
	result_free(r);
	findings_free(&f);
	return holds;
}

static void ten_thousand_edits_do_not_verify(void **state)
{
	enum { EDITS = 10000 };
	eh_error error = ERROR_INIT;
	char *beside = memory_format("%s.sig", path);
	char *signatures, *body;
	audit_keyring ring;
	size_t size, silent = 0;
	cJSON *whole = NULL;
	bool named;

	(void)state;
	make_small();
	assert_int_equal(sign_as("alice", AUDIT_TESTER), EH_OK);
	signatures = golden_file(beside);
	body = golden_file(path);
	size = strlen(body);
	assert_int_equal(audit_keyring_read(&ring, &error), EH_OK);
	assert_int_equal(json_parse(body, size, "whole", &whole, &error), EH_OK);
	assert_true(verifies(body, size, signatures, &ring, &named));
	for (size_t i = 0; i < EDITS; i++) {
		size_t at = random_below(size);
		char before = body[at];
		cJSON *meaning = NULL;
		bool same;

		do
			body[at] = i % 2 == 0 ? (char)random_below(256) : "0123456789truefals\"{}[],: "[
				random_below(25)];
		while (body[at] == before);
		if (verifies(body, size, signatures, &ring, &named))
			fail_msg("byte %zu: %d instead of %d verifies", at, body[at], before);
		/* Unsigned, what changes the meaning is named. */
		same = json_parse(body, size, "edited", &meaning, &error) == EH_OK &&
		       json_same(meaning, whole);
		if (!named && !same)
			fail_msg("byte %zu: %d instead of %d is not named", at, body[at], before);
		silent += !named;
		cJSON_Delete(meaning);
		body[at] = before;
	}
	/* Only edits of white space, of which there is little. */
	assert_true(silent < EDITS / 100);
	cJSON_Delete(whole);
	audit_keyring_free(&ring);
	free(body);
	free(signatures);
	free(beside);
	put_back();
}

static void list_leaves(cJSON *item, cJSON **leaves, size_t *count, size_t room)
{
	cJSON *child;

	if (!cJSON_IsObject(item) && !cJSON_IsArray(item)) {
		if (*count < room)
			leaves[(*count)++] = item;
		return;
	}
	cJSON_ArrayForEach(child, item)
		list_leaves(child, leaves, count, room);
}

/* Another value of the same type. */
static void change_leaf(cJSON *leaf)
{
	if (cJSON_IsBool(leaf))
		leaf->type ^= cJSON_True ^ cJSON_False;
	else if (cJSON_IsNumber(leaf))
		(void)cJSON_SetNumberHelper(leaf, leaf->valuedouble + 1 + (double)random_below(9));
	else if (leaf->valuestring[0] != '\0')
		leaf->valuestring[0] = leaf->valuestring[0] == 'a' ? 'b' : 'a';
	else
		(void)cJSON_SetValuestring(leaf, "a");
}

/* Each member of the file in turn, well-formed JSON in the written layout. */
static void field_edits_are_named(void **state)
{
	enum { LEAVES = 4000 };
	cJSON **leaves = memory_get(LEAVES * sizeof(*leaves));
	audit_keyring ring = { NULL, 0 };
	cJSON *root = NULL, *copy;
	size_t count = 0, room;
	bool named;

	(void)state;
	make_small();
	assert_int_equal(json_read(path, &root, NULL), EH_OK);
	list_leaves(root, leaves, &count, LEAVES);
	assert_true(count > 200 && count < LEAVES);
	for (size_t i = 0; i < count; i++) {
		char *body;

		copy = cJSON_Duplicate(root, true);
		room = 0;
		list_leaves(copy, leaves, &room, LEAVES);
		change_leaf(leaves[i]);
		body = json_text(copy, false);
		if (verifies(body, strlen(body), NULL, &ring, &named) || !named)
			fail_msg("leaf %zu (%s) may be edited", i,
			         leaves[i]->string != NULL ? leaves[i]->string : "an element");
		free(body);
		cJSON_Delete(copy);
	}
	cJSON_Delete(root);
	free(leaves);
	put_back();
}

/* Every byte of the signatures and of the amendments. */
static void evidence_is_not_altered(void **state)
{
	static const char *const suffixes[] = { ".sig", ".amendments" };
	eh_error error = ERROR_INIT;
	char *texts[2];
	audit_keyring ring;
	result *r = NULL;

	(void)state;
	put_back();
	assert_int_equal(sign_as("alice", AUDIT_TESTER), EH_OK);
	assert_int_equal(amend(AUDIT_NOTE, "one", NULL, &error), EH_OK);
	assert_int_equal(result_read_lean(path, &r, &error), EH_OK);
	assert_int_equal(audit_keyring_read(&ring, &error), EH_OK);
	for (size_t i = 0; i < 2; i++) {
		char *file = memory_format("%s%s", path, suffixes[i]);

		texts[i] = golden_file(file);
		free(file);
	}
	for (size_t t = 0; t < 2; t++) {
		for (size_t at = 0; texts[t][at] != '\0'; at++) {
			audit_subject subject = { "result", json_string(r->root, "digest", ""),
				                  r->file_sha256, r->root };
			char before = texts[t][at];
			audit_evidence *e;

			if (strchr(" \t\n", before) != NULL)
				continue;
			texts[t][at] = before == '0' ? '1' : '0';
			e = audit_evidence_of(texts[0], texts[1], &subject, &ring);
			if (e->level != AUDIT_BROKEN)
				fail_msg("byte %zu of %s: %c instead of %c holds", at, suffixes[t],
				         texts[t][at], before);
			audit_evidence_free(e);
			texts[t][at] = before;
		}
	}
	audit_keyring_free(&ring);
	free(texts[0]);
	free(texts[1]);
	result_free(r);
	put_back();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_are_private_and_kept),
		cmocka_unit_test(signatures_are_ed25519),
		cmocka_unit_test(levels_follow_from_keys),
		cmocka_unit_test(signatures_do_not_travel),
		cmocka_unit_test(amendments_are_chained),
		cmocka_unit_test(redactions_keep_digests_and_signatures),
		cmocka_unit_test(an_old_result_has_nothing_to_redact),
		cmocka_unit_test(bundles_are_whole_and_the_same),
		cmocka_unit_test(bad_archives_are_refused),
		cmocka_unit_test(bundles_are_not_altered),
		cmocka_unit_test(ten_thousand_edits_do_not_verify),
		cmocka_unit_test(field_edits_are_named),
		cmocka_unit_test(evidence_is_not_altered),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, begin, finish);
}

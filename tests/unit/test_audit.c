/* SPDX-License-Identifier: Apache-2.0 */
/* Keys, signatures, amendments and redactions: what holds, and every way not to. */
#include "audit_place.h"

#include <sys/stat.h>

#include "record/redact.h"

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
	assert_int_equal(audit_key_open("alice", &key, &error), EH_E_UNAVAILABLE);
	assert_non_null(strstr(error.message, "chmod 600"));
	assert_int_equal(chmod(file, 0600), 0);
	assert_int_equal(audit_key_make(".hidden", NULL, NULL, &again, &error), EH_E_USAGE);
	assert_int_equal(audit_key_make("a/b", NULL, NULL, &again, &error), EH_E_USAGE);
	assert_int_equal(audit_key_make("", NULL, NULL, &again, &error), EH_E_USAGE);
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

static const audit_role_list as_verifier = { (enum audit_role[]){ AUDIT_VERIFIER }, 1 };

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
	assert_int_equal(audit_trust_add("bob-lab", &bob, &as_verifier, &error), EH_OK);
	assert_int_equal(audit_trust_add("bob-lab", &bob, &as_verifier, &error), EH_E_USAGE);
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

	if (status == EH_OK) {
		const audit_request request = { kind, words, member, NULL };
		audit_amended done;

		status = audit_amend(path, &request, key, &done, error);
		audit_amended_clear(&done);
	}
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
	before = memory_text(r->record->digest);
	result_free(r);
	assert_non_null(strstr(original, "\"tester\":\"Test\""));
	assert_int_equal(amend(AUDIT_REDACT, "privacy", "who.tester", &error), EH_OK);
	after = golden_file(path);
	assert_null(strstr(after, "\"tester\":\"Test\""));
	assert_null(strstr(after, "\"who.tester\""));
	assert_int_equal(result_read(path, &r, &error), EH_OK);
	assert_string_equal(r->record->digest, before);
	result_free(r);
	assert_int_equal(level_of(NULL), AUDIT_SIGNED);
	/* Twice, and what must stay. */
	assert_int_equal(amend(AUDIT_REDACT, "x", "who.tester", &error), EH_E_USAGE);
	assert_non_null(strstr(error.message, "already redacted"));
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

/* The state that a kill between both replacements leaves. */
static void an_interrupted_redaction_is_finished(void **state)
{
	const audit_request nothing = { .kind = AUDIT_NOTE };
	eh_error error = ERROR_INIT;
	audit_amended done;
	char sentence[256], *after;

	(void)state;
	put_back();
	assert_int_equal(sign_as("alice", AUDIT_TESTER), EH_OK);
	assert_int_equal(amend(AUDIT_REDACT, "privacy", "who.tester", &error), EH_OK);
	after = golden_file(path);
	assert_int_equal(golden_put(original, strlen(original), path), EH_OK);
	assert_int_equal(level_of(sentence), AUDIT_SIGNED);
	assert_non_null(strstr(sentence, "announced and not finished, who.tester still stands"));
	/* No bundle is made of it. */
	{
		result *r;

		assert_int_equal(result_read(path, &r, &error), EH_OK);
		assert_int_equal(audit_refuse_broken(r, &error), EH_E_USAGE);
		assert_non_null(strstr(error.message, "--finish"));
		result_free(r);
	}
	assert_int_equal(audit_amend(path, &nothing, NULL, &done, &error), EH_OK);
	assert_int_equal(done.finished.members.count, 1);
	assert_string_equal(done.finished.members.items[0], "who.tester");
	assert_string_equal(done.finished.announcer, "alice");
	audit_amended_clear(&done);
	{
		char *again = golden_file(path);

		assert_string_equal(again, after);
		free(again);
	}
	assert_int_equal(amend(AUDIT_REDACT, "privacy", "who.tester", &error), EH_OK);
	/* Another text in the place of the announced one is no such state. */
	{
		char *other = memory_format("%s ", original);

		assert_int_equal(golden_put(other, strlen(other), path), EH_OK);
		assert_int_equal(level_of(NULL), AUDIT_BROKEN);
		assert_int_equal(amend(AUDIT_NOTE, "x", NULL, &error), EH_E_ALTERED);
		free(other);
	}
	free(after);
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

/* Signed and amended by version 0.1.0, whose bytes of the result had this digest. */
static void released_evidence_holds(void **state)
{
	/* Of the golden result as it was when the evidence was made. */
	static const char signed_file[] =
		"1c9b1dcce8fcf79eed3da06eeb885c887a2559276d66b844cc30dcd8f4245740";
	static const char signed_digest[] =
		"e42b1aaf6c0c35957ecbaec18f8cafad4a1eed24a0c30d675e641fd5ab693465";
	char *files[] = { golden_path("host-gcc-12.signatures"), golden_path("host-gcc-12.amendments") };
	char *texts[] = { golden_file(files[0]), golden_file(files[1]) };
	audit_keyring none = { .keys = { NULL, 0 } };
	audit_evidence *e;
	audit_subject subject = { AUDIT_RESULT, signed_digest, signed_file, NULL };

	(void)state;
	e = audit_evidence_of(texts[0], texts[1], &subject, &none);
	assert_int_equal(e->level, AUDIT_UNKNOWN);
	assert_int_equal(e->problems.count, 0);
	assert_true(e->signatures.items[0].holds);
	assert_string_equal(e->amendments.items[0].text, "The fan was \"loud\": 3 µs, 1e5 Hz.");
	audit_evidence_free(e);
	for (size_t i = 0; i < 2; i++) {
		free(texts[i]);
		free(files[i]);
	}
}

/* malloc'd: the text with the first `from` replaced. */
static char *with(const char *body, const char *from, const char *to)
{
	const char *at = strstr(body, from);

	assert_non_null(at);
	return memory_format("%.*s%s%s", (int)(at - body), body, to, at + strlen(from));
}

/* Only the member's section and the salts are written anew. */
static void redacted_text_keeps_other_bytes(void **state)
{
	const text_list tester = { (char *[]){ (char *)"who.tester" }, 1 };
	eh_error error = ERROR_INIT;
	text out = { 0 };
	char *first = with(original, "\"who\": {\"tester\":\"Test\",\"party\":\"third-party\",",
	                   " \"who\"\t:\n{ \"tester\": \"T\\u0065st\", \"party\":\"third-party\",");
	char *before = with(first, "\"verified\":false},", "\"verified\":false}\r\n , ");
	char *mark = with(before, "{ \"tester\": \"T\\u0065st\", ",
	                  "{\"tester\":\"redacted:sha256:"
	                  "ede53852612f3aee3891e40563f4533fbc840e512f5fd0dec1e8416682face69\",");
	char *after = with(mark, "\"who.tester\":\"8f92a12d68ae4d7e57589bc0ec670247\",", "");

	(void)state;
	assert_int_equal(redact_text(before, strlen(before), "x", &tester, &out, &error), EH_OK);
	assert_string_equal(out.data, after);
	text_free(&out);
	free(after);
	free(mark);
	free(before);
	free(first);
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
	assert_int_equal(result_read(path, &r, &error), EH_OK);
	assert_int_equal(audit_keyring_read(&ring, &error), EH_OK);
	for (size_t i = 0; i < 2; i++) {
		char *file = memory_format("%s%s", path, suffixes[i]);

		texts[i] = golden_file(file);
		free(file);
	}
	for (size_t t = 0; t < 2; t++) {
		for (size_t at = 0; texts[t][at] != '\0'; at++) {
			audit_subject subject = audit_subject_of(r);
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
	layout_clear(audit_keyring_layout(), &ring);
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
		cmocka_unit_test(an_interrupted_redaction_is_finished),
		cmocka_unit_test(an_old_result_has_nothing_to_redact),
		cmocka_unit_test(released_evidence_holds),
		cmocka_unit_test(redacted_text_keeps_other_bytes),
		cmocka_unit_test(evidence_is_not_altered),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, audit_place_begin, audit_place_finish);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Agreements to protocols: what a file must be, and what a record shows of a team's agreement. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "audit/agreement.h"
#include "audit/envelope.h"
#include "golden.h"

#define DIGEST "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define OTHER "ff112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

static audit_team red = { .name = "red" }, blue = { .name = "blue" };

static int begin(void **state)
{
	char *config = golden_scratch("config");
	eh_error error = ERROR_INIT;

	(void)state;
	(void)setenv("XDG_CONFIG_HOME", config, 1);
	free(config);
	return audit_key_make("red", NULL, NULL, &red.key, &error) != EH_OK ||
	       audit_key_make("blue", NULL, NULL, &blue.key, &error) != EH_OK;
}

static agreement_subject subject(const char *hex, const char *team)
{
	return (agreement_subject){ "match", 3, hex, team };
}

/* Writes NAME anew, signed by the key; gives its agreement. */
static eh_status signed_by(const char *name, const char *key_name, const agreement_subject *s,
                           record_agreement *out, bool *already, eh_error *error)
{
	char *path = golden_scratch(name);
	audit_key *key = NULL;
	eh_status status;

	assert_int_equal(audit_key_open(key_name, &key, error), EH_OK);
	layout_init(record_agreement_layout(), out);
	status = agreement_sign(path, s, key, out, already, error);
	audit_key_close(key);
	free(path);
	return status;
}

static record_agreement made(const char *hex, const char *team, const char *key_name)
{
	const agreement_subject s = subject(hex, team);
	char *path = golden_scratch("made.agreement");
	eh_error error = ERROR_INIT;
	record_agreement a;
	bool already;

	(void)unlink(path);
	free(path);
	assert_int_equal(signed_by("made.agreement", key_name, &s, &a, &already, &error), EH_OK);
	assert_false(already);
	return a;
}

/* ---- files ----------------------------------------------------------------------------------- */

static void files_are_never_overwritten(void **state)
{
	const agreement_subject mine = subject(DIGEST, "red"), edited = subject(OTHER, "red");
	const agreement_subject theirs = subject(DIGEST, "blue");
	char *path = golden_scratch("kept.agreement"), *before, *after;
	eh_error error = ERROR_INIT;
	record_agreement a;
	bool already = true;

	(void)state;
	assert_int_equal(signed_by("kept.agreement", "red", &mine, &a, &already, &error), EH_OK);
	assert_false(already);
	layout_clear(record_agreement_layout(), &a);
	before = golden_file(path);
	assert_int_equal(signed_by("kept.agreement", "red", &mine, &a, &already, &error), EH_OK);
	assert_true(already);
	layout_clear(record_agreement_layout(), &a);
	assert_int_equal(signed_by("kept.agreement", "red", &edited, &a, &already, &error), EH_E_USAGE);
	assert_non_null(strstr(error.message, "not overwritten"));
	layout_clear(record_agreement_layout(), &a);
	assert_int_equal(signed_by("kept.agreement", "red", &theirs, &a, &already, &error), EH_E_USAGE);
	layout_clear(record_agreement_layout(), &a);
	assert_int_equal(signed_by("kept.agreement", "blue", &mine, &a, &already, &error), EH_E_USAGE);
	layout_clear(record_agreement_layout(), &a);
	after = golden_file(path);
	assert_string_equal(before, after);
	free(after);
	free(before);
	free(path);
}

/* Each is the sound file with one text exchanged. */
static void changed_files_are_refused(void **state)
{
	static const struct { const char *from, *to; eh_status status; } changes[] = {
		{ "\"protocol\": \"match\"", "\"protocol\": \"other\"", EH_E_ALTERED },
		{ "\"version\": 3", "\"version\": 4", EH_E_ALTERED },
		{ DIGEST, OTHER, EH_E_ALTERED },
		{ "\"team\": \"red\"", "\"team\": \"blue\"", EH_E_ALTERED },
		{ "\"signer\": \"red\"", "\"signer\": \"blue\"", EH_E_ALTERED },
		{ "\"time\": \"2", "\"time\": \"1", EH_E_ALTERED },
		{ "\"signature\": \"", "\"signature\": \"0", EH_E_ALTERED },
		{ "evenhand-agreement", "evenhand-signatures", EH_E_FORMAT },
		{ "\"format_version\": 1", "\"format_version\": 2", EH_E_FORMAT },
		{ "{", "{\"more\": 1,", EH_E_FORMAT },
		{ "}", "", EH_E_FORMAT },
		{ "\"team\"", "\"Team\"", EH_E_FORMAT },
	};
	record_agreement a = made(DIGEST, "red", "red");
	char *from = golden_scratch("made.agreement"), *to = golden_scratch("changed.agreement");
	char *body = golden_file(from);

	(void)state;
	layout_clear(record_agreement_layout(), &a);
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		char *at = strstr(body, changes[i].from);
		eh_error error = ERROR_INIT;
		char *changed;

		assert_non_null(at);
		changed = memory_format("%.*s%s%s", (int)(at - body), body, changes[i].to,
		                        at + strlen(changes[i].from));
		assert_int_equal(golden_put(changed, strlen(changed), to), EH_OK);
		layout_init(record_agreement_layout(), &a);
		assert_int_equal(agreement_read(to, &a, &error), changes[i].status);
		assert_non_null(strstr(error.message, "changed.agreement"));
		layout_clear(record_agreement_layout(), &a);
		free(changed);
	}
	free(body);
	free(to);
	free(from);
}

/* A name or a time that is none is signed by its key, and all the same not one. */
static void signed_nonsense_does_not_hold(void **state)
{
	static const char *const names[] = { "Red", "../red", "", "a\nb", "\x1b[2J" };
	eh_error error = ERROR_INIT;
	record_agreement a = made(DIGEST, "red", "red");
	audit_key *key = NULL;

	(void)state;
	assert_true(agreement_holds(&a));
	assert_int_equal(audit_key_open("red", &key, &error), EH_OK);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		text_set(&a.team, names[i]);
		assert_int_equal(envelope_seal(&envelope_agreement, &a, key, &error), EH_OK);
		assert_true(envelope_holds(&envelope_agreement, &a));
		assert_false(agreement_holds(&a));
	}
	audit_key_close(key);
	layout_clear(record_agreement_layout(), &a);
}

/* ---- judging --------------------------------------------------------------------------------- */

/* A record of a run that began at `started` with these agreements, which it takes. */
static record_result *run_with(const char *started, record_agreement *agreements, size_t count)
{
	record_result *r = layout_new(record_result_layout());

	text_set(&r->protocol.name, "match");
	r->protocol.version = 3;
	text_set(&r->protocol.digest, DIGEST);
	text_set(&r->run.started, started);
	for (size_t i = 0; i < count; i++)
		layout_move(record_agreement_layout(), &agreements[i],
		            layout_append(record_agreement_layout(), &r->run.agreements));
	return r;
}

static enum audit_agreement_state state_of(const record_result *r, const audit_team *team, const char *words)
{
	audit_checked_agreement c;
	enum audit_agreement_state state;

	layout_init(audit_checked_agreement_layout(), &c);
	agreement_judge(r, team, &c);
	state = c.state;
	assert_non_null(strstr(c.sentence, team->name));
	assert_non_null(strstr(c.sentence, "match@3"));
	assert_non_null(strstr(c.sentence, words));
	layout_clear(audit_checked_agreement_layout(), &c);
	return state;
}

#define LATER "9000-01-01T00:00:00Z"

static void the_key_decides_and_not_the_name(void **state)
{
	record_agreement by_blue[] = { made(DIGEST, "red", "blue") };
	record_result *r = run_with(LATER, by_blue, 1);

	(void)state;
	assert_int_equal(state_of(r, &red, "is signed by the key"), AUDIT_AGREEMENT_OTHER_KEY);
	assert_int_equal(state_of(r, &blue, "has no agreement"), AUDIT_AGREEMENT_ABSENT);
	/* The name of another key, the signature of the own one. */
	text_set(&r->run.agreements.items[0].public_key, red.key.key);
	text_set(&r->run.agreements.items[0].fingerprint, red.key.fingerprint);
	assert_int_equal(state_of(r, &red, "does not hold"), AUDIT_AGREEMENT_BROKEN);
	layout_free(record_result_layout(), r);
}

static void protocol_and_time_decide(void **state)
{
	record_agreement both[] = { made(DIGEST, "red", "red"), made(OTHER, "blue", "blue") };
	record_result *r = run_with(LATER, both, 2);
	char *signed_at = memory_text(r->run.agreements.items[0].time);

	(void)state;
	assert_int_equal(state_of(r, &red, "agreed to"), AUDIT_AGREED);
	assert_int_equal(state_of(r, &blue, "another protocol"), AUDIT_AGREEMENT_OTHER);
	text_set(&r->run.started, signed_at);
	assert_int_equal(state_of(r, &red, "agreed to"), AUDIT_AGREED);
	text_set(&r->run.started, "2026-01-01T00:00:00Z");
	assert_int_equal(state_of(r, &red, "after the run began"), AUDIT_AGREEMENT_LATE);
	/* A time that was changed is no earlier signature. */
	text_set(&r->run.agreements.items[0].time, "2025-01-01T00:00:00Z");
	assert_int_equal(state_of(r, &red, "does not hold"), AUDIT_AGREEMENT_BROKEN);
	free(signed_at);
	layout_free(record_result_layout(), r);
}

/* Whatever else lies there hides no agreement. */
static void one_that_holds_is_enough(void **state)
{
	record_agreement all[] = { made(OTHER, "red", "red"), made(DIGEST, "red", "blue"),
		                   made(DIGEST, "red", "red"), made(OTHER, "red", "red") };
	record_result *r = run_with(LATER, all, 4);

	(void)state;
	text_set(&r->run.agreements.items[3].signature, "00");
	assert_int_equal(state_of(r, &red, "agreed to"), AUDIT_AGREED);
	layout_free(record_result_layout(), r);
}

/* ---- teams ----------------------------------------------------------------------------------- */

static eh_status find(const char *first, const char *second, eh_error *error)
{
	char *names[] = { (char *)first, (char *)second, NULL };
	audit_team_list found = { NULL, 0 };
	audit_keyring ring;
	eh_status status;

	assert_int_equal(audit_keyring_read(&ring, error), EH_OK);
	status = audit_teams_find(&ring, names, &found, error);
	assert_true(status == EH_OK ? found.count == 2 : found.items == NULL);
	free(found.items);
	layout_clear(audit_keyring_layout(), &ring);
	return status;
}

static void a_team_is_one_key(void **state)
{
	const audit_role_list as_tester = { (enum audit_role[]){ AUDIT_TESTER }, 1 };
	eh_error error = ERROR_INIT;

	(void)state;
	assert_int_equal(find("red", "blue", &error), EH_OK);
	assert_int_equal(find("red", "red", &error), EH_E_USAGE);
	assert_int_equal(find("red", "green", &error), EH_E_NOT_FOUND);
	assert_non_null(strstr(error.message, "evenhand key trust"));
	/* One key under two names. */
	assert_int_equal(audit_trust_add("green", &red.key, &as_tester, &error), EH_OK);
	assert_int_equal(find("red", "green", &error), EH_E_USAGE);
	assert_non_null(strstr(error.message, "one key"));
	assert_int_equal(find("green", "blue", &error), EH_OK);
	/* Two keys under one name. */
	assert_int_equal(audit_trust_add("red", &blue.key, &as_tester, &error), EH_OK);
	assert_int_equal(find("red", "blue", &error), EH_E_USAGE);
	assert_non_null(strstr(error.message, "both"));
	assert_int_equal(audit_trust_remove("red", &error), EH_OK);
	assert_int_equal(audit_trust_remove("green", &error), EH_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_are_never_overwritten),
		cmocka_unit_test(changed_files_are_refused),
		cmocka_unit_test(signed_nonsense_does_not_hold),
		cmocka_unit_test(the_key_decides_and_not_the_name),
		cmocka_unit_test(protocol_and_time_decide),
		cmocka_unit_test(one_that_holds_is_enough),
		cmocka_unit_test(a_team_is_one_key),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, begin, NULL);
}

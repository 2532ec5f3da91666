/* SPDX-License-Identifier: Apache-2.0 */
/* A result with salts, of the golden journal, in a place of its own with two keys: alice, and bob,
 * whose key has a passphrase.  For the tests of what is signed, amended and bundled. */
#ifndef TEST_AUDIT_PLACE_H
#define TEST_AUDIT_PLACE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "audit/audit.h"
#include "chain.h"
#include "golden.h"

static char *path;    /* of the result   */
static char *original; /* its bytes       */
static audit_public alice, bob;

/* The golden journal as a run of today writes it, with a secret. */
static inline eh_status build_salted(const char *to)
{
	char *from = golden_path("run.journal");
	char *journal = golden_scratch("run.journal");
	char *body = golden_file(from);
	char *line_end = strchr(body, '\n');
	char *salted = memory_format("{\"salt\":\"00112233445566778899aabbccddeeff\",%.*s%s",
	                             (int)(line_end - body - 1), body + 1, line_end);
	char *whole = chained(salted);
	eh_status status = golden_put(whole, strlen(whole), journal);

	if (status == EH_OK)
		status = result_build(journal, "host:gcc-12", true, NULL, to, NULL, NULL);
	free(whole);
	free(salted);
	free(body);
	free(journal);
	free(from);
	return status;
}

static inline void put_back(void)
{
	char *beside = memory_format("%s.sig", path);
	char *amendments = memory_format("%s.amendments", path);

	assert_int_equal(golden_put(original, strlen(original), path), EH_OK);
	(void)unlink(beside);
	(void)unlink(amendments);
	free(amendments);
	free(beside);
}

static inline int audit_place_begin(void **state)
{
	eh_error error = ERROR_INIT;
	char *config = golden_scratch("config");

	(void)state;
	setenv("XDG_CONFIG_HOME", config, 1);
	free(config);
	path = golden_scratch("salted.json");
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

static inline int audit_place_finish(void **state)
{
	(void)state;
	free(path);
	free(original);
	return 0;
}

static inline eh_status sign_as(const char *name, enum audit_role role)
{
	eh_error error = ERROR_INIT;
	audit_key *key = NULL;
	audit_finished finished = { .announcer = NULL };
	bool before;
	eh_status status = audit_key_open(name, &key, &error);

	if (status == EH_OK)
		status = audit_sign_result(path, key, role, &before, &finished, &error);
	audit_finished_clear(&finished);
	audit_key_close(key);
	return status;
}

static inline enum audit_level level_of(char sentence[256])
{
	eh_error error = ERROR_INIT;
	const audit_evidence *e;
	enum audit_level level;
	result *r = NULL;

	assert_int_equal(result_read(path, &r, &error), EH_OK);
	assert_int_equal(audit_trust(r, &e, &error), EH_OK);
	level = e->level;
	if (sentence != NULL)
		snprintf(sentence, 256, "%s", e->sentence);
	result_free(r);
	return level;
}

#endif

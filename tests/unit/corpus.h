/* SPDX-License-Identifier: Apache-2.0 */
/* The pairs of tests/contract/pairs.txt, made into results.  The format of the file is explained at
 * its top. */
#ifndef TEST_CORPUS_H
#define TEST_CORPUS_H

#include "audit/agreement.h"
#include "audit/audit.h"
#include "audit/envelope.h"
#include "contract/contract.h"
#include "contract/evidence.h"
#include "golden.h"

#include <unistd.h>

enum { EDITS_MAX = 24 };
enum side { SIDE_A, SIDE_B };

typedef struct edit { bool a, b; char *path, *json; } edit;
typedef struct pair_spec {
	char *name, *verdict, *rules, *near, *row;
	edit edits[EDITS_MAX];
	size_t edit_count;
	bool one;                  /* an edit of one side: tried on a, then on b           */
	contract_options options;
} pair_spec;

static audit_team tester_team = { .name = "tester" };
static const audit_team_list teams = { &tester_team, 1 };
static pair_spec *specs;
static size_t spec_count;
static cJSON *base;
static int tests, failures;

static void say(bool ok, const char *name, const char *why)
{
	printf("%s %d - %s\n", ok ? "ok" : "not ok", ++tests, name);
	if (!ok && why != NULL)
		fprintf(stderr, "%s: %s\n", name, why);
	failures += !ok;
}

static void give_up(const char *name, const char *why)
{
	fprintf(stderr, "%s: %s\n", name, why);
	printf("Bail out! %s\n", name);
	exit(1);
}

/* ---- the file -------------------------------------------------------------------------------- */

static char *trimmed(char *s)
{
	char *end;

	while (*s == ' ' || *s == '\t')
		s++;
	end = s + strlen(s);
	while (end > s && (end[-1] == ' ' || end[-1] == '\t'))
		*--end = '\0';
	return s;
}

static void add_edit(pair_spec *s, const char *sides, const char *path, const char *json)
{
	edit *e = &s->edits[s->edit_count];

	if (s->edit_count++ == EDITS_MAX)
		give_up(s->name, "too many edits");
	e->path = memory_text(path);
	e->json = memory_text(json);
	e->a = strcmp(sides, "a") == 0 || strcmp(sides, "both") == 0;
	e->b = !e->a || strcmp(sides, "both") == 0;
	if (strcmp(sides, "one") == 0) {
		s->one = true;
		e->a = e->b = false;
	} else if (strcmp(sides, "a") != 0 && strcmp(sides, "b") != 0 &&
		   strcmp(sides, "both") != 0) {
		give_up(s->name, sides);
	}
}

static void take_line(char *line)
{
	pair_spec *s = spec_count > 0 ? &specs[spec_count - 1] : NULL;
	char *equals = strstr(line, " = ");
	char *value;
	char *dot;

	if (line[0] == '[') {
		line[strlen(line) - 1] = '\0';
		specs = memory_grow(specs, (spec_count + 1) * sizeof(*specs));
		memset(&specs[spec_count], 0, sizeof(*specs));
		specs[spec_count++].name = memory_text(line + 1);
		return;
	}
	if (equals == NULL || s == NULL)
		give_up("pairs.txt", line);
	*equals = '\0';
	value = trimmed(equals + 3);
	line = trimmed(line);
	dot = strchr(line, '.');
	if (strcmp(line, "expect") == 0) {
		char *colon = strchr(value, ':');

		if (colon == NULL)
			give_up(s->name, "expect = VERDICT: rules");
		s->verdict = memory_format("%.*s", (int)(colon - value), value);
		s->rules = memory_text(colon + 1);
	} else if (strcmp(line, "near") == 0) {
		s->near = memory_text(value);
	} else if (strcmp(line, "row") == 0) {
		s->row = memory_text(value);
	} else if (strcmp(line, "certified") == 0) {
		s->options.certified = strcmp(value, "yes") == 0;
	} else if (strcmp(line, "agreed") == 0) {
		s->options.agreed = &teams;
	} else if (strcmp(line, "margin") == 0) {
		s->options.margin = strtod(value, NULL);
	} else if (dot != NULL) {
		*dot = '\0';
		add_edit(s, line, dot + 1, value);
	} else {
		give_up(s->name, line);
	}
}

static void read_pairs(const char *path)
{
	char *body = golden_file(path);
	char *rest = body;
	char *line;

	if (body == NULL)
		give_up(path, "cannot be read");
	while ((line = strsep(&rest, "\n")) != NULL) {
		line = trimmed(line);
		if (line[0] != '\0' && line[0] != ';')
			take_line(line);
	}
	free(body);
}

/* ---- edits ----------------------------------------------------------------------------------- */

/* Sets the member at path, "*" for every member of an array; json "-" removes it. */
static void set_at(cJSON *item, const char *path, const char *json, const char *name)
{
	const char *slash = strchr(path, '/');
	char *step = memory_format("%.*s", (int)(slash != NULL ? slash - path : (long)strlen(path)),
	                           path);
	cJSON *child = NULL;

	if (strcmp(step, "*") == 0 && cJSON_IsArray(item) && slash != NULL) {
		cJSON_ArrayForEach(child, item)
			set_at(child, slash + 1, json, name);
	} else if (slash != NULL) {
		child = cJSON_IsArray(item) ? cJSON_GetArrayItem(item, atoi(step)) :
		        cJSON_GetObjectItemCaseSensitive(item, step);
		/* Members of objects come into being with what is put into them. */
		if (child == NULL && cJSON_IsObject(item))
			child = json_add_object(item, step);
		if (child == NULL)
			give_up(name, path);
		set_at(child, slash + 1, json, name);
	} else if (strcmp(json, "-") == 0) {
		if (cJSON_IsArray(item))
			cJSON_DeleteItemFromArray(item, atoi(step));
		else
			cJSON_DeleteItemFromObjectCaseSensitive(item, step);
	} else {
		cJSON *value = cJSON_Parse(json);

		if (value == NULL)
			give_up(name, json);
		if (cJSON_IsArray(item))
			cJSON_ReplaceItemInArray(item, atoi(step), value);
		else
			json_set(item, step, value);
	}
	free(step);
}

/* Multiplies the samples of a case, and spreads them a little. */
static void scale(cJSON *row, double factor, int salt)
{
	cJSON *e;
	int n = 0;

	cJSON_ArrayForEach(e, cJSON_GetObjectItemCaseSensitive(row, "executions")) {
		cJSON *sample;

		cJSON_ArrayForEach(sample, cJSON_GetObjectItemCaseSensitive(e, "samples_ns"))
			cJSON_SetNumberValue(sample, (double)(long long)(sample->valuedouble * factor) +
			                     (n++ * 7 + salt) % 5);
	}
}

static cJSON *samples_of(cJSON *root, int index, int execution)
{
	cJSON *row = cJSON_GetArrayItem(golden_at(root, "cases"), index);

	return golden_at(cJSON_GetArrayItem(golden_at(row, "executions"), execution), "samples_ns");
}

static double mean_of(const cJSON *samples)
{
	const cJSON *sample;
	double sum = 0;

	cJSON_ArrayForEach(sample, samples)
		sum += sample->valuedouble;
	return (double)(long long)(sum / cJSON_GetArraySize(samples));
}

/* Adds samples about their mean, in no order that the analysis of a series would find. */
static void repeat_samples(cJSON *root, int index, int count)
{
	cJSON *samples;
	uint64_t state = 8;

	for (int e = 0; (samples = samples_of(root, index, e)) != NULL; e++) {
		double mean = mean_of(samples);

		for (int i = cJSON_GetArraySize(samples); i < count; i++) {
			state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
			cJSON_AddItemToArray(samples, cJSON_CreateNumber(
				mean + (double)((state >> 33) % 20001) + (double)((state >> 44) % 20001) - 20000));
		}
	}
}

/* Stairs to the very end. */
static void climb(cJSON *root, int index)
{
	cJSON *sample;
	int i = 0;

	cJSON_ArrayForEach(sample, samples_of(root, index, 0)) {
		cJSON_SetNumberValue(sample, (double)(long long)(sample->valuedouble *
		                                                 (1 + 0.05 * (i / 8))));
		i++;
	}
}

static void slow(cJSON *root, int index, int count)
{
	int executions = cJSON_GetArraySize(golden_at(root, "cases/0/executions"));
	cJSON *sample;

	for (int e = executions - count; e < executions; e++)
		cJSON_ArrayForEach(sample, samples_of(root, index, e))
			cJSON_SetNumberValue(sample, (double)(long long)(sample->valuedouble * 1.5));
}

/* The executions of a case up to `count`: more of them, each a little different, or copies. */
static void keep_executions(cJSON *root, int count, bool copies)
{
	cJSON *row;

	cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(root, "cases")) {
		cJSON *executions = cJSON_GetObjectItemCaseSensitive(row, "executions");

		while (cJSON_GetArraySize(executions) > count)
			cJSON_DeleteItemFromArray(executions, count);
		while (cJSON_GetArraySize(executions) < count) {
			int n = cJSON_GetArraySize(executions);
			cJSON *copy = cJSON_Duplicate(cJSON_GetArrayItem(executions, n % 5), true);

			cJSON *sample;
			int i = 0;

			cJSON_ArrayForEach(sample, golden_at(copy, "samples_ns")) {
				if (!copies)
					cJSON_SetNumberValue(sample, sample->valuedouble + 1 + i % 3);
				i++;
			}
			json_set(copy, "execution", cJSON_CreateNumber(n + 1));
			cJSON_AddItemToArray(executions, copy);
		}
	}
	json_set(golden_at(root, "run/executions"), "done", cJSON_CreateNumber(count));
}

/* The execution took turns of two samples with another one: in all rounds in the slot `place`. */
static void take_turns(cJSON *execution, int rounds, int place)
{
	enum { SLOT_NS = 100000000, SAMPLE_NS = 40000000 };
	cJSON *old = cJSON_DetachItemFromObjectCaseSensitive(execution, "samples_ns");
	cJSON *samples = cJSON_CreateArray(), *starts = cJSON_CreateArray();
	cJSON *turns = cJSON_CreateObject(), *numbers = cJSON_CreateArray();

	for (int i = 0; i < 2 * rounds; i++) {
		const cJSON *sample = cJSON_GetArrayItem(old, i % cJSON_GetArraySize(old));

		cJSON_AddItemToArray(samples, cJSON_CreateNumber(sample->valuedouble + (i * 7) % 11));
		cJSON_AddItemToArray(starts, cJSON_CreateNumber(2.0 * SLOT_NS * (i / 2) +
		                                                SAMPLE_NS * (i % 2)));
		cJSON_AddItemToArray(numbers, cJSON_CreateNumber(i / 2 + 1));
	}
	cJSON_Delete(old);
	cJSON_DeleteItemFromObjectCaseSensitive(execution, "host_ns");
	json_set(execution, "samples_ns", samples);
	json_set(execution, "starts_ns", starts);
	json_set(turns, "rounds", numbers);
	json_set(turns, "origin_ns", cJSON_CreateNumber(1e9));
	json_set(turns, "first_ns", cJSON_CreateNumber((double)SLOT_NS * place));
	json_set(turns, "turn_ns", cJSON_CreateNumber(2.0 * SAMPLE_NS));
	json_set(execution, "turns", turns);
}

static void lockstep(cJSON *root, int rounds, int place)
{
	int executions = cJSON_GetArraySize(golden_at(root, "cases/0/executions"));
	cJSON *row, *e;

	json_set(golden_at(root, "run/executions"), "declared", cJSON_CreateNumber(executions));
	json_set(golden_at(root, "protocol/canonical"), "executions", cJSON_CreateNumber(executions));
	json_set(golden_at(root, "protocol/canonical"), "design", cJSON_CreateString("lockstep"));
	set_at(root, "run/design", "{\"kind\":\"lockstep\",\"executors\":[\"a\",\"b\"],\"looks\":2}",
	       "lockstep");
	cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(root, "cases"))
		cJSON_ArrayForEach(e, cJSON_GetObjectItemCaseSensitive(row, "executions"))
			take_turns(e, rounds, place);
}

/* The case as the row and as the plan. */
static void set_case(cJSON *root, const char *path, const char *json, const char *name)
{
	bool measured = strstr(path, "/executions") != NULL;
	char *plan = memory_format("protocol/canonical/%s", path);

	set_at(root, path, json, name);
	if (!measured)
		set_at(root, plan, json, name);
	free(plan);
}

static void apply(cJSON *root, const edit *e, const char *name)
{
	char *end;
	int index = (int)strtol(e->json, &end, 10);

	if (strcmp(e->path, "scale") == 0) {
		scale(cJSON_GetArrayItem(golden_at(root, "cases"), index), strtod(end, NULL), 1);
	} else if (strcmp(e->path, "samples") == 0) {
		repeat_samples(root, index, atoi(end));
	} else if (strcmp(e->path, "climb") == 0) {
		climb(root, index);
	} else if (strcmp(e->path, "slow") == 0) {
		slow(root, index, atoi(end));
	} else if (strcmp(e->path, "lockstep") == 0) {
		lockstep(root, index, atoi(end));
	} else if (strcmp(e->path, "executions") == 0) {
		keep_executions(root, atoi(e->json), false);
	} else if (strcmp(e->path, "copies") == 0) {
		keep_executions(root, atoi(e->json), true);
	} else if (strcmp(e->path, "drop-case") == 0) {
		cJSON_DeleteItemFromArray(golden_at(root, "cases"), atoi(e->json));
		cJSON_DeleteItemFromArray(golden_at(root, "protocol/canonical/cases"), atoi(e->json));
	} else if (strncmp(e->path, "cases/", 6) == 0) {
		set_case(root, e->path, e->json, name);
	} else if (strcmp(e->path, "is-a") != 0 && strcmp(e->path, "sign") != 0 &&
		   strcmp(e->path, "agree") != 0) {
		set_at(root, e->path, e->json, name);
	}
}

static bool is_a(const pair_spec *s)
{
	for (size_t i = 0; i < s->edit_count; i++)
		if (strcmp(s->edits[i].path, "is-a") == 0)
			return true;
	return false;
}

/* b is another executor whose times are four fifths of a's. */
static cJSON *start_of(enum side side, bool same)
{
	cJSON *root = cJSON_Duplicate(base, true);
	cJSON *row;

	if (side == SIDE_A || same)
		return root;
	cJSON_ArrayForEach(row, cJSON_GetObjectItemCaseSensitive(root, "cases"))
		scale(row, 0.8, 3);
	set_at(root, "run/id", "\"corpus-b\"", "base");
	set_at(root, "executor/name", "\"host:b\"", "base");
	set_at(root, "executor/digest",
	       "\"00000000000000000000000000000000000000000000000000000000000000b0\"", "base");
	return root;
}

/* Adds the agreement of the team tester: "second" signs in its place, and "late" the run began before. */
static void agree(cJSON *root, const char *how)
{
	const char *name = strcmp(how, "second") == 0 ? "second" : "tester";
	eh_error error = ERROR_INIT;
	audit_key *key = NULL;
	record_agreement a;

	if (strcmp(how, "late") != 0)
		set_at(root, "run/started", "\"9000-01-01T00:00:00Z\"", "agree");
	golden_reseal(root, true);
	layout_init(record_agreement_layout(), &a);
	a.format = RECORD_AGREEMENT;
	a.format_version = a.version = 1;
	text_set(&a.protocol, "corpus");
	text_set(&a.digest, golden_at(root, "protocol/digest")->valuestring);
	text_set(&a.team, "tester");
	if (audit_key_open(name, &key, &error) != EH_OK ||
	    envelope_seal(&envelope_agreement, &a, key, &error) != EH_OK)
		give_up("agree", error.message);
	cJSON_AddItemToArray(json_add_array(golden_at(root, "run"), "agreements"),
	                     tree_encode(record_agreement_layout(), &a));
	layout_clear(record_agreement_layout(), &a);
	audit_key_close(key);
}

static cJSON *edited(const pair_spec *s, enum side side, enum side one)
{
	cJSON *root = start_of(side, is_a(s));
	const char *agreeing = NULL;

	for (size_t i = 0; i < s->edit_count; i++) {
		const edit *e = &s->edits[i];
		bool mine = e->a || e->b ? (side == SIDE_A ? e->a : e->b) : side == one;

		if (mine)
			apply(root, e, s->name);
		if (mine && strcmp(e->path, "agree") == 0)
			agreeing = e->json;
	}
	if (agreeing != NULL)
		agree(root, agreeing);
	return root;
}

/* ---- signatures ------------------------------------------------------------------------------ */

static const audit_role_list as_verifier = { (enum audit_role[]){ AUDIT_VERIFIER }, 1 };

static void make_keys(void)
{
	char *folder = golden_scratch("config");
	eh_error error = ERROR_INIT;
	audit_public key;

	(void)setenv("XDG_CONFIG_HOME", folder, 1);
	free(folder);
	if (audit_key_make("tester", "", NULL, &tester_team.key, &error) != EH_OK ||
	    audit_key_make("second", "", NULL, &key, &error) != EH_OK ||
	    audit_trust_add("second", &key, &as_verifier, &error) != EH_OK)
		give_up("keys", error.message);
}

static void sign_with(const char *path, const result *r, const char *name, enum audit_role role,
                      const char *hex)
{
	audit_subject subject = { AUDIT_RESULT, hex, r->file_sha256, &r->redacted };
	char *file = memory_format("%s.sig", path), *before = NULL, *after = NULL;
	eh_error error = ERROR_INIT;
	audit_key *key = NULL;

	if (access(file, F_OK) == 0)
		before = golden_file(file);
	if (audit_key_open(name, &key, &error) != EH_OK ||
	    audit_signatures_add(before, file, &subject, key, role, &after, &error) != EH_OK ||
	    golden_put(after, strlen(after), file) != EH_OK)
		give_up(path, error.message);
	audit_key_close(key);
	free(after);
	free(before);
	free(file);
}

static void amend(const char *path, enum audit_amendment_kind kind)
{
	const audit_request request = { .kind = kind, .words = "The fan was off." };
	eh_error error = ERROR_INIT;
	audit_amended done;
	audit_key *key = NULL;

	if (audit_key_open("tester", &key, &error) != EH_OK ||
	    audit_amend(path, &request, key, &done, &error) != EH_OK)
		give_up(path, error.message);
	audit_amended_clear(&done);
	audit_key_close(key);
}

static void sign(const char *path, const result *r, const char *how)
{
	static const char other[] = "11111111111111111111111111111111111111111111111111111111"
	                            "11111111";
	const char *hex = r->record->digest;

	if (strcmp(how, "disputed") == 0 || strcmp(how, "noted") == 0) {
		amend(path, strcmp(how, "noted") == 0 ? AUDIT_NOTE : AUDIT_DISPUTE);
		return;
	}
	if (strcmp(how, "unreadable") == 0) {
		char *beside = memory_format("%s.sig", path);

		if (symlink("nowhere", beside) != 0)
			give_up(path, "cannot be linked");
		free(beside);
		return;
	}
	sign_with(path, r, "tester", AUDIT_TESTER, strcmp(how, "broken") == 0 ? other : hex);
	if (strcmp(how, "verified") == 0)
		sign_with(path, r, "second", AUDIT_VERIFIER, hex);
}

/* How the side is signed; NULL when it is not. */
static const char *signing(const pair_spec *s, enum side side, enum side one)
{
	for (size_t i = 0; i < s->edit_count; i++) {
		const edit *e = &s->edits[i];

		if (strcmp(e->path, "sign") == 0 &&
		    (e->a || e->b ? (side == SIDE_A ? e->a : e->b) : side == one))
			return e->json;
	}
	return NULL;
}

/* Takes the tree. */
static result *sealed_as(cJSON *root, const char *name, const char *file, const char *how)
{
	char *path = golden_scratch(file);
	char *signatures = memory_format("%s.sig", path);
	char *amendments = memory_format("%s.amendments", path);
	eh_error error = ERROR_INIT;
	result *r = NULL;

	(void)remove(signatures);
	(void)remove(amendments);
	free(signatures);
	free(amendments);

	golden_reseal(root, true);
	if (golden_write(root, path) != EH_OK)
		give_up(name, "cannot be written");
	cJSON_Delete(root);
	if (result_read(path, &r, &error) != EH_OK)
		give_up(name, error.message);
	if (how != NULL)
		sign(path, r, how);
	free(path);
	return r;
}

static result *sealed(cJSON *root, const char *name)
{
	return sealed_as(root, name, "corpus.json", NULL);
}

#endif

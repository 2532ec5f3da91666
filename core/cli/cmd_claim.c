/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/json.h"
#include "base/log.h"
#include "base/paths.h"
#include "base/text.h"
#include "cli/command.h"
#include "plugin/plugin.h"
#include "protocol/plan.h"
#include "report/claimed.h"
#include "report/report.h"

static int claim_run(int argc, char **argv);

extern const command command_claim;
const command command_claim = {
	.name = "claim",
	.summary = "whether results support or refute what somebody claims",
	.help = "usage: evenhand claim CLAIM RESULT... [--json] [-v]\n"
	        "       evenhand claim check CLAIM... [--json]\n"
	        "       evenhand claim list [--json]\n"
	        "       evenhand claim template\n"
	        "\n"
	        "A claim is an INI file (docs/claims.md): which executors, which cases of which protocol,\n"
	        "what relation between them, who says so.  CLAIM is a path, or a name that `list` shows.\n"
	        "The contract and the statistics decide:\n"
	        "\n"
	        "  supported  every sound reading of the results says so\n"
	        "  refuted    every sound reading says the opposite\n"
	        "  undecided  the interval holds both, executions are too few, or results are missing or\n"
	        "             ambiguous\n"
	        "  refused    the contract refuses the comparison, or a claim about one layer is\n"
	        "             confounded because more differs\n"
	        "\n"
	        "  check      whether the files are sound claims, and fit the protocol where it is here\n"
	        "  list       the claims of the installation\n"
	        "  template   a claim to begin with, on stdout\n"
	        "  --json     the whole answer as JSON on stdout\n"
	        "  -v         also rules that hold without qualifying anything\n"
	        "\n"
	        "Exit code: 0 supported (check: sound); 1 refuted; 2 undecided; 3 refused, or an altered\n"
	        "result; 4 usage, or a file that is no claim or no result.\n"
	        "\n"
	        "  evenhand claim clang-gemm today/host-gcc-12.json today/host-clang-14.json\n"
	        "  evenhand claim template > mine.ini; evenhand claim check mine.ini\n",
	.run = claim_run,
};

static const char template[] =
	"; What is claimed, so that anybody can decide it.  docs/claims.md explains every key.\n"
	"[claim]\n"
	"name = my-claim\n"
	"text = The new compiler makes the matrix product at least 1.2 times as fast.\n"
	"claimant = Example Inc.\n"
	"published = https://example.org/announcement, 2026-01-31\n"
	"protocol = quick@1\n"
	"; digest = the 64 digits of `evenhand protocol digest quick`\n"
	"cases = gemm.*\n"
	"; conditions that an executor has to meet, with commas between: a pattern of its name,\n"
	"; device=PATTERN, LAYER=PATTERN (name, or name and version), LAYER.FIELD=PATTERN\n"
	"a = host:*, compiler=clang*\n"
	"b = host:*, compiler=gcc*\n"
	"; speed (1/time) or time\n"
	"metric = speed\n"
	"; at-least, at-most, within (need a factor), faster, slower, equivalent\n"
	"relation = at-least\n"
	"factor = 1.2\n"
	"; all, any or mean (geometric) of the cases\n"
	"over = all\n"
	"; stack, or the one layer that the claim is about\n"
	"subject = compiler\n";

/* ---- finding and checking -------------------------------------------------------------------- */

static char *path_of(const char *name)
{
	char *folder, *file, *path;

	if (strchr(name, '/') != NULL || file_exists(name))
		return memory_text(name);
	folder = paths_data("claims");
	file = memory_format("%s.ini", name);
	path = path_join(folder, file);
	free(file);
	free(folder);
	if (file_exists(path))
		return path;
	free(path);
	return memory_text(name);
}

static eh_status read_claim(const char *name, claim **out, eh_error *error)
{
	char *path = path_of(name);
	eh_status status;

	if (strchr(path, '/') == NULL && !file_exists(path))
		status = error_set(error, EH_E_NOT_FOUND, "there is no claim '%s', installed or as a file "
		                   "here; `evenhand claim list` names the installed ones", name);
	else
		status = claim_read(path, out, error);
	free(path);
	return status;
}

/* Whether the protocol that is found by the name, where it is the same version, has what the claim
 * names. */
static eh_status fits_protocol(const claim *c, const char *source, eh_error *error)
{
	protocol *p = NULL;
	plan *made = NULL;
	eh_error missing = ERROR_INIT;
	eh_status status = EH_OK;
	bool named = false;

	if (protocol_find(c->protocol, &p, &missing) != EH_OK)
		return EH_OK;
	if (p->version == c->version &&
	    plan_make(p, plugin_find_workload, NULL, &made, &missing) == EH_OK) {
		for (size_t i = 0; i < made->case_count; i++)
			named = named || claim_names_case(c, made->cases[i].id);
		if (!named)
			status = error_set(error, EH_E_USAGE, "%s: %s@%llu has no case of cases = %s", source,
			                   c->protocol, (unsigned long long)c->version, c->cases);
		else if (c->digest != NULL && strcmp(c->digest, made->digest) != 0)
			status = error_set(error, EH_E_USAGE, "%s: %s@%llu has the digest %s here", source,
			                   c->protocol, (unsigned long long)c->version, made->digest);
	}
	plan_free(made);
	protocol_free(p);
	return status;
}

static void print(cJSON *root)
{
	char *body = json_text(root, true);

	puts(body);
	free(body);
	cJSON_Delete(root);
}

static int check(const char *const *names, size_t count, bool json)
{
	cJSON *list = cJSON_CreateArray();
	int code = EXIT_CODE_OK;

	for (size_t i = 0; i < count; i++) {
		eh_error error = ERROR_INIT;
		claim *c = NULL;
		eh_status status = read_claim(names[i], &c, &error);

		if (status == EH_OK)
			status = fits_protocol(c, names[i], &error);
		if (status != EH_OK) {
			int one = command_fail(&command_claim, &error);

			/* What cannot be read is no verdict on the claim. */
			code = code > one ? code : one;
		}
		if (status == EH_OK && json)
			cJSON_AddItemToArray(list, layout_encode(claim_layout(), c));
		else if (status == EH_OK)
			(void)report_claim(stdout, c);
		claim_free(c);
	}
	if (json)
		print(list);
	else
		cJSON_Delete(list);
	return command_printed(&command_claim, code);
}

/* A claim that is not sound is listed too, with the reason. */
static void add_listed(table *t, cJSON *all, const char *path, const char *file)
{
	eh_error error = ERROR_INIT;
	claim *c = NULL;

	if (claim_read(path, &c, &error) == EH_OK) {
		char *of = memory_format("%s@%llu", c->protocol, (unsigned long long)c->version);

		table_row(t, (const char *const[]){ c->name, of, c->text });
		cJSON_AddItemToArray(all, layout_encode(claim_layout(), c));
		free(of);
	} else {
		claim_refusal refused = { memory_text(path), memory_text(error.message) };

		table_row(t, (const char *const[]){ file, "refused", error.message });
		cJSON_AddItemToArray(all, layout_encode(claim_refusal_layout(), &refused));
		layout_clear(claim_refusal_layout(), &refused);
	}
	claim_free(c);
}

static int list(bool json)
{
	char *folder = paths_data("claims");
	eh_error error = ERROR_INIT;
	char **names = dir_list(folder, ".ini", &error);
	cJSON *all = cJSON_CreateArray();
	table *t = table_new("lll");

	table_row(t, (const char *const[]){ "claim", "protocol", "what it says" });
	table_rule(t);
	for (size_t i = 0; names != NULL && names[i] != NULL; i++) {
		char *path = path_join(folder, names[i]);

		add_listed(t, all, path, names[i]);
		free(path);
	}
	if (names != NULL && json)
		print(cJSON_Duplicate(all, true));
	else if (names != NULL && names[0] == NULL)
		puts("no claims found; is evenhand installed whole?");
	else if (names != NULL)
		(void)table_print(t, stdout);
	cJSON_Delete(all);
	table_free(t);
	free(folder);
	if (names == NULL)
		return command_fail(&command_claim, &error);
	dir_list_free(names);
	return command_printed(&command_claim, EXIT_CODE_OK);
}

/* ---- deciding -------------------------------------------------------------------------------- */

static int answer(const claim *c, result **results, size_t count, bool json, bool verbose)
{
	static const int codes[] = { [CLAIM_SUPPORTED] = EXIT_CODE_OK, [CLAIM_REFUTED] = EXIT_CODE_NEGATIVE,
		                     [CLAIM_UNDECIDED] = EXIT_CODE_INCONCLUSIVE,
		                     [CLAIM_REFUSED] = EXIT_CODE_NOT_COMPARABLE };
	claim_verdict *v = claim_decide(c, (const result *const *)results, count);
	int code = codes[v->answer];

	v->exit_code = (uint64_t)code;
	if (json)
		print(layout_encode(claim_verdict_layout(), v));
	else
		(void)report_claim_verdict(stdout, v, verbose);
	claim_verdict_free(v);
	return command_printed(&command_claim, code);
}

static int decide(const char *name, const char *const *paths, size_t count, bool json, bool verbose)
{
	result **results = memory_get(count * sizeof(*results));
	claim *c = NULL;
	eh_error error = ERROR_INIT;
	eh_status status = read_claim(name, &c, &error);
	int code;

	for (size_t i = 0; i < count && status == EH_OK; i++)
		status = result_read(paths[i], &results[i], &error);
	code = status == EH_OK ? answer(c, results, count, json, verbose)
	                       : command_fail(&command_claim, &error);
	if (status == EH_E_ALTERED)
		code = EXIT_CODE_NOT_COMPARABLE;
	for (size_t i = 0; i < count; i++)
		result_free(results[i]);
	free(results);
	claim_free(c);
	return code;
}

static int dispatch(const char **words, size_t count, bool json, bool verbose, eh_error *error)
{
	const char *first = count > 0 ? words[0] : "";

	if (count == 0)
		(void)error_set(error, EH_E_USAGE, "which claim?");
	else if ((strcmp(first, "template") == 0 || strcmp(first, "list") == 0) && count > 1)
		(void)error_set(error, EH_E_USAGE, "%s takes no name, but got '%s'", first, words[1]);
	else if (strcmp(first, "template") == 0 && json)
		(void)error_set(error, EH_E_USAGE, "a template is an INI file; it has no JSON");
	else if (strcmp(first, "template") == 0)
		return fputs(template, stdout) == EOF ? EXIT_CODE_ENVIRONMENT :
		       command_printed(&command_claim, EXIT_CODE_OK);
	else if (strcmp(first, "list") == 0)
		return list(json);
	else if (strcmp(first, "check") == 0 && count > 1)
		return check(words + 1, count - 1, json);
	else if (count == 1)
		(void)error_set(error, EH_E_USAGE, "'%s' needs %s", first,
		                strcmp(first, "check") == 0 ? "the file of a claim" : "results to decide on");
	else
		return decide(first, words + 1, count - 1, json, verbose);
	return command_fail(&command_claim, error);
}

static int claim_run(int argc, char **argv)
{
	const char **words = memory_get((size_t)argc * sizeof(*words));
	bool json = false, verbose = log_level() >= EH_LOG_INFO;
	eh_error error = ERROR_INIT;
	size_t count = 0;
	int code = EXIT_CODE_OK;

	for (int i = 1; i < argc && code == EXIT_CODE_OK; i++) {
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
			free(words);
			return command_help(&command_claim);
		}
		if (strcmp(argv[i], "--json") == 0) {
			json = true;
		} else if (strcmp(argv[i], "-v") == 0 || strcmp(argv[i], "--verbose") == 0) {
			verbose = true;
		} else if (argv[i][0] == '-' && argv[i][1] != '\0') {
			(void)error_set(&error, EH_E_USAGE, "unknown flag '%s'", argv[i]);
			code = command_fail(&command_claim, &error);
		} else {
			words[count++] = argv[i];
		}
	}
	if (code == EXIT_CODE_OK)
		code = dispatch(words, count, json, verbose, &error);
	free(words);
	return code;
}

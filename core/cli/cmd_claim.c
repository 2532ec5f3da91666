/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/log.h"
#include "base/paths.h"
#include "base/text.h"
#include "cli/answer.h"
#include "cli/command.h"
#include "cli/input_results.h"
#include "plugin/plugin.h"
#include "protocol/plan.h"
#include "report/claimed.h"
#include "report/report.h"

typedef struct claim_options { bool json; } claim_options;

static const char template_text[] =
	"; What is claimed, so that anybody can decide it.  docs/claims.md explains every key.\n"
	"[claim]\n"
	"name = my-claim\n"
	"text = The new compiler makes the matrix product at least 1.2 times as fast.\n"
	"claimant = Example Inc.\n"
	"published = https://example.org/announcement, 2026-01-31\n"
	"protocol = quick@2\n"
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

/* The plans of a protocol, one for each size class that it has. */
typedef struct plans { plan *items[RECORD_SIZE_LARGE]; size_t count; } plans;

static eh_status make_plans(protocol *p, plans *out, eh_error *error)
{
	eh_status status = EH_OK;

	out->count = 0;
	for (int size = RECORD_SIZE_SMALL; size <= (p->sized ? RECORD_SIZE_LARGE : RECORD_SIZE_SMALL) &&
	     status == EH_OK; size++) {
		protocol_take_size(p, (enum record_size_class)size);
		status = plan_make(p, plugin_find_workload, NULL, &out->items[out->count], error);
		out->count += status == EH_OK;
	}
	return status;
}

static void free_plans(plans *made)
{
	for (size_t i = 0; i < made->count; i++)
		plan_free(made->items[i]);
}

/* malloc'd: a pattern of the claim that fits no case of the plans; NULL: there is none. */
static char *idle_pattern(const claim *c, const plans *made)
{
	const char **ids = NULL;
	size_t count = 0;
	char *idle;

	for (size_t i = 0; i < made->count; i++) {
		const plan *one = made->items[i];

		ids = memory_grow(ids, (count + one->case_count + 1) * sizeof(*ids));
		for (size_t k = 0; k < one->case_count; k++)
			ids[count++] = one->cases[k].id;
	}
	idle = claim_idle_pattern(c, ids, count);
	free(ids);
	return idle;
}

static bool has_digest(const plans *made, const char *digest)
{
	for (size_t i = 0; i < made->count; i++)
		if (strcmp(digest, made->items[i]->digest) == 0)
			return true;
	return false;
}

/* Whether the plans have what the claim names. */
static eh_status fits_plans(const claim *c, const char *source, const plans *made, eh_error *error)
{
	char *idle = idle_pattern(c, made);
	eh_status status = EH_OK;

	if (idle != NULL)
		status = error_set(error, EH_E_USAGE, "%s: no case of %s@%llu fits '%.80s' of cases = "
		                   "%.80s", source, c->protocol, (unsigned long long)c->version, idle,
		                   c->cases);
	else if (c->digest != NULL && !has_digest(made, c->digest))
		status = error_set(error, EH_E_USAGE, "%s: %s@%llu has the digest %s here%s", source,
		                   c->protocol, (unsigned long long)c->version, made->items[0]->digest,
		                   made->count > 1 ? ", and others for larger devices" : "");
	free(idle);
	return status;
}

/* Whether the protocol that is found by the name, where it is the same version, has what the claim
 * names. */
static eh_status fits_protocol(const claim *c, const char *source, eh_error *error)
{
	protocol *p = NULL;
	plans made = { .count = 0 };
	eh_error missing = ERROR_INIT;
	eh_status status = EH_OK;

	if (protocol_find(c->protocol, &p, &missing) != EH_OK)
		return EH_OK;
	if (p->version == c->version && make_plans(p, &made, &missing) == EH_OK)
		status = fits_plans(c, source, &made, error);
	free_plans(&made);
	protocol_free(p);
	return status;
}

/* Reads one claim into *out, which has the claim or why it is not sound. */
static eh_status check_one(const char *name, answer_claim *out, eh_error *error)
{
	eh_status status = read_claim(name, &out->claim, error);

	if (status == EH_OK)
		status = fits_protocol(out->claim, name, error);
	text_set(&out->file, name);
	if (status != EH_OK)
		text_set(&out->error, error->message);
	return status;
}

static eh_status check(cli_call *call, eh_error *unused)
{
	const claim_options *o = call->options;
	answer_claim_list all = { 0 };

	(void)unused;
	for (size_t i = 0; i < call->count; i++) {
		answer_claim *one = layout_append(answer_claim_layout(), &all);
		eh_error error = ERROR_INIT;
		eh_status status = check_one(call->words[i], one, &error);

		if (status != EH_OK)
			command_unsound(call, status, !o->json, &error);
		else if (!o->json)
			(void)report_claim(stdout, one->claim);
	}
	if (o->json)
		command_layout_list(answer_claim_layout(), &all);
	layout_list_clear(answer_claim_layout(), &all);
	return EH_OK;
}

static void print_claims(const answer_claim_list *all)
{
	table *t = table_new("nlw");

	table_head(t, (const char *const[]){ "claim", "protocol", "what it says" });
	table_rule(t);
	for (size_t i = 0; i < all->count; i++) {
		const answer_claim *one = &all->items[i];
		const claim *c = one->claim;
		char *of = c == NULL ? memory_text("refused") :
		           memory_format("%s@%llu", c->protocol, (unsigned long long)c->version);

		table_row(t, (const char *const[]){ c != NULL ? c->name : strrchr(one->file, '/') + 1, of,
		                                    c != NULL ? c->text : one->error });
		free(of);
	}
	(void)table_print(t, stdout);
	table_free(t);
}

/* A claim that is not sound is listed too, with the reason. */
static eh_status list(cli_call *call, eh_error *error)
{
	const claim_options *o = call->options;
	char *folder = paths_data("claims"), **names = dir_list(folder, ".ini", error);
	answer_claim_list all = { 0 };

	for (size_t i = 0; names != NULL && names[i] != NULL; i++) {
		answer_claim *one = layout_append(answer_claim_layout(), &all);
		eh_error why = ERROR_INIT;

		one->file = path_join(folder, names[i]);
		if (claim_read(one->file, &one->claim, &why) != EH_OK)
			text_set(&one->error, why.message);
	}
	if (names != NULL && o->json)
		command_layout_list(answer_claim_layout(), &all);
	else if (names != NULL && all.count == 0)
		puts("no claims found; is evenhand installed whole?");
	else if (names != NULL)
		print_claims(&all);
	layout_list_clear(answer_claim_layout(), &all);
	free(folder);
	if (names == NULL)
		return error->code;
	dir_list_free(names);
	return EH_OK;
}

static eh_status template(cli_call *call, eh_error *error)
{
	(void)call;
	(void)error;
	(void)fputs(template_text, stdout);
	return EH_OK;
}

/* ---- deciding -------------------------------------------------------------------------------- */

static eh_status answer(cli_call *call, const claim *c, result *const *results, size_t count,
                        bool json, eh_error *error)
{
	static const int codes[] = { [CLAIM_SUPPORTED] = EXIT_CODE_OK, [CLAIM_REFUTED] = EXIT_CODE_NEGATIVE,
		                     [CLAIM_UNDECIDED] = EXIT_CODE_INCONCLUSIVE,
		                     [CLAIM_REFUSED] = EXIT_CODE_NOT_COMPARABLE };
	claim_verdict *v = claim_decide(c, (const result *const *)results, count, error);

	if (v == NULL)
		return error->code;
	call->code = codes[v->answer];
	v->exit_code = (uint64_t)call->code;
	if (json)
		command_layout(claim_verdict_layout(), v);
	else
		(void)report_claim_verdict(stdout, v, log_level() >= EH_LOG_INFO);
	claim_verdict_free(v);
	return EH_OK;
}

static eh_status decide(cli_call *call, eh_error *error)
{
	const claim_options *o = call->options;
	cli_input *inputs = NULL;
	claim *c = NULL;
	eh_status status = read_claim(call->words[0], &c, error);

	if (status == EH_OK)
		status = cli_inputs_read(call->words + 1, call->count - 1, &inputs, error);
	if (status == EH_OK) {
		size_t count;
		result **all = cli_inputs_all(inputs, call->count - 1, &count);

		status = answer(call, c, all, count, o->json, error);
		free(all);
		cli_inputs_free(inputs, call->count - 1);
	}
	claim_free(c);
	return status;
}

enum { DECIDE, CHECK, LIST, TEMPLATE };

const cli_command cmd_claim = {
	.name = "claim",
	.group = CLI_ANALYSIS,
	.summary = "say whether results support or refute what somebody claims",
	.about = "A claim is an INI file (docs/claims.md): which executors, which cases of which "
	         "protocol, what relation between them, who says so. CLAIM is a path, or a name "
	         "that `list` shows. The contract and the statistics decide.",
	.forms = (const cli_form[]){
		{ NULL,
		  { { "CLAIM", .kind = OPTION_CLAIM }, { "RESULT", .kind = OPTION_PATH, .many = true } },
		  NULL, decide },
		{ "check", { { "CLAIM", .kind = OPTION_CLAIM, .many = true } },
		  "say whether files are sound claims, and fit the protocol where it is here",
		  check },
		{ "list", { { 0 } }, "list the claims of the installation", list },
		{ "template", { { 0 } }, "print a claim to begin with", template }, { 0 } },
	.options = (const cli_option[]){
		{ "json", OPTION_FLAG, offsetof(claim_options, json),
		  .about = "print JSON",
		  .forms = CLI_FORM(DECIDE) | CLI_FORM(CHECK) | CLI_FORM(LIST) },
		{ "verbose", OPTION_VERBOSE, 0,
		  .about = "also print rules that hold without qualifying anything",
		  .forms = CLI_FORM(DECIDE), .letter = 'v' }, { 0 } },
	.size = sizeof(claim_options),
	.items_title = "Answers",
	.items = (const cli_item[]){
		{ "supported", "every sound reading of the results says so" },
		{ "refuted", "every sound reading says the opposite" },
		{ "undecided",
		  "the interval holds both, executions are too few, or results are missing or "
		  "ambiguous" },
		{ "refused",
		  "the contract refuses the comparison, or a claim about one layer is confounded "
		  "because more differs" }, { NULL, NULL } },
	.exits = (const cli_item[]){
		{ "0", "supported; check: sound" },
		{ "1", "refuted" },
		{ "2", "undecided" },
		{ "3", "refused, or a result was altered" },
		{ "4", "wrong usage, a pattern that fits no case, or a file is no claim or no result" }, { NULL, NULL } },
	.examples = (const char *const[]){
		"evenhand claim clang-gemm results/today",
		"evenhand claim template > mine.ini; evenhand claim check mine.ini", NULL },
	.altered = EXIT_CODE_NOT_COMPARABLE,
};

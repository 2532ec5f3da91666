/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "audit/agreement.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/agreements.h"
#include "cli/answer.h"
#include "cli/command.h"
#include "plugin/plugin.h"
#include "protocol/plan.h"
#include "protocol/schema.h"

typedef struct agree_options {
	const char *team, *key, *out, *cache; /* NULL: not given                               */
	uint64_t units;
	int size_class;      /* where --class is given: index of its words                    */
	bool json;
} agree_options;

/* ---- the plan that is agreed on -------------------------------------------------------------- */

/* A plan follows from the sizes, so they are part of what is signed. */
static eh_status refuse_open(const protocol *p, const char *what, const char *option, eh_error *error)
{
	return error_set(error, EH_E_USAGE, "%s@%llu takes %s from the devices of a run, and an agreement is to "
	                 "one plan: add %s here, and the same to `evenhand run`", p->name,
	                 (unsigned long long)p->version, what, option);
}

static eh_status take_cache(const agree_options *o, protocol *p, eh_error *error)
{
	uint64_t size;

	if (o->cache == NULL && p->scales[PROTOCOL_CACHE].used)
		return refuse_open(p, "the size of a cache", "--cache SIZE", error);
	if (o->cache == NULL)
		return EH_OK;
	if (!text_parse_bytes(o->cache, &size) || size == 0)
		return error_set(error, EH_E_USAGE, "--cache is a size such as 64MiB, not '%.40s'", o->cache);
	protocol_take_scale(p, PROTOCOL_CACHE, size);
	return EH_OK;
}

static eh_status take_sizes(const cli_call *call, protocol *p, eh_error *error)
{
	const agree_options *o = call->options;
	bool sized = command_given(call, "class");

	if (p->sized && !sized)
		return refuse_open(p, "the size of its problems", "--class small|medium|large", error);
	if (p->scales[PROTOCOL_UNITS].used && o->units == 0)
		return refuse_open(p, "the number of compute units", "--units N", error);
	if (sized)
		protocol_take_size(p, (enum record_size_class)(RECORD_SIZE_SMALL + o->size_class));
	protocol_take_scale(p, PROTOCOL_UNITS, o->units);
	return take_cache(o, p, error);
}

/* ---- the command ----------------------------------------------------------------------------- */

static void print_agreed(const agree_options *o, const answer_agreement *a)
{
	const record_agreement *s = &a->agreement;

	if (o->json) {
		command_layout(answer_agreement_layout(), a);
		return;
	}
	command_put(stdout, "%s: %s %s to %s@%llu, digest %s\n", a->file, s->team,
	            a->already ? "had agreed already" : "agrees", s->protocol, (unsigned long long)s->version,
	            s->digest);
	command_put(stdout, "signed at %s by the key with the fingerprint %s\n", s->time, s->fingerprint);
}

/* malloc'd "DIR/quick-2.nvidia.agreement". */
static char *default_path(const char *word, const agreement_subject *s)
{
	char *place = agreements_place(word);
	char *name = memory_format("%s-%llu.%s" AGREEMENT_SUFFIX, s->protocol, (unsigned long long)s->version,
	                           s->team);
	char *path = strcmp(place, ".") == 0 && strchr(word, '/') == NULL ? memory_text(name) :
	             path_join(place, name);

	free(name);
	free(place);
	return path;
}

static eh_status sign(const agree_options *o, const char *word, const agreement_subject *s, eh_error *error)
{
	answer_agreement a;
	audit_key *key = NULL;
	eh_status status;

	if (!audit_name_ok(o->team))
		return error_set(error, EH_E_USAGE, "'%.80s' is not a valid name of a team: use up to 64 small "
		                 "letters, digits, '-', '_' and '.'", o->team);
	status = audit_key_open(o->key != NULL ? o->key : o->team, &key, error);
	layout_init(answer_agreement_layout(), &a);
	a.file = o->out != NULL ? memory_text(o->out) : default_path(word, s);
	if (status == EH_OK)
		status = agreement_sign(a.file, s, key, &a.agreement, &a.already, error);
	if (status == EH_OK)
		print_agreed(o, &a);
	layout_clear(answer_agreement_layout(), &a);
	audit_key_close(key);
	return status;
}

static eh_status agree(cli_call *call, eh_error *error)
{
	const agree_options *o = call->options;
	protocol *p = NULL;
	plan *made = NULL;
	eh_status status = protocol_find(call->words[0], &p, error);

	if (status == EH_OK)
		status = take_sizes(call, p, error);
	if (status == EH_OK)
		status = plan_make(p, plugin_find_workload, NULL, &made, error);
	if (status == EH_OK)
		status = sign(o, call->words[0], &(agreement_subject){ p->name, p->version, made->digest, o->team },
		              error);
	plan_free(made);
	protocol_free(p);
	return status;
}

const cli_command cmd_agree = {
	.name = "agree",
	.group = CLI_EVIDENCE,
	.summary = "sign a team's agreement to a protocol, before anybody measures",
	.about = "Signs the digest of the protocol, so that nobody can choose the protocol after seeing the "
	         "numbers. The file, NAME-VERSION.TEAM.agreement, lies beside the protocol, or in the current "
	         "folder where PROTOCOL is a name. Each team signs, and the teams exchange protocol, files and "
	         "public keys. `evenhand run` records the agreements that lie there when it begins; `compare "
	         "--agreed TEAM,TEAM` refuses results that do not have one of each team. TEAM is a name of a "
	         "key: of your own here, and of one that is trusted (`evenhand key trust FILE --name TEAM`) "
	         "where results are compared. The name in the file alone proves nothing.\n\n"
	         "No other agreement is overwritten. An agreement cannot be taken back; docs/agreement.md says "
	         "what it proves and what it does not. A protocol whose sizes follow the devices needs "
	         "--class, --cache or --units, here and for `run`. A key with a passphrase takes it from "
	         "EVENHAND_KEY_PASSPHRASE or asks at the terminal.",
	.forms = (const cli_form[]){
		{ NULL, { { "PROTOCOL", .kind = OPTION_PROTOCOL } }, NULL, agree }, { 0 } },
	.options = (const cli_option[]){
		{ "as", OPTION_TEXT, offsetof(agree_options, team), .about = "the team that agrees",
		  .value = "TEAM", .required = true },
		{ "key", OPTION_KEY, offsetof(agree_options, key),
		  .about = "an own key, or a PEM file (with a /); without it the own key called TEAM",
		  .value = "NAME" },
		{ "output", OPTION_PATH, offsetof(agree_options, out), .about = "the file to write",
		  .value = "FILE", .letter = 'o' },
		{ "class", OPTION_WORD, offsetof(agree_options, size_class),
		  .words = (const char *const[]){ "small", "medium", "large", NULL },
		  .about = "size of the problems, where the protocol has several" },
		{ "cache", OPTION_TEXT, offsetof(agree_options, cache),
		  .about = "last-level cache that sizes in caches follow", .value = "SIZE" },
		{ "units", OPTION_NUMBER, offsetof(agree_options, units),
		  .about = "compute units that numbers in units follow", .value = "N", .low = 1,
		  .high = SCHEMA_UNITS_MOST },
		CLI_JSON(agree_options), { 0 } },
	.size = sizeof(agree_options),
	.exits = (const cli_item[]){
		{ "4", "wrong usage, no such protocol or key, or another agreement is there" },
		{ "5", "the folder cannot be written, or a key that others could have changed or read" },
		{ NULL, NULL } },
	.examples = (const char *const[]){
		"evenhand key new nvidia",
		"evenhand agree match.ini --as nvidia",
		"evenhand agree gpu-quick --as amd --key lab --class large",
		"evenhand compare a.json b.json --agreed nvidia,amd", NULL },
};

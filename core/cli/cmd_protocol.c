/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/files.h"
#include "base/text.h"
#include "cli/answer.h"
#include "cli/command.h"
#include "plugin/plugin.h"
#include "protocol/plan.h"
#include "protocol/schema.h"
#include "report/report.h"

typedef struct protocol_options { bool json; } protocol_options;

typedef struct loaded {
	protocol *p;
	plan *plan;
} loaded;

static void loaded_free(loaded *l)
{
	plan_free(l->plan);
	protocol_free(l->p);
	*l = (loaded){ 0 };
}

/* By name or path; a file is taken as a path whatever it is called. */
static eh_status load(const char *name, bool file, loaded *out, eh_error *error)
{
	eh_status status;

	*out = (loaded){ 0 };
	status = file ? protocol_read(name, &out->p, error) : protocol_find(name, &out->p, error);
	if (status == EH_OK)
		status = plan_make(out->p, plugin_find_workload, NULL, &out->plan, error);
	if (status != EH_OK)
		loaded_free(out);
	return status;
}

/* ---- list ------------------------------------------------------------------------------------ */

/* The name by which protocol_find knows the path. */
static char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *file = slash != NULL ? slash + 1 : path;

	return memory_format("%.*s", (int)(strlen(file) - strlen(".ini")), file);
}

static void look_at(const char *path, answer_protocol *out)
{
	eh_error error = ERROR_INIT;
	protocol *p = NULL;

	out->name = name_of(path);
	text_set(&out->path, path);
	if (protocol_read(path, &p, &error) != EH_OK) {
		text_set(&out->error, error.message);
		return;
	}
	text_set(&out->protocol, p->name);
	out->version = p->version;
	text_set(&out->intent, p->intent);
	protocol_free(p);
}

static void print_listed(const answer_protocol_list *all)
{
	table *t = table_new("llw");

	for (size_t i = 0; i < all->count; i++) {
		const answer_protocol *one = &all->items[i];
		char *identity = one->error != NULL ? memory_text("refused") :
		                 memory_format("%s@%llu", one->protocol, (unsigned long long)one->version);

		table_row(t, (const char *const[]){ one->name, identity,
		                                    one->error != NULL ? one->error : one->intent });
		free(identity);
	}
	(void)table_print(t, stdout);
	table_free(t);
}

static eh_status list(cli_call *call, eh_error *unused)
{
	const protocol_options *o = call->options;
	char **paths = protocol_list();
	answer_protocol_list all = { 0 };

	(void)unused;
	for (char **path = paths; *path != NULL; path++)
		look_at(*path, layout_append(answer_protocol_layout(), &all));
	if (o->json)
		command_layout_list(answer_protocol_layout(), &all);
	else if (all.count == 0)
		puts("no protocols found; is evenhand installed whole?");
	else
		print_listed(&all);
	layout_list_clear(answer_protocol_layout(), &all);
	dir_list_free(paths);
	return EH_OK;
}

/* ---- show ------------------------------------------------------------------------------------ */

static void print_settings(const schema_key *keys, const void *object, const char *const *skip)
{
	table *t = table_new("lw");

	for (; keys->key != NULL; keys++) {
		char *value = schema_text(keys, object);
		bool shown = value[0] != '\0';

		for (const char *const *s = skip; *s != NULL; s++)
			shown = shown && strcmp(*s, keys->key) != 0;
		if (shown) {
			char *key = memory_format("  %s", keys->key);

			table_row(t, (const char *const[]){ key, value });
			free(key);
		}
		free(value);
	}
	table_print(t, stdout);
	table_free(t);
}

/* What the section measures in another way than [measure] says; malloc'd, may be empty. */
static char *differences(const protocol *p, const protocol_section *section)
{
	text t = { 0 };

	text_add(&t, "%s", "");
	for (const schema_key *key = schema_measure; key->key != NULL; key++) {
		char *own = schema_text(key, &section->measure);
		char *common = schema_text(key, &p->measure);

		if (strcmp(own, common) != 0)
			text_add(&t, "%s%s = %s", t.size > 0 ? ", " : "", key->key, own);
		free(own);
		free(common);
	}
	return t.data;
}

static void print_cases(const plan *made)
{
	table *t = table_new("nllrrw");

	table_head(t, (const char *const[]){ "case", "workload", "precision", "working set", "work",
	                                    "parameters" });
	table_rule(t);
	for (size_t i = 0; i < made->case_count; i++) {
		const plan_case *c = &made->cases[i];
		char set[40], amount[40];
		text parameters = { 0 };

		text_add(&parameters, "%s", "");
		for (uint32_t v = 0; v < c->values.value_count; v++)
			text_add(&parameters, "%s%s=%s", v > 0 ? " " : "", c->values.values[v].key,
			         c->values.values[v].text);
		text_format_si((double)c->work.working_set_bytes, "B", set);
		if (c->work.metric == EH_METRIC_SECONDS)
			snprintf(amount, sizeof(amount), "%.0f times", c->work.amount);
		else
			text_format_si(c->work.amount,
			               c->work.metric == EH_METRIC_FLOP_PER_SECOND ? "flop" : "B", amount);
		table_row(t, (const char *const[]){ c->id, c->workload->name, c->work.precision, set,
		                                    amount, parameters.data });
		text_free(&parameters);
	}
	table_print(t, stdout);
	table_free(t);
}

static void print_protocol(const loaded *l)
{
	static const char *const in_title[] = { "name", "version", "intent", NULL };
	static const char *const none[] = { NULL };

	printf("%s@%llu  %s\n", l->p->name, (unsigned long long)l->p->version, l->p->source);
	(void)table_sentence(stdout, l->p->intent);
	printf("sha256 %s\n\nrun\n", l->plan->digest);
	print_settings(schema_protocol, l->p, in_title);
	puts("\nmeasurement");
	print_settings(schema_measure, &l->p->measure, none);
	for (size_t i = 0; i < l->p->section_count; i++) {
		char *other = differences(l->p, &l->p->sections[i]);

		if (other[0] != '\0')
			printf("  in [case %s]: %s\n", l->p->sections[i].name, other);
		free(other);
	}
	printf("\n%zu case%s\n", l->plan->case_count, l->plan->case_count == 1 ? "" : "s");
	print_cases(l->plan);
}

static eh_status show(cli_call *call, eh_error *error)
{
	const protocol_options *o = call->options;
	loaded l;
	eh_status status = load(call->words[0], false, &l, error);

	if (status != EH_OK)
		return status;
	if (o->json)
		command_layout(answer_plan_layout(), &(answer_plan){ *l.plan->canonical, l.plan->digest });
	else
		print_protocol(&l);
	loaded_free(&l);
	return EH_OK;
}

/* Why a file cannot be checked, where a name or a folder was given instead. */
static eh_status refuse_other(const char *given, eh_status status, eh_error *error)
{
	struct stat info;
	char **paths;

	if (stat(given, &info) == 0) {
		if (!S_ISDIR(info.st_mode))
			return status;
		return error_set(error, EH_E_USAGE, "%s is a folder; check takes files, e.g. "
		                 "%s/NAME.ini", given, strcmp(given, "/") == 0 ? "" : given);
	}
	paths = protocol_list();
	for (char **path = paths; *path != NULL; path++) {
		char *name = name_of(*path);
		bool same = strcmp(name, given) == 0;

		free(name);
		if (!same)
			continue;
		status = error_set(error, EH_E_USAGE, "check takes a file; the protocol of that name "
		                   "is %s", *path);
		break;
	}
	dir_list_free(paths);
	return status;
}

/* ---- check and digest ------------------------------------------------------------------------ */

/* Checks one file and fills *out; prints it unless `json`. */
static eh_status check_one(const char *file, bool json, answer_protocol_check *out, eh_error *error)
{
	loaded l;
	eh_status status = load(file, true, &l, error);

	text_set(&out->file, file);
	out->sound = status == EH_OK;
	if (status != EH_OK) {
		if (status == EH_E_IO)
			status = refuse_other(file, status, error);
		text_set(&out->error, error->message);
		return status;
	}
	text_set(&out->name, l.p->name);
	out->version = l.p->version;
	out->cases = l.plan->case_count;
	text_set(&out->digest, l.plan->digest);
	if (!json)
		command_put(stdout, "%s: %s@%llu, %zu case%s, sha256 %s\n", file, l.p->name,
		            (unsigned long long)l.p->version, l.plan->case_count,
		            l.plan->case_count == 1 ? "" : "s", l.plan->digest);
	loaded_free(&l);
	return EH_OK;
}

static eh_status check(cli_call *call, eh_error *unused)
{
	const protocol_options *o = call->options;
	answer_protocol_check_list all = { 0 };

	(void)unused;
	for (size_t i = 0; i < call->count; i++) {
		answer_protocol_check *one = layout_append(answer_protocol_check_layout(), &all);
		eh_error error = ERROR_INIT;
		eh_status status = check_one(call->words[i], o->json, one, &error);

		if (status != EH_OK)
			command_unsound(call, status, !o->json, &error);
	}
	if (o->json)
		command_layout_list(answer_protocol_check_layout(), &all);
	layout_list_clear(answer_protocol_check_layout(), &all);
	return EH_OK;
}

static eh_status digest(cli_call *call, eh_error *error)
{
	const protocol_options *o = call->options;
	loaded l;
	eh_status status = load(call->words[0], false, &l, error);

	if (status != EH_OK)
		return status;
	if (o->json)
		command_layout(answer_protocol_digest_layout(), &(answer_protocol_digest){
			l.p->name, l.p->version, l.plan->digest });
	else
		puts(l.plan->digest);
	loaded_free(&l);
	return EH_OK;
}

const cli_command cmd_protocol = {
	.name = "protocol",
	.group = CLI_EVERYDAY,
	.summary = "list, show and check protocols",
	.about = "A protocol is the INI file that declares what is run and how it is measured; "
	         "docs/protocol.md has the format. NAME is one that `list` shows, or a path.",
	.forms = (const cli_form[]){
		{ "list", { { 0 } },
		  "list the protocols of the user's data folder and of the installation", list },
		{ "show", { { "NAME", .kind = OPTION_PROTOCOL } },
		  "print the settings and every case with its parameters resolved", show },
		{ "check", { { "FILE", .kind = OPTION_PATH, .many = true } },
		  "say of each file whether it is a sound protocol", check },
		{ "digest", { { "NAME", .kind = OPTION_PROTOCOL } },
		  "print the SHA-256 of the canonical form, which is the same for every file that "
		  "declares the same measurement", digest }, { 0 } },
	.options = (const cli_option[]){
		{ "json", OPTION_FLAG, offsetof(protocol_options, json),
		  .about = "print JSON; show: the canonical form and its digest" },
		{ 0 } },
	.size = sizeof(protocol_options),
	.exits = (const cli_item[]){
		{ "4", "check: a file is no sound protocol" }, { NULL, NULL } },
	.examples = (const char *const[]){ "evenhand protocol show quick", "evenhand protocol check my.ini", NULL },
};

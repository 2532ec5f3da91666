/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/files.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "plugin/plugin.h"
#include "protocol/plan.h"
#include "protocol/schema.h"
#include "report/report.h"

static int protocol_run(int argc, char **argv);

const command command_protocol = {
	.name = "protocol",
	.summary = "list, show and check protocols",
	.help =
	"usage: evenhand protocol list [--json]\n"
	"       evenhand protocol show NAME [--json]\n"
	"       evenhand protocol check FILE... [--json]\n"
	"       evenhand protocol digest NAME [--json]\n"
	"\n"
	"A protocol is the INI file that declares what is run and how it is measured; the\n"
	"format is in docs/protocol.md.  NAME is one of those that `list` shows, or a path.\n"
	"\n"
	"  list    the protocols in the user's data folder and of the installation\n"
	"  show    the settings and every case, with parameters resolved\n"
	"  check   says of each file whether it is a sound protocol; exit code 4 if one is not\n"
	"  digest  the SHA-256 of the canonical form: the same for every file that declares\n"
	"          the same measurement, however it is spelt\n"
	"\n"
	"  --json  print JSON (show: the canonical form that the digest is made from)\n"
	"\n"
	"Examples:\n"
	"  evenhand protocol show quick\n"
	"  evenhand protocol check my.ini\n",
	.run = protocol_run,
};

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

static int fail(eh_status status, const eh_error *error)
{
	eh_error told = *error;

	told.code = status;
	return command_fail(&command_protocol, &told);
}

static int finish(int code)
{
	return command_printed(&command_protocol, code);
}

static void print_json(cJSON *json)
{
	char *out = json_text(json, true);

	puts(out);
	free(out);
	cJSON_Delete(json);
}

/* ---- list ------------------------------------------------------------------------------------ */

/* The name by which protocol_find knows the path. */
static char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *file = slash != NULL ? slash + 1 : path;

	return memory_format("%.*s", (int)(strlen(file) - strlen(".ini")), file);
}

static int list(bool json)
{
	char **paths = protocol_list();
	cJSON *all = cJSON_CreateArray();
	table *t = table_new("lll");

	for (char **path = paths; *path != NULL; path++) {
		eh_error error = ERROR_INIT;
		char *name = name_of(*path);
		char *identity = NULL;
		cJSON *item = cJSON_CreateObject();
		protocol *p = NULL;
		const char *says = error.message;

		json_add_string(item, "name", name);
		json_add_string(item, "path", *path);
		if (protocol_read(*path, &p, &error) == EH_OK) {
			identity = memory_format("%s@%llu", p->name, (unsigned long long)p->version);
			says = p->intent;
			json_add_string(item, "protocol", p->name);
			json_add_uint(item, "version", p->version);
			json_add_string(item, "intent", p->intent);
		} else {
			json_add_string(item, "error", error.message);
		}
		table_row(t, (const char *const[]){ name, identity != NULL ? identity : "refused", says });
		cJSON_AddItemToArray(all, item);
		protocol_free(p);
		free(identity);
		free(name);
	}
	if (json) {
		print_json(all);
	} else {
		if (paths[0] == NULL)
			puts("no protocols found; is evenhand installed whole?");
		table_print(t, stdout);
		cJSON_Delete(all);
	}
	table_free(t);
	dir_list_free(paths);
	return finish(EXIT_CODE_OK);
}

/* ---- show ------------------------------------------------------------------------------------ */

static void print_settings(const schema_key *keys, const void *object, const char *const *skip)
{
	table *t = table_new("ll");

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
	table *t = table_new("lllrrl");

	table_row(t, (const char *const[]){ "case", "workload", "precision", "working set", "work",
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

static int show(const char *name, bool json)
{
	static const char *const in_title[] = { "name", "version", "intent", NULL };
	static const char *const none[] = { NULL };
	eh_error error = ERROR_INIT;
	loaded l;
	eh_status status = load(name, false, &l, &error);
	char *intent;

	if (status != EH_OK)
		return fail(status, &error);
	if (json) {
		cJSON *out = layout_encode(record_plan_layout(), l.plan->canonical);

		json_set(out, "digest", cJSON_CreateString(l.plan->digest));
		print_json(out);
		loaded_free(&l);
		return finish(EXIT_CODE_OK);
	}
	intent = table_clean(l.p->intent);
	printf("%s@%llu  %s\n%s\nsha256 %s\n\nrun\n", l.p->name, (unsigned long long)l.p->version,
	       l.p->source, intent, l.plan->digest);
	free(intent);
	print_settings(schema_protocol, l.p, in_title);
	puts("\nmeasurement");
	print_settings(schema_measure, &l.p->measure, none);
	for (size_t i = 0; i < l.p->section_count; i++) {
		char *other = differences(l.p, &l.p->sections[i]);

		if (other[0] != '\0')
			printf("  in [case %s]: %s\n", l.p->sections[i].name, other);
		free(other);
	}
	printf("\n%zu case%s\n", l.plan->case_count, l.plan->case_count == 1 ? "" : "s");
	print_cases(l.plan);
	loaded_free(&l);
	return finish(EXIT_CODE_OK);
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

static int check(int count, char **files, bool json)
{
	cJSON *all = cJSON_CreateArray();
	int code = EXIT_CODE_OK;

	for (int i = 0; i < count; i++) {
		eh_error error = ERROR_INIT;
		cJSON *item = cJSON_CreateObject();
		loaded l;
		eh_status status = load(files[i], true, &l, &error);
		const bool sound = status == EH_OK;

		if (status == EH_E_IO)
			status = refuse_other(files[i], status, &error);
		json_add_string(item, "file", files[i]);
		json_add_bool(item, "sound", sound);
		if (sound) {
			json_add_string(item, "name", l.p->name);
			json_add_uint(item, "version", l.p->version);
			json_add_uint(item, "cases", l.plan->case_count);
			json_add_string(item, "digest", l.plan->digest);
			if (!json)
				printf("%s: %s@%llu, %zu case%s, sha256 %s\n", files[i], l.p->name,
				       (unsigned long long)l.p->version, l.plan->case_count,
				       l.plan->case_count == 1 ? "" : "s", l.plan->digest);
			loaded_free(&l);
		} else {
			/* What cannot be read is no verdict on the protocol. */
			int one = error_exit_code(status);

			code = code > one ? code : one;
			json_add_string(item, "error", error.message);
			if (!json) {
				char *says = table_clean(error.message);

				fprintf(stderr, "evenhand protocol: %s\n", says);
				free(says);
			}
		}
		cJSON_AddItemToArray(all, item);
	}
	if (json)
		print_json(all);
	else
		cJSON_Delete(all);
	return finish(code);
}

static int digest_of(const char *name, bool json)
{
	eh_error error = ERROR_INIT;
	loaded l;
	eh_status status = load(name, false, &l, &error);

	if (status != EH_OK)
		return fail(status, &error);
	if (json) {
		cJSON *out = cJSON_CreateObject();

		json_add_string(out, "name", l.p->name);
		json_add_uint(out, "version", l.p->version);
		json_add_string(out, "digest", l.plan->digest);
		print_json(out);
	} else {
		puts(l.plan->digest);
	}
	loaded_free(&l);
	return finish(EXIT_CODE_OK);
}

/* ---- the command ----------------------------------------------------------------------------- */

static int usage(const char *says, const char *what)
{
	eh_error error = ERROR_INIT;

	return fail(error_set(&error, EH_E_USAGE, "%s%s", says, what), &error);
}

static int refuse_flag(const char *flag)
{
	eh_error error = ERROR_INIT;

	return fail(error_set(&error, EH_E_USAGE, "unknown flag '%s'", flag), &error);
}

static int protocol_run(int argc, char **argv)
{
	static const char *const actions[] = { "list", "show", "check", "digest" };
	char **words = memory_get((size_t)argc * sizeof(*words));
	const char *near;
	bool json = false;
	int count = 0, code;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
			free(words);
			return command_help(&command_protocol);
		}
		if (strcmp(argv[i], "--json") == 0) {
			json = true;
		} else if (argv[i][0] == '-' && argv[i][1] != '\0') {
			code = refuse_flag(argv[i]);
			goto undo_words;
		} else {
			words[count++] = argv[i];
		}
	}
	near = count > 0 ? text_nearest(words[0], actions, 4) : NULL;
	if (count == 0)
		code = usage("list, show, check or digest?", "");
	else if (strcmp(words[0], "list") == 0)
		code = count == 1 ? list(json) : usage("list takes no name, but got ", words[1]);
	else if (strcmp(words[0], "check") == 0)
		code = count > 1 ? check(count - 1, words + 1, json) : usage("check needs a file", "");
	else if (strcmp(words[0], "show") == 0 || strcmp(words[0], "digest") == 0)
		code = count != 2 ? usage(words[0], " needs the name of one protocol") :
		       words[0][0] == 's' ? show(words[1], json) : digest_of(words[1], json);
	else
		code = usage(near != NULL ? "it is list, show, check or digest; did you mean "
		                          : "it is list, show, check or digest, not ",
		             near != NULL ? near : words[0]);
undo_words:
	free(words);
	return code;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/topics.h"

#include <stdio.h>
#include <string.h>

#include "base/layout_describe.h"
#include "cli/answer.h"
#include "cli/manual.h"
#include "cli/tables_page.h"
#include "executor/unrecorded.h"
#include "report/export.h"
#include "report/record_page.h"
#include "report/report.h"

/* ---- tables ---------------------------------------------------------------------------------- */

const cli_item topic_exit_codes[] = {
	{ "0", "success; the answer is yes" },
	{ "1", "the answer is no: a regression, a failed test, a claim refuted; each command says what" },
	{ "2", "no answer: inconclusive, undecided, not signed as required" },
	{ "3", "results are not comparable, or a result was altered" },
	{ "4", "wrong usage: an option, a name, a protocol, a file that is not what it should be" },
	{ "5", "the environment: disk, rights, a missing library, no usable device, stdout that "
	  "cannot be written" },
	{ "6", "interrupted by SIGINT, SIGTERM, SIGHUP, or during a run by a reader of its messages that left; "
	  "`run --resume` completes a run" },
	{ "7", "the run ended, but some rows failed or are invalid, or none has a number" },
	{ "70", "a bug of evenhand" },
	{ NULL, NULL }
};
const char topic_exit_order[] = "Of `compare --fail-on` 1 outweighs 3, and 3 outweighs 2. "
	"Where the reader of stdout leaves (`| head`), a command ends quietly by SIGPIPE, which a shell shows as "
	"141; what was measured is written first.";

const cli_item topic_environment[] = {
	{ "EVENHAND_TESTER", "who measures, for the record" },
	{ "EVENHAND_PARTY", "their part in it: `vendor`, `buyer` or `third-party`" },
	{ "EVENHAND_SPONSOR", "who pays for it, for the record" },
	{ "EVENHAND_SITE", "the site file, instead of site.ini in `$XDG_CONFIG_HOME/evenhand`" },
	{ "EVENHAND_KEY_PASSPHRASE", "opens a private key; `key new --passphrase` encrypts the key with it" },
	{ "EVENHAND_BACKEND_PATH", "folders with backends, with colons between, searched first" },
	{ "EVENHAND_WORKLOAD_PATH", "the same for workloads" },
	{ "EVENHAND_PROBE_PATH", "the same for probes" },
	{ "EVENHAND_CONFORMANCE_PATH", "the same for the conformance suite" },
	{ "EVENHAND_ARCHIVE", "the archive: a file, or postgresql://...; default: `$XDG_DATA_HOME/evenhand/archive.db`" },
	{ "EVENHAND_CACHE_DIR", "compiled kernels, and searches of the tuned tier; default: `$XDG_CACHE_HOME/evenhand`" },
	{ "XDG_CONFIG_HOME",
	  "the subfolder evenhand holds keys, site.ini and owners.ini; default: ~/.config" },
	{ "XDG_CACHE_HOME", "the subfolder evenhand holds compiled kernels; default: ~/.cache" },
	{ "XDG_DATA_HOME", "the subfolder evenhand holds plugins and protocols; default: ~/.local/share" },
	{ "XDG_STATE_HOME", "the subfolder evenhand/noise holds noise floors, evenhand/watch the runs of `watch`; default: "
	                    "~/.local/state" },
	{ "TMPDIR", "where compilers work, `calibrate` keeps its runs, and large files are while they are read: a bundle "
	            "unpacked, up to 1 GiB, and the numbers of a result that is shown or compared, about three times "
	            "its size; default: /tmp, for large files /var/tmp" },
	{ "EVENHAND_PAGER", "the command that shows a page that is longer than the screen, where stdout is a "
	  "terminal; empty or `cat`: none; default: `$PAGER`, or less" },
	{ "PAGER", "the same, for all programs" },
	{ "LESS", "options of less; evenhand sets FRX where it is not set" },
	{ "COLUMNS", "how wide the terminal is, instead of what it says itself" },
	{ "LINES", "how high it is" },
	{ "LC_ALL", "the locale: a terminal gets UTF-8 where it says so, else ASCII" },
	{ "LC_CTYPE", "the same, where LC_ALL is not set" },
	{ "LANG", "the same, where neither is set" },
	{ "TERM", "not set or `dumb`: no colour and no pager" },
	{ "NO_COLOR", "set and not empty: no colour" },
	{ "SOURCE_DATE_EPOCH", "the time that records state, in seconds since 1970; for "
	  "tests. Anything else is ignored with a warning" },
	{ NULL, NULL }
};

const cli_item topic_files[] = {
	{ "results/NAME-VERSION-TIME/", "a run: run.journal and one EXECUTOR.json for each executor" },
	{ "results/NAME-VERSION-guard-TIME/", "a guard: the runs before and after" },
	{ "RESULT.sig, RESULT.amendments", "signatures and amendments of a result" },
	{ "~/.config/evenhand/keys/, trusted/", "own keys, and trusted keys of others" },
	{ "~/.config/evenhand/site.ini, owners.ini", "what this place declares, and which team owns which layer" },
	{ "~/.local/share/evenhand/", "the user's backends, workloads, probes and protocols" },
	{ "~/.local/state/evenhand/noise/", "noise floors that `calibrate` measured" },
	{ "~/.local/state/evenhand/watch/", "runs of `watch --once`" },
	{ "~/.config/systemd/user/evenhand-watch-NAME.*", "service and timer of `watch --systemd`" },
	{ "PREFIX/lib/evenhand/", "backends, workloads, probes; kernels compiled ahead in host-kernels and spirv" },
	{ "PREFIX/share/evenhand/", "protocols, claims, kernel sources, makers.ini; installed lists what `make "
	  "install` put there. PREFIX is found from the program's own place" },
	{ NULL, NULL }
};

/* note may be NULL. */
static void print_items(const cli_item *items, const char *note, bool json)
{
	answer_topic answer = { 0 };

	if (!json) {
		manual_items(stdout, items);
		if (note != NULL)
			(void)(putchar('\n') != EOF && table_sentence(stdout, note));
		return;
	}
	for (; items->term != NULL; items++)
		text_map_add(&answer.items, items->term, items->text);
	text_set(&answer.note, note);
	command_layout(answer_topic_layout(), &answer);
	layout_clear(answer_topic_layout(), &answer);
}

static void print_exit_codes(bool json)
{
	print_items(topic_exit_codes, topic_exit_order, json);
}

static void print_environment(bool json)
{
	print_items(topic_environment, NULL, json);
}

static void print_files(bool json)
{
	print_items(topic_files, NULL, json);
}

/* ---- the contract ---------------------------------------------------------------------------- */

static void print_contract(bool json)
{
	const contract_rule_list *rules = &contract_rules()->rules;
	table *t;

	if (json) {
		command_layout(contract_layout(), contract_rules());
		return;
	}
	t = table_new("llll");
	table_head(t, (const char *[]){ "rule", "asked of a", "it gives", "certified" });
	table_rule(t);
	for (size_t i = 0; i < rules->count; i++) {
		const contract_rule *rule = &rules->items[i];

		table_row(t, (const char *[]){ rule->id, contract_scope_word(rule->scope),
			                       contract_level_word(rule->level),
			                       rule->certified != rule->level ?
			                       contract_level_word(rule->certified) : "" });
		table_note(t, rule->condition);
		table_note(t, rule->why);
	}
	(void)table_print(t, stdout);
	table_free(t);
}

/* ---- the record ------------------------------------------------------------------------------ */

static void print_result(bool json)
{
	if (json)
		command_json(layout_schema(record_result_layout(), "evenhand result, format 1"));
	else
		(void)report_record_page(stdout);
}

/* ---- exports --------------------------------------------------------------------------------- */

static void print_columns(bool json)
{
	const layout *const roots[] = { export_case_layout(), export_sample_layout(), NULL };
	text t = { 0 };

	if (json) {
		command_json(layout_schema(export_case_layout(), "evenhand export --as csv"));
		return;
	}
	layout_markdown(roots, &t);
	(void)fwrite(t.data, 1, t.size - 1, stdout);
	text_free(&t);
}

/* ---- settings -------------------------------------------------------------------------------- */

static void print_settings(bool json)
{
	static const char *const kinds[] = {
		[UNRECORDED_VARIABLE] = "variable", [UNRECORDED_PROGRAM] = "variable of a compiler",
		[UNRECORDED_FILE] = "file" };
	const unrecorded_entry *entries;
	size_t count = unrecorded_table(&entries);
	answer_topic answer = { 0 };
	table *t = table_new("lw");

	table_head(t, (const char *[]){ "not recorded", "because it" });
	table_rule(t);
	for (size_t i = 0; i < count; i++) {
		table_row(t, (const char *[]){ kinds[entries[i].kind], entries[i].reason });
		table_note(t, entries[i].patterns);
		text_map_add(&answer.items, entries[i].patterns, entries[i].reason);
	}
	if (json)
		command_layout(answer_topic_layout(), &answer);
	else
		(void)table_print(t, stdout);
	table_free(t);
	layout_clear(answer_topic_layout(), &answer);
}

/* ---- layers ---------------------------------------------------------------------------------- */

static void show_kinds(const answer_layer_kind_list *kinds)
{
	table *t = table_new("llw");

	table_head(t, (const char *[]){ "layer", "team", "in a site file" });
	table_rule(t);
	for (size_t i = 0; i < kinds->count; i++) {
		const answer_layer_kind *k = &kinds->items[i];

		table_row(t, (const char *[]){ record_layer_kind_word(k->layer),
			                       k->area != record_area_absent ? record_area_word(k->area) : "",
			                       k->example });
		table_note(t, k->sentence);
	}
	(void)table_print(t, stdout);
	table_free(t);
}

static void print_layers(bool json)
{
	const layout_words *words = record_layer_kind_words();
	answer_layer_kind_list kinds = { 0 };

	for (size_t i = 0; i < words->count; i++) {
		answer_layer_kind *k = layout_append(answer_layer_kind_layout(), &kinds);
		const record_layer_traits *traits;

		k->layer = (enum record_layer_kind)words->items[i].value;
		traits = record_layer_traits_of(k->layer);
		k->area = traits->area;
		text_set(&k->example, traits->example);
		text_set(&k->sentence, words->items[i].sentence);
	}
	if (json)
		command_layout_list(answer_layer_kind_layout(), &kinds);
	else
		show_kinds(&kinds);
	layout_list_clear(answer_layer_kind_layout(), &kinds);
}

/* ---- topics ---------------------------------------------------------------------------------- */

const cli_topic cli_topics[] = {
	{ "contract", "the rules that decide whether two results may be compared", print_contract },
	{ "result", "the members of a result, its statuses and flags; with --json its JSON Schema", print_result },
	{ "columns", "the columns of `export --as csv` and `--as samples`; with --json the JSON Schema of the first",
	  print_columns },
	{ "tables", "both, and those of archives, for programs that read them: a module of Python, with --json JSON", tables_page_print },
	{ "layers", "the kinds of layers, whose team owns them, and which a site file declares",
	  print_layers },
	{ "settings", "variables and files that a record leaves out of a stack's settings, and why",
	  print_settings },
	{ "exit-codes", "exit codes of all commands", print_exit_codes },
	{ "environment", "environment variables", print_environment },
	{ "files", "files and folders", print_files },
	{ NULL, NULL, NULL }
};

const cli_topic *topic_find(const char *name)
{
	for (const cli_topic *t = cli_topics; t->name != NULL; t++)
		if (strcmp(t->name, name) == 0)
			return t;
	return NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What may stand at the last word of a command line, for the completion of shells.  One candidate a
 * line: the whole word, a tab, an explanation or nothing; the shell matches them with the last word.
 * The exit code is 10 where file names fit as well.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/claim.h"
#include "audit/audit_key.h"
#include "base/files.h"
#include "base/paths.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/topics.h"
#include "plugin/plugin.h"
#include "protocol/protocol.h"
#include "run/discover.h"

enum { EXIT_CODE_FILES = 10, EXECUTORS_SECONDS = 5 };

/* ---- candidates ------------------------------------------------------------------------------ */

/* Explanations are cut at the line's end, tabs become spaces. */
static void offer(const char *head, const char *word, const char *about)
{
	printf("%s%s\t", head, word);
	for (const char *c = about != NULL ? about : ""; *c != '\0'; c++)
		putchar((unsigned char)*c < 0x20 ? ' ' : *c);
	putchar('\n');
}

static void offer_commands(void)
{
	for (size_t i = 0; cli_commands[i] != NULL; i++)
		if (cli_commands[i]->group != CLI_HIDDEN)
			offer("", cli_commands[i]->name, cli_commands[i]->summary);
}

static void offer_topics(void)
{
	for (const cli_topic *t = cli_topics; t->name != NULL; t++)
		offer("", t->name, t->summary);
}

/* malloc'd: "quick" of "a/quick.ini". */
static char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/'), *file = slash != NULL ? slash + 1 : path;

	return memory_format("%.*s", (int)(strlen(file) - strlen(".ini")), file);
}

static void offer_protocols(const char *head)
{
	char **paths = protocol_list();

	for (char **path = paths; *path != NULL; path++) {
		char *name = name_of(*path);
		protocol *p = NULL;

		offer(head, name, protocol_read(*path, &p, NULL) == EH_OK ? p->intent : "");
		protocol_free(p);
		free(name);
	}
	dir_list_free(paths);
}

static void offer_claims(const char *head)
{
	char *folder = paths_data("claims"), **files = dir_list(folder, ".ini", NULL);

	for (size_t i = 0; files != NULL && files[i] != NULL; i++) {
		char *path = path_join(folder, files[i]), *name = name_of(path);
		claim *c = NULL;

		offer(head, name, claim_read(path, &c, NULL) == EH_OK ? c->text : "");
		claim_free(c);
		free(name);
		free(path);
	}
	if (files != NULL)
		dir_list_free(files);
	free(folder);
}

static void offer_workloads(const char *head)
{
	plugin_file *files;
	size_t count = plugin_search(PLUGIN_WORKLOAD, &files);

	for (size_t i = 0; i < count; i++)
		if (files[i].status == EH_OK)
			offer(head, files[i].name, "");
	plugin_files_free(files, count);
}

static void offer_keys(const char *head)
{
	audit_keyring ring;

	/* Of a ring that cannot be read, those up to the error. */
	(void)audit_keyring_read(&ring, NULL);
	for (size_t i = 0; i < ring.keys.count; i++)
		offer(head, ring.keys.items[i].name, ring.keys.items[i].own ? "yours" : "another's");
	layout_clear(audit_keyring_layout(), &ring);
}

/* Its usable devices; for a list of selectors also the backend. */
static void offer_devices(const char *head, const discover_backend *b, bool selectors)
{
	bool named = false;

	for (size_t d = 0; d < b->devices.count; d++) {
		if (!discover_is(b->devices.items[d].status, EH_OK))
			continue;
		if (selectors && !named)
			offer(head, b->name, "all devices of this backend");
		named = true;
		offer(head, b->devices.items[d].executor, "");
	}
}

/* The usable executors; for a list of selectors also their backends, and all. */
static void offer_executors(const char *head, bool selectors, bool all)
{
	discover_report here;

	layout_init(discover_report_layout(), &here);
	/* Drivers may take their time; nobody waits longer for a list. */
	(void)alarm(EXECUTORS_SECONDS);
	(void)discover(&here, NULL);
	(void)alarm(0);
	for (size_t b = 0; b < here.backends.count; b++)
		offer_devices(head, &here.backends.items[b], selectors);
	if (all)
		offer(head, "all", "every executor");
	layout_clear(discover_report_layout(), &here);
}

/* To a list of selectors one more is added. */
static void offer_selectors(const char *head, const char *last)
{
	const char *comma = strrchr(last, ',');
	char *before = memory_format("%s%.*s", head, comma != NULL ? (int)(comma - last + 1) : 0, last);

	offer_executors(before, true, comma == NULL);
	free(before);
}

/* What a value may be; `head` is what the word has before it ("--on="), `last` what it has of it.
 * True where files fit. */
static bool offer_values(enum option_kind kind, const char *const *words, const char *head,
                         const char *last)
{
	for (size_t i = 0; words != NULL && words[i] != NULL; i++)
		offer(head, words[i], "");
	if (kind == OPTION_TOPIC) {
		offer_commands();
		offer_topics();
	} else if (kind == OPTION_PROTOCOL) {
		offer_protocols(head);
	} else if (kind == OPTION_CLAIM) {
		offer_claims(head);
	} else if (kind == OPTION_WORKLOAD) {
		offer_workloads(head);
	} else if (kind == OPTION_KEY) {
		offer_keys(head);
	} else if (kind == OPTION_EXECUTOR) {
		offer_executors(head, false, false);
	} else if (kind == OPTION_SELECTORS) {
		offer_selectors(head, last);
	}
	return kind == OPTION_PATH || kind == OPTION_PROTOCOL || kind == OPTION_CLAIM || kind == OPTION_KEY;
}

/* ---- where the last word stands -------------------------------------------------------------- */

/* What the words before the last one say. */
typedef struct position {
	const cli_command *command;    /* NULL: it is still to come                             */
	const cli_option *open;        /* the option whose value comes next; NULL               */
	option_list given;             /* arguments so far                                      */
	bool only_words;               /* after --                                              */
} position;

static const cli_option *find_option(const cli_command *c, const char *word, const char **value)
{
	const cli_option *own = option_find(c != NULL ? c->options : cli_program_options, word, value);

	return own != NULL ? own : option_find(cli_common_options, word, value);
}

/* False after a word that is no command. */
static bool read_position(const char *const *words, size_t count, position *p)
{
	for (size_t i = 0; i < count; i++) {
		const char *value = NULL;

		if (p->open != NULL) {
			p->open = NULL;
		} else if (!p->only_words && strcmp(words[i], "--") == 0) {
			p->only_words = true;
		} else if (!p->only_words && words[i][0] == '-' && words[i][1] != '\0') {
			p->open = find_option(p->command, words[i], &value);
			if (p->open != NULL && (value != NULL || !option_takes_value(p->open)))
				p->open = NULL;
		} else if (p->command == NULL) {
			p->command = command_find(words[i]);
			if (p->command == NULL)
				return false;
		} else {
			p->given.items = memory_grow(p->given.items, (p->given.count + 1) * sizeof(char *));
			p->given.items[p->given.count++] = words[i];
		}
	}
	return true;
}

/* Whether the arguments given so far fit the form. */
static bool form_fits(const cli_form *f, const position *p)
{
	bool by_word = f->select != NULL && f->select[0] != '-';

	return !by_word || p->given.count == 0 || strcmp(p->given.items[0], f->select) == 0;
}

/* The argument of the form that the last word is; NULL. */
static const cli_argument *argument_at(const cli_form *f, size_t at)
{
	const cli_argument *a = f->arguments;

	while (a->word != NULL && !a->many && at > 0) {
		a++;
		at--;
	}
	return a->word != NULL ? a : NULL;
}

static bool offer_arguments(const position *p, const char *last)
{
	const cli_argument *seen[16] = { NULL };
	bool files = false;
	size_t count = 0;

	for (const cli_form *f = p->command->forms; f->run != NULL; f++) {
		bool by_word = f->select != NULL && f->select[0] != '-', repeated = false;
		const cli_argument *a;

		if (!form_fits(f, p))
			continue;
		if (by_word && p->given.count == 0) {
			offer("", f->select, f->about);
			continue;
		}
		a = argument_at(f, p->given.count - (by_word ? 1 : 0));
		for (size_t i = 0; a != NULL && i < count; i++)
			repeated = repeated || seen[i]->kind == a->kind;
		if (a == NULL || repeated || count == 16)
			continue;
		seen[count++] = a;
		files = offer_values(a->kind, NULL, "", last) || files;
	}
	return files;
}

static void offer_table(const cli_option *options, const position *p)
{
	for (const cli_option *o = options; o != NULL && o->kind != OPTION_NONE; o++) {
		bool fits = p->command == NULL || options != p->command->options;
		char letter[] = { '-', o->letter, '\0' };

		for (const cli_form *f = fits ? NULL : p->command->forms; f != NULL && f->run != NULL; f++)
			fits = fits || (form_fits(f, p) && command_form_takes(p->command, f, o));
		if (fits && o->name != NULL)
			offer("--", o->name, o->about);
		if (fits && o->letter != 0)
			offer("", letter, o->about);
	}
}

static bool offer_options(const position *p, const char *last)
{
	const char *value = NULL;
	const cli_option *o = strchr(last, '=') != NULL ? find_option(p->command, last, &value) : NULL;
	bool files = false;

	if (o != NULL && value != NULL && option_takes_value(o)) {
		char *head = memory_format("%.*s", (int)(value - last), last);

		files = offer_values(o->kind, o->words, head, value);
		free(head);
	} else {
		offer_table(p->command != NULL ? p->command->options : cli_program_options, p);
		offer_table(cli_common_options, p);
	}
	return files;
}

static eh_status complete(cli_call *call, eh_error *error)
{
	/* The first word is the program. */
	size_t count = call->count > 1 ? call->count - 2 : 0;
	const char *last = call->count > 1 ? call->words[call->count - 1] : "";
	position p = { 0 };
	bool files = false;

	(void)error;
	if (!read_position(call->words + 1, count, &p)) {
		free(p.given.items);
		return EH_OK;
	}
	if (p.open != NULL)
		files = offer_values(p.open->kind, p.open->words, "", last);
	else if (!p.only_words && last[0] == '-')
		files = offer_options(&p, last);
	else if (p.command == NULL)
		offer_commands();
	else
		files = offer_arguments(&p, last);
	free(p.given.items);
	call->code = files ? EXIT_CODE_FILES : EXIT_CODE_OK;
	return EH_OK;
}

const cli_command cmd_complete = {
	.name = "complete",
	.group = CLI_HIDDEN,
	.summary = "say what may stand at the last word of a command line",
	.about = "The completions of the shells ask it: evenhand complete -- evenhand WORD... "
	         "LAST.",
	.forms = (const cli_form[]){
		{ NULL, { { "WORD", .kind = OPTION_TEXT, .many = true } }, NULL, complete },
		{ 0 } },
};

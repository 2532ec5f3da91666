/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/manual.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/terminal.h"
#include "base/text.h"
#include "cli/topics.h"
#include "report/report.h"

enum { TERM_MOST = 20, NAMES_COLUMN = 15 };

/* How headings, paragraphs, lists and command lines look. */
typedef struct style {
	const char *headings[3][2]; /* before and after a title, by level                       */
	const char *paragraph;     /* before it                                                */
	const char *term[2];       /* before and after the term of a list                      */
	const char *lines, *line, *lines_end; /* around and before command lines               */
	size_t width;              /* 0: that of the page                                      */
	size_t indent;             /* of the following lines of a command line                 */
	bool upper;                /* titles of the first level in capitals                    */
	char *(*escape)(const char *words); /* malloc'd                                        */
} style;

/* Prints words, of which the first line has `used` columns already and others begin with `indent`
 * spaces. */
static void wrap(FILE *out, const char *given, size_t used, size_t indent, size_t width)
{
	char *taken = terminal_words(out, memory_text(given));
	bool first = true;

	width = width > 0 ? width : table_measure(out);
	for (const char *words = taken; *words != '\0';) {
		size_t size = strcspn(words, " ");

		if (!first && used + 1 + size > width) {
			fprintf(out, "\n%*s", (int)indent, "");
			used = indent;
		} else if (!first) {
			fputc(' ', out);
			used++;
		}
		fwrite(words, 1, size, out);
		used += size;
		words += size + strspn(words + size, " ");
		first = false;
	}
	fputc('\n', out);
	free(taken);
}

/* malloc'd: what troff would take as a request or an escape is escaped, `code` is bold. */
static char *troff(const char *words)
{
	text t = { 0 };
	bool code = false;

	text_add(&t, "%s", "");
	for (const char *c = words; *c != '\0'; c++) {
		if ((*c == '.' || *c == '\'') && (c == words || c[-1] == ' '))
			text_add(&t, "\\&%c", *c);
		else if (*c == '`')
			text_add(&t, "%s", (code = !code) ? "\\fB" : "\\fR");
		else
			text_add(&t, *c == '-' ? "\\-" : *c == '\\' ? "\\e" : "%c", *c);
	}
	return t.data;
}

static const style terminal = {
	.headings = { { "\n", ":\n" }, { "\n", ":\n" }, { "\n", ":\n" } }, .paragraph = "\n", .term = { "  ", "" }, .lines = "",
	.line = "  ", .lines_end = "", .indent = 6, .escape = memory_text };
static const style man = {
	.headings = { { ".SH ", "\n" }, { ".SS ", "\n" }, { ".PP\n", ":\n" } }, .paragraph = ".PP\n", .term = { ".TP\n.B ", "\n" },
	.lines = ".PP\n.nf\n", .line = "", .lines_end = ".fi\n", .width = 100, .upper = true, .escape = troff };
static const style markdown = {
	.headings = { { "\n## ", "\n" }, { "\n### ", "\n" }, { "\n", ":\n" } }, .paragraph = "\n", .term = { "- `", "`: " },
	.lines = "\n```\n", .line = "", .lines_end = "```\n", .width = 100, .indent = 4, .escape = memory_text };

/* ---- parts ----------------------------------------------------------------------------------- */

static void put_heading(FILE *out, const style *s, int level, const char *title)
{
	char *words = s->escape(title);

	for (char *c = words; s->upper && level == 1 && *c != '\0'; c++)
		*c = (char)toupper((unsigned char)*c);
	fprintf(out, "%s%s%s", s->headings[level - 1][0], words, s->headings[level - 1][1]);
	free(words);
}

static size_t put_term(FILE *out, const style *s, const char *term)
{
	char *words = s->escape(term);
	int used = fprintf(out, "%s%s%s", s->term[0], words, s->term[1]);

	free(words);
	return used > 0 ? (size_t)used : 0;
}

static void put_words(FILE *out, const style *s, const char *words, size_t used, size_t indent)
{
	char *escaped = s->escape(words);

	wrap(out, escaped, used, indent, s->width);
	free(escaped);
}

static void put_paragraph(FILE *out, const style *s, const char *words)
{
	fputs(s->paragraph, out);
	put_words(out, s, words, 0, 0);
}

/* The text of a terminal's list begins at the column, on the next line where the term is too long. */
static void put_item(FILE *out, const style *s, const cli_item *item, size_t column)
{
	size_t used = put_term(out, s, item->term);

	if (s == &terminal) {
		if (used + 2 > column)
			fputc('\n', out);
		fprintf(out, "%*s", (int)(used + 2 > column ? column : column - used), "");
		put_words(out, s, item->text, column, column);
	} else {
		put_words(out, s, item->text, s == &markdown ? used : 0, s == &markdown ? 2 : 0);
	}
}

static void put_line(FILE *out, const style *s, const char *line)
{
	char *escaped = s->escape(line);

	fputs(s->line, out);
	/* A command line of the manual page keeps its length: nf does not fill. */
	wrap(out, escaped, strlen(s->line), s->indent, s == &man ? SIZE_MAX : s->width);
	free(escaped);
}

static void put_paragraphs(FILE *out, const style *s, const char *words)
{
	while (words != NULL && *words != '\0') {
		const char *end = strstr(words, "\n\n");
		char *one = memory_format("%.*s", (int)(end != NULL ? end - words : (long)strlen(words)), words);

		put_paragraph(out, s, one);
		free(one);
		words = end != NULL ? end + 2 : NULL;
	}
}

/* "Compare results." of "compare results". */
static void put_sentence(FILE *out, const style *s, const char *summary)
{
	char *words = memory_format("%c%s.", toupper((unsigned char)summary[0]), summary + 1);

	put_paragraph(out, s, words);
	free(words);
}

static void put_items(FILE *out, const style *s, const char *title, int level, const cli_item *items)
{
	size_t column = 0;

	if (items == NULL || items->term == NULL)
		return;
	if (title != NULL)
		put_heading(out, s, level, title);
	if (s == &markdown)
		fputc('\n', out);
	for (const cli_item *i = items; i->term != NULL; i++)
		if (strlen(i->term) > column && strlen(i->term) <= TERM_MOST)
			column = strlen(i->term);
	for (; items->term != NULL; items++)
		put_item(out, s, items, column + 4);
}

static void put_lines(FILE *out, const style *s, const char *const *lines)
{
	fputs(s->lines, out);
	for (; *lines != NULL; lines++)
		put_line(out, s, *lines);
	fputs(s->lines_end, out);
}

/* malloc'd "-o, --output DIR". */
static char *option_term(const cli_option *o)
{
	char *word = option_value_word(o), *term;

	if (o->letter != 0 && o->name != NULL)
		term = memory_format("-%c, --%s%s%s", o->letter, o->name, word[0] != '\0' ? " " : "", word);
	else if (o->letter != 0)
		term = memory_format("-%c%s%s", o->letter, word[0] != '\0' ? " " : "", word);
	else
		term = memory_format("--%s%s%s", o->name, word[0] != '\0' ? " " : "", word);
	free(word);
	return term;
}

static void put_options(FILE *out, const style *s, const char *title, int level, const cli_option *options)
{
	cli_item items[64] = { { NULL, NULL } };
	size_t count = 0;

	for (; options != NULL && options->kind != OPTION_NONE && count < 63; options++, count++)
		items[count] = (cli_item){ option_term(options), options->preset == NULL ?
		        memory_text(options->about) :
		        memory_format("%s (default: %s)", options->about, options->preset) };
	put_items(out, s, title, level, items);
	for (size_t i = 0; i < count; i++) {
		free((char *)items[i].term);
		free((char *)items[i].text);
	}
}

/* The words that select forms, with what they do. */
static void put_actions(FILE *out, const style *s, const cli_command *c)
{
	cli_item items[17] = { { NULL, NULL } };
	size_t count = 0;

	for (const cli_form *f = c->forms; f->run != NULL && count < 16; f++)
		if (f->about != NULL)
			items[count++] = (cli_item){ f->select, f->about };
	put_items(out, s, "Actions", 3, items);
}

static void put_command(FILE *out, const style *s, const cli_command *c)
{
	put_sentence(out, s, c->summary);
	put_paragraphs(out, s, c->about);
	put_actions(out, s, c);
	put_items(out, s, c->items_title, 3, c->items);
	put_options(out, s, "Options", 3, c->options);
	put_items(out, s, "Exit codes", 3, c->exits);
	if (c->examples == NULL)
		return;
	put_heading(out, s, 3, "Examples");
	put_lines(out, s, c->examples);
}

static void put_usages(FILE *out, const style *s, const cli_command *c)
{
	fputs(s->lines, out);
	for (const cli_form *f = c->forms; f->run != NULL; f++) {
		char *usage = command_usage(c, f);

		put_line(out, s, usage);
		free(usage);
	}
	fputs(s->lines_end, out);
}

/* ---- all ------------------------------------------------------------------------------------- */

void manual_items(FILE *out, const cli_item *items)
{
	put_items(out, &terminal, NULL, 0, items);
}

void manual_command(FILE *out, const cli_command *c)
{
	for (const cli_form *f = c->forms; f->run != NULL; f++) {
		char *usage = command_usage(c, f);

		fputs(f == c->forms ? "usage: " : "       ", out);
		wrap(out, usage, 7, 7 + strlen("evenhand ") + strlen(c->name) + 1, terminal.width);
		free(usage);
	}
	put_command(out, &terminal, c);
}

/* Of one group, for the list of commands. */
static void put_group(FILE *out, enum cli_group group)
{
	cli_item items[32] = { { NULL, NULL } };
	size_t count = 0;

	for (size_t i = 0; cli_commands[i] != NULL && count < 31; i++)
		if (cli_commands[i]->group == group)
			items[count++] = (cli_item){ cli_commands[i]->name, cli_commands[i]->summary };
	fprintf(out, "\n%s:\n", command_group_name(group));
	for (size_t i = 0; i < count; i++)
		put_item(out, &terminal, &items[i], NAMES_COLUMN);
}

static void put_topics(FILE *out)
{
	fputs("\nTopics of help:\n", out);
	for (const cli_topic *t = cli_topics; t->name != NULL; t++)
		put_item(out, &terminal, &(cli_item){ t->name, t->summary }, NAMES_COLUMN);
}

static const char intent[] =
	"evenhand measures identical workloads on every accelerator stack of a machine, and decides whether "
	"two results may be compared.";
static const char *const synopsis[] = {
	"evenhand [-v] [-q] [--set BACKEND.KEY=VALUE]... COMMAND [ARGUMENT]...", NULL };

void manual_program(FILE *out)
{
	wrap(out, intent, 0, 0, terminal.width);
	fputs("\nusage: ", out);
	wrap(out, synopsis[0], 7, 7, terminal.width);
	for (enum cli_group group = CLI_EVERYDAY; group < CLI_HIDDEN; group++)
		put_group(out, group);
	put_topics(out);
	put_options(out, &terminal, "Options", 3, cli_program_options);
	put_options(out, &terminal, "Options of all commands", 3, cli_common_options);
	fputs("\nTo begin: evenhand devices; evenhand run quick\n", out);
}

static const char *const sources[] = {
	"An option that takes a value may be written `--margin 2%`, `--margin=2%`, `-o DIR` or `-oDIR`. Options "
	"may stand before and after arguments; `--` ends them. An option that takes one value is given once.",
	"A RESULT is a file, a folder (all results in it), a bundle (all results in it) or one result of a "
	"bundle, as in `X.evenhand/results/host-gcc-12.json`.",
	"stdout has what was asked for; stderr has messages, and progress where it is a terminal. `--json` prints "
	"JSON on stdout. "
	"What a terminal would obey in names from drivers and files is printed as `?`.",
	"On a terminal, pages are as wide as it is: long names in tables lose their middle, numbers and verdicts "
	"never anything. A page that is longer than the screen goes through a pager, unless `--no-pager` is given, "
	"or the command measures. Colours and drawings repeat what stands beside them. A file or a pipe gets "
	"the whole text at 80 columns, without colours and drawings.",
	NULL
};

static void put_preamble(FILE *out, enum manual_format format, const style *s)
{
	if (format == MANUAL_MAN)
		fputs(".\\\" SPDX-License-Identifier: Apache-2.0\n"
		      ".\\\" Written by evenhand help --man; make manual writes it again.\n"
		      ".TH EVENHAND 1 \"\" \"evenhand\" \"User commands\"\n"
		      ".SH NAME\nevenhand \\- measure identical workloads on every accelerator stack, and compare "
		      "what may be compared\n", out);
	else
		fputs("# The command line\n\n"
		      "<!-- Written by evenhand help --markdown; make manual writes it again. -->\n", out);
	put_heading(out, s, 1, "Synopsis");
	put_lines(out, s, synopsis);
	put_heading(out, s, 1, "Description");
	put_paragraph(out, s, intent);
	for (size_t i = 0; sources[i] != NULL; i++)
		put_paragraph(out, s, sources[i]);
}

void manual_page(FILE *out, enum manual_format format)
{
	const style *s = format == MANUAL_MAN ? &man : &markdown;

	put_preamble(out, format, s);
	for (enum cli_group group = CLI_EVERYDAY; group < CLI_HIDDEN; group++) {
		put_heading(out, s, 1, command_group_name(group));
		for (size_t i = 0; cli_commands[i] != NULL; i++) {
			if (cli_commands[i]->group != group)
				continue;
			put_heading(out, s, 2, cli_commands[i]->name);
			put_usages(out, s, cli_commands[i]);
			put_command(out, s, cli_commands[i]);
		}
	}
	put_heading(out, s, 1, "Options");
	put_options(out, s, "Before the command", 3, cli_program_options);
	put_options(out, s, "Of all commands", 3, cli_common_options);
	put_items(out, s, "Exit status", 1, topic_exit_codes);
	put_paragraph(out, s, topic_exit_order);
	put_items(out, s, "Environment", 1, topic_environment);
	put_items(out, s, "Files", 1, topic_files);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/manual.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/topics.h"

enum { TERMINAL_WIDTH = 80, PAGE_WIDTH = 100, TERM_MOST = 20, NAMES_COLUMN = 15 };

/* How headings, paragraphs, lists and command lines look. */
typedef struct style {
	void (*heading)(FILE *out, int level, const char *title);
	void (*paragraph)(FILE *out, const char *words);
	void (*item)(FILE *out, const cli_item *item, size_t column);
	void (*begin_lines)(FILE *out);
	void (*line)(FILE *out, const char *line);
	void (*end_lines)(FILE *out);
} style;

/* Prints words, of which the first line has `used` columns already and others begin with `indent`
 * spaces. */
static void wrap(FILE *out, const char *words, size_t used, size_t indent, size_t width)
{
	bool first = true;

	while (*words != '\0') {
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
}

/* ---- terminal -------------------------------------------------------------------------------- */

static void terminal_heading(FILE *out, int level, const char *title)
{
	(void)level;
	fprintf(out, "\n%s:\n", title);
}

static void terminal_paragraph(FILE *out, const char *words)
{
	fputc('\n', out);
	wrap(out, words, 0, 0, TERMINAL_WIDTH);
}

static void terminal_item(FILE *out, const cli_item *item, size_t column)
{
	size_t used = 2 + strlen(item->term);

	fprintf(out, "  %s", item->term);
	if (used + 2 > column)
		fprintf(out, "\n%*s", (int)column, "");
	else
		fprintf(out, "%*s", (int)(column - used), "");
	wrap(out, item->text, column, column, TERMINAL_WIDTH);
}

static void terminal_line(FILE *out, const char *line)
{
	fputs("  ", out);
	wrap(out, line, 2, 6, TERMINAL_WIDTH);
}

static void nothing(FILE *out)
{
	(void)out;
}

static const style terminal = { terminal_heading, terminal_paragraph, terminal_item, nothing,
	                        terminal_line, nothing };

/* ---- man ------------------------------------------------------------------------------------- */

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

static void man_words(FILE *out, const char *words)
{
	char *escaped = troff(words);

	wrap(out, escaped, 0, 0, PAGE_WIDTH);
	free(escaped);
}

static void man_heading(FILE *out, int level, const char *title)
{
	fprintf(out, level == 1 ? ".SH " : level == 2 ? ".SS " : ".PP\n");
	for (const char *c = title; *c != '\0'; c++)
		fputc(level == 1 ? toupper((unsigned char)*c) : *c, out);
	fputs(level == 3 ? ":\n" : "\n", out);
}

static void man_paragraph(FILE *out, const char *words)
{
	fputs(".PP\n", out);
	man_words(out, words);
}

static void man_item(FILE *out, const cli_item *item, size_t column)
{
	char *term = troff(item->term);

	(void)column;
	fprintf(out, ".TP\n.B %s\n", term);
	man_words(out, item->text);
	free(term);
}

static void man_begin(FILE *out)
{
	fputs(".PP\n.nf\n", out);
}

static void man_line(FILE *out, const char *line)
{
	char *escaped = troff(line);

	fprintf(out, "%s\n", escaped);
	free(escaped);
}

static void man_end(FILE *out)
{
	fputs(".fi\n", out);
}

static const style man = { man_heading, man_paragraph, man_item, man_begin, man_line, man_end };

/* ---- Markdown -------------------------------------------------------------------------------- */

static void markdown_heading(FILE *out, int level, const char *title)
{
	if (level < 3)
		fprintf(out, "\n%s %s\n", level == 1 ? "##" : "###", title);
	else
		fprintf(out, "\n%s:\n\n", title);
}

static void markdown_paragraph(FILE *out, const char *words)
{
	fputc('\n', out);
	wrap(out, words, 0, 0, PAGE_WIDTH);
}

static void markdown_item(FILE *out, const cli_item *item, size_t column)
{
	(void)column;
	fprintf(out, "- `%s`: ", item->term);
	wrap(out, item->text, 6 + strlen(item->term), 2, PAGE_WIDTH);
}

static void markdown_fence(FILE *out)
{
	fputs("\n```\n", out);
}

static void markdown_line(FILE *out, const char *line)
{
	wrap(out, line, 0, 4, PAGE_WIDTH);
}

static void markdown_end(FILE *out)
{
	fputs("```\n", out);
}

static const style markdown = { markdown_heading, markdown_paragraph, markdown_item, markdown_fence,
	                        markdown_line, markdown_end };

/* ---- parts ----------------------------------------------------------------------------------- */

static void put_paragraphs(FILE *out, const style *s, const char *words)
{
	while (words != NULL && *words != '\0') {
		const char *end = strstr(words, "\n\n");
		char *one = memory_format("%.*s", (int)(end != NULL ? end - words : (long)strlen(words)), words);

		s->paragraph(out, one);
		free(one);
		words = end != NULL ? end + 2 : NULL;
	}
}

/* "Compare results." of "compare results". */
static void put_sentence(FILE *out, const style *s, const char *summary)
{
	char *words = memory_format("%c%s.", toupper((unsigned char)summary[0]), summary + 1);

	s->paragraph(out, words);
	free(words);
}

static void put_items(FILE *out, const style *s, const char *title, int level, const cli_item *items)
{
	size_t column = 0;

	if (items == NULL || items->term == NULL)
		return;
	if (title != NULL)
		s->heading(out, level, title);
	if (level < 3 && s == &markdown)
		fputc('\n', out);
	for (const cli_item *i = items; i->term != NULL; i++)
		if (strlen(i->term) > column && strlen(i->term) <= TERM_MOST)
			column = strlen(i->term);
	for (; items->term != NULL; items++)
		s->item(out, items, column + 4);
}

static void put_lines(FILE *out, const style *s, const char *const *lines)
{
	s->begin_lines(out);
	for (; *lines != NULL; lines++)
		s->line(out, *lines);
	s->end_lines(out);
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
	s->heading(out, 3, "Examples");
	put_lines(out, s, c->examples);
}

static void put_usages(FILE *out, const style *s, const cli_command *c)
{
	s->begin_lines(out);
	for (const cli_form *f = c->forms; f->run != NULL; f++) {
		char *usage = command_usage(c, f);

		s->line(out, usage);
		free(usage);
	}
	s->end_lines(out);
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
		wrap(out, usage, 7, 7 + strlen("evenhand ") + strlen(c->name) + 1, TERMINAL_WIDTH);
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
		terminal.item(out, &items[i], NAMES_COLUMN);
}

static void put_topics(FILE *out)
{
	fputs("\nTopics of help:\n", out);
	for (const cli_topic *t = cli_topics; t->name != NULL; t++)
		terminal.item(out, &(cli_item){ t->name, t->summary }, NAMES_COLUMN);
}

static const char intent[] =
	"evenhand measures identical workloads on every accelerator stack of a machine, and decides whether "
	"two results may be compared.";
static const char *const synopsis[] = {
	"evenhand [-v] [-q] [--set BACKEND.KEY=VALUE]... COMMAND [ARGUMENT]...", NULL };

void manual_program(FILE *out)
{
	wrap(out, intent, 0, 0, TERMINAL_WIDTH);
	fprintf(out, "\nusage: %s\n", synopsis[0]);
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
	"stdout has what was asked for, stderr progress and messages. `--json` prints JSON on stdout. "
	"Colour is used on a terminal only. What a terminal would obey in names from drivers and files is printed "
	"as `?`.",
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
	s->heading(out, 1, "Synopsis");
	put_lines(out, s, synopsis);
	s->heading(out, 1, "Description");
	s->paragraph(out, intent);
	for (size_t i = 0; sources[i] != NULL; i++)
		s->paragraph(out, sources[i]);
}

void manual_page(FILE *out, enum manual_format format)
{
	const style *s = format == MANUAL_MAN ? &man : &markdown;

	put_preamble(out, format, s);
	for (enum cli_group group = CLI_EVERYDAY; group < CLI_HIDDEN; group++) {
		s->heading(out, 1, command_group_name(group));
		for (size_t i = 0; cli_commands[i] != NULL; i++) {
			if (cli_commands[i]->group != group)
				continue;
			s->heading(out, 2, cli_commands[i]->name);
			put_usages(out, s, cli_commands[i]);
			put_command(out, s, cli_commands[i]);
		}
	}
	s->heading(out, 1, "Options");
	put_options(out, s, "Before the command", 3, cli_program_options);
	put_options(out, s, "Of all commands", 3, cli_common_options);
	put_items(out, s, "Exit status", 1, topic_exit_codes);
	s->paragraph(out, topic_exit_order);
	put_items(out, s, "Environment", 1, topic_environment);
	put_items(out, s, "Files", 1, topic_files);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/terminal.h"
#include "base/text.h"
#include "cli/manual.h"
#include "cli/pager.h"
#include "report/report.h"

enum { FORMS_MOST = 16 };

/* A failure of stdout is reported once. */
static bool failure_reported;

int command_fail(const cli_command *c, const eh_error *error)
{
	/* Messages quote files, which others may have written. */
	char *message = table_clean(error->message);

	(void)fflush(stdout);
	pager_show();
	fprintf(stderr, "evenhand%s%s: %s", c != NULL ? " " : "", c != NULL ? c->name : "", message);
	free(message);
	if (error->where[0] != '\0' || error->native_name[0] != '\0') {
		fprintf(stderr, " (%s%s%s)", error->where,
		        error->where[0] != '\0' && error->native_name[0] != '\0' ? ": " : "",
		        error->native_name);
	}
	fputc('\n', stderr);
	if (error->code == EH_E_USAGE)
		fprintf(stderr, "Try: evenhand help%s%s\n", c != NULL ? " " : "", c != NULL ? c->name : "");
	return error_exit_code(error->code);
}

void command_unsound(cli_call *call, eh_status status, bool print, eh_error *error)
{
	int code = error_exit_code(status);

	/* The usage is right, so no hint to it. */
	error->code = status == EH_E_USAGE ? EH_E_FORMAT : status;
	if (print)
		(void)command_fail(call->command, error);
	call->code = call->code > code ? call->code : code;
}

int command_printed(const cli_command *c, int code)
{
	int failure = 0;
	bool flushed;

	pager_release();
	flushed = fflush(stdout) == 0;
	if (flushed && !ferror(stdout))
		return code;
	/* When an earlier write failed, its reason is gone: the next one has the same. */
	if (!flushed || write(STDOUT_FILENO, "\n", 1) < 0)
		failure = errno;
	/* A reader that left wants to hear no more. */
	if (failure == EPIPE && code == EXIT_CODE_INCOMPLETE)
		return code;
	if (failure == EPIPE)
		interrupt_by_pipe();
	if (!failure_reported)
		fprintf(stderr, "evenhand%s%s: cannot write to standard output: %s\n",
		        c != NULL ? " " : "", c != NULL ? c->name : "",
		        failure != 0 ? strerror(failure) : "only a part was written");
	failure_reported = true;
	/* What was interrupted has to be completed, whether that could be printed or not. */
	return code == EXIT_CODE_INCOMPLETE ? code : EXIT_CODE_ENVIRONMENT;
}

void command_json(char *body)
{
	body = terminal_words(stdout, body);
	puts(body);
	free(body);
}

const cli_command *command_find(const char *name)
{
	for (size_t i = 0; cli_commands[i] != NULL; i++)
		if (strcmp(cli_commands[i]->name, name) == 0)
			return cli_commands[i];
	return NULL;
}

/* ---- forms ----------------------------------------------------------------------------------- */

static bool by_option(const cli_form *form)
{
	return form->select != NULL && form->select[0] == '-';
}

static size_t option_at(const cli_command *c, const char *word)
{
	return (size_t)(option_find(c->options, word, NULL) - c->options);
}

bool command_form_takes(const cli_command *c, const cli_form *form, const cli_option *o)
{
	return o->forms == 0 || (o->forms & CLI_FORM(form - c->forms)) != 0;
}

/* The form that the options and the first word select; NULL when there is none. */
static const cli_form *form_of(const cli_command *c, const option_line *line)
{
	const char *first = line->words.count > 0 ? line->words.items[0] : "";
	const cli_form *plain = NULL;

	for (const cli_form *f = c->forms; f->run != NULL; f++) {
		if (by_option(f) && (line->seen & UINT64_C(1) << option_at(c, f->select)) != 0)
			return f;
		if (f->select != NULL && strcmp(f->select, first) == 0)
			return f;
		if (f->select == NULL)
			plain = f;
	}
	return plain;
}

/* "new, list or show" of what selects the command's forms. */
static char *selectors(const cli_command *c)
{
	text t = { 0 };

	for (const cli_form *f = c->forms; f->run != NULL; f++)
		text_add(&t, "%s%s", t.size == 0 ? "" : f[1].run == NULL ? " or " : ", ", f->select);
	return t.data;
}

static eh_status refuse_form(const cli_command *c, const option_line *line, eh_error *error)
{
	const char *names[FORMS_MOST], *near = NULL;
	size_t count = 0;
	char *words = selectors(c);

	for (const cli_form *f = c->forms; f->run != NULL; f++)
		if (!by_option(f) && count < FORMS_MOST)
			names[count++] = f->select;
	if (count > 0 && line->words.count > 0) {
		near = text_nearest(line->words.items[0], names, count);
		(void)error_set(error, EH_E_USAGE, "there is no '%s %s'; %s%s%s", c->name,
		                line->words.items[0], near != NULL ? "did you mean '" : "it is ",
		                near != NULL ? near : words, near != NULL ? "'?" : "");
	} else {
		(void)error_set(error, EH_E_USAGE, "an action is missing: %s", words);
	}
	free(words);
	return EH_E_USAGE;
}

static eh_status refuse_missing(const cli_command *c, const cli_form *form, const char *what, const char *value,
                                eh_error *error)
{
	char *usage = command_usage(c, form);

	(void)error_set(error, EH_E_USAGE, "%s%s%s is missing; usage: %s", what, value[0] != '\0' ? " " : "",
	                value, usage);
	free(usage);
	return EH_E_USAGE;
}

/* As refuse_missing(), with the command that lists what the argument may be. */
static eh_status refuse_no_argument(const cli_command *c, const cli_form *form, const cli_argument *a,
                                    eh_error *error)
{
	const char *lister = a->kind == OPTION_PROTOCOL ? "`evenhand protocol list` names them" :
	                     a->kind == OPTION_CLAIM ? "`evenhand claim list` names them" :
	                     a->kind == OPTION_WORKLOAD ? "`evenhand workload list` names them" : NULL;

	if (lister == NULL)
		return refuse_missing(c, form, a->word, "", error);
	return error_set(error, EH_E_USAGE, "%s is missing; %s", a->word, lister);
}

static eh_status refuse_option(const cli_command *c, const cli_form *form, const cli_option *o, bool missing,
                               eh_error *error)
{
	char *name = option_spelling(o), *word = option_value_word(o);

	if (missing)
		(void)refuse_missing(c, form, name, word, error);
	else
		(void)error_set(error, EH_E_USAGE, "%s%s%s does not take %s", c->name,
		                form->select != NULL ? " " : "", form->select != NULL ? form->select : "", name);
	free(name);
	free(word);
	return EH_E_USAGE;
}

/* A given option before `o` that excludes it; NULL. */
static const cli_option *rival_given(const cli_command *c, const cli_option *o, uint64_t seen)
{
	for (const cli_option *p = c->options; p != o; p++)
		if ((p->rivals & o->rivals) != 0 && (seen & UINT64_C(1) << (p - c->options)) != 0)
			return p;
	return NULL;
}

/* Refuses an option that the form does not take, the lack of one that it needs, and options that
 * exclude each other. */
static eh_status check_options(const cli_command *c, const cli_form *form, uint64_t seen, eh_error *error)
{
	for (const cli_option *o = c->options; o != NULL && o->kind != OPTION_NONE; o++) {
		bool given = (seen & UINT64_C(1) << (o - c->options)) != 0;
		bool takes = command_form_takes(c, form, o);
		const cli_option *rival = given ? rival_given(c, o, seen) : NULL;

		if (given && !takes && o->kind != OPTION_VERBOSE)
			return refuse_option(c, form, o, false, error);
		if (!given && takes && o->required)
			return refuse_option(c, form, o, true, error);
		if (rival != NULL)
			return error_set(error, EH_E_USAGE, "--%s or --%s, not both", rival->name, o->name);
	}
	return EH_OK;
}

/* How many arguments from a on have to be given. */
static size_t required_from(const cli_argument *a)
{
	size_t count = 0;

	for (; a->word != NULL; a++)
		count += !a->optional;
	return count;
}

/* An optional argument takes a word only where enough are left for those after it. */
static eh_status check_words(const cli_command *c, const cli_form *form, const cli_call *call,
                             eh_error *error)
{
	size_t at = 0;
	char *usage;

	for (const cli_argument *a = form->arguments; a->word != NULL; a++) {
		if (at >= call->count && !a->optional)
			return refuse_no_argument(c, form, a, error);
		if (at < call->count && call->words[at][0] == '\0')
			return error_set(error, EH_E_USAGE, "%s is empty", a->word);
		if (a->optional && at < call->count && call->count - at <= required_from(a))
			continue;
		at = a->many ? call->count : at + 1;
	}
	if (at >= call->count)
		return EH_OK;
	usage = command_usage(c, form);
	(void)error_set(error, EH_E_USAGE, "'%s' is one argument too many; usage: %s", call->words[at], usage);
	free(usage);
	return EH_E_USAGE;
}

/* ---- usage ----------------------------------------------------------------------------------- */

static void add_option(text *t, const cli_option *o, const char *between)
{
	char *name = option_spelling(o), *word = option_value_word(o);

	text_add(t, "%s%s%s%s", between, name, word[0] != '\0' ? " " : "", word);
	free(name);
	free(word);
}

/* The option and those that exclude it: "[--json | --layers]". */
static void add_rivals(text *t, const cli_command *c, const cli_form *form, const cli_option *first)
{
	text_add(t, " [");
	for (const cli_option *o = first; o->kind != OPTION_NONE; o++)
		if (o == first || ((o->rivals & first->rivals) != 0 && command_form_takes(c, form, o)))
			add_option(t, o, o == first ? "" : " | ");
	text_add(t, option_repeats(first) && option_takes_value(first) ? "]..." : "]");
}

/* Whether a rival of the option stands before it in the table. */
static bool rival_before(const cli_command *c, const cli_form *form, const cli_option *o)
{
	for (const cli_option *p = c->options; p != o; p++)
		if ((p->rivals & o->rivals) != 0 && command_form_takes(c, form, p))
			return true;
	return false;
}

static void add_arguments(text *t, const cli_form *form, bool behind)
{
	for (const cli_argument *a = form->arguments; a->word != NULL; a++)
		if (a->behind == behind)
			text_add(t, "%s %s%s%s%s", behind ? " --" : "", a->optional ? "[" : "", a->word,
			         a->many ? "..." : "", a->optional ? "]" : "");
}

char *command_usage(const cli_command *c, const cli_form *form)
{
	const cli_option *select = by_option(form) ? option_find(c->options, form->select, NULL) : NULL;
	text t = { 0 };

	text_add(&t, "evenhand %s", c->name);
	if (form->select != NULL && select == NULL)
		text_add(&t, " %s", form->select);
	add_arguments(&t, form, false);
	if (select != NULL)
		add_option(&t, select, " ");
	for (const cli_option *o = c->options; o != NULL && o->kind != OPTION_NONE; o++) {
		if (o == select || !command_form_takes(c, form, o) || rival_before(c, form, o))
			continue;
		if (o->required)
			add_option(&t, o, " ");
		else
			add_rivals(&t, c, form, o);
	}
	add_arguments(&t, form, true);
	return t.data;
}

bool command_given(const cli_call *call, const char *name)
{
	const cli_option *options = call->command->options;

	for (size_t i = 0; options[i].kind != OPTION_NONE; i++)
		if (options[i].name != NULL && strcmp(options[i].name, name) == 0)
			return (call->seen & UINT64_C(1) << i) != 0;
	return false;
}

/* ---- running --------------------------------------------------------------------------------- */

static eh_status run_form(const cli_command *c, const option_line *line, int *code, eh_error *error)
{
	const cli_form *form = form_of(c, line);
	cli_call call = { c, line->values, line->words.items, line->words.count, line->seen,
		          line->quiet, EXIT_CODE_OK };
	eh_status status;

	if (form == NULL)
		return refuse_form(c, line, error);
	if (form->select != NULL && !by_option(form)) {
		call.words++;
		call.count--;
	}
	status = check_options(c, form, line->seen, error);
	if (status == EH_OK)
		status = check_words(c, form, &call, error);
	if (status == EH_OK && (c->live & CLI_FORM(form - c->forms)) == 0 && c->group != CLI_HIDDEN)
		pager_hold();
	if (status == EH_OK)
		status = form->run(&call, error);
	*code = call.code;
	return status;
}

int command_run(const cli_command *c, int argc, char **argv, bool quiet)
{
	option_line line = { .options = c->options, .common = cli_common_options,
		             .values = memory_get(c->size + 1), .quiet = quiet };
	eh_error error = ERROR_INIT;
	int code = EXIT_CODE_OK;
	eh_status status = option_read(&line, argc, argv, NULL, &error);

	if (status == EH_OK && line.help) {
		pager_hold();
		manual_command(stdout, c);
	} else if (status == EH_OK) {
		status = run_form(c, &line, &code, &error);
	}
	option_free(&line);
	free(line.values);
	if (status == EH_OK)
		return command_printed(c, code);
	error.code = status;
	code = command_fail(c, &error);
	pager_release();
	return status == EH_E_ALTERED && c->altered != 0 ? c->altered : code;
}

void command_put(FILE *out, const char *format, ...)
{
	const size_t ends = format[0] != '\0' && format[strlen(format) - 1] == '\n';
	char *line = NULL;
	va_list args;
	int size;

	va_start(args, format);
	size = vasprintf(&line, format, args);
	va_end(args);
	line = memory_insist(size < 0 ? NULL : line);
	line[(size_t)size - ends] = '\0';
	text_clean(line);
	line = terminal_words(out, line);
	fprintf(out, "%s%s", line, ends > 0 ? "\n" : "");
	free(line);
}

void command_layout(const layout *l, const void *object)
{
	command_json(layout_text(l, object, true));
}

void command_layout_list(const layout *inner, const void *list)
{
	command_json(layout_list_text(inner, list, true));
}

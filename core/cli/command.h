/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Subcommands.  cmd_NAME.c defines `const cli_command cmd_NAME`: its words, options, forms and
 * help; commands.c lists them.  Parsing, dispatch, help, completion and the manual read these tables.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/layout.h"
#include "cli/option.h"

enum cli_group { CLI_EVERYDAY, CLI_EVIDENCE, CLI_ANALYSIS, CLI_EXTENDING, CLI_PROGRAM, CLI_HIDDEN };

typedef struct cli_command cli_command;

/* What a form is called with; all is borrowed. */
typedef struct cli_call {
	const cli_command *command;
	const void *options;        /* the command's own struct                              */
	const char *const *words;   /* the arguments, without the word that selects the form */
	size_t count;
	uint64_t seen;              /* of option_line                                        */
	bool quiet;                 /* no progress                                           */
	int code;                   /* the exit code to give, EXIT_CODE_OK at first          */
} cli_call;

typedef struct cli_argument {
	const char *word;           /* "RESULT"; NULL ends the list                          */
	enum option_kind kind;      /* for completion                                        */
	bool optional, many;
	bool behind;                /* words of another program, behind the options and `--`  */
} cli_argument;

/* One way to use a command: "key list", "bundle X --unpack DIR". */
typedef struct cli_form {
	/* The first word ("list") or the option ("--unpack") that selects the form; NULL: the form
	 * that nothing else selects. */
	const char *select;
	cli_argument arguments[5]; /* the last has no word                              */
	const char *about;          /* one sentence, where select is a word                  */
	/* Prints on stdout and sets call->code.  A returned error is printed by command_run(), and
	 * the exit code follows from it. */
	eh_status (*run)(cli_call *call, eh_error *error);
} cli_form;

/* A line of a list: a term and what it means. */
typedef struct cli_item { const char *term, *text; } cli_item;

struct cli_command {
	const char *name;
	enum cli_group group;
	const char *summary;        /* a sentence without a subject, no full stop            */
	const char *about;          /* paragraphs, with an empty line between                */
	const cli_form *forms;      /* the last has no run; at most 16                       */
	const cli_option *options;  /* NULL: none                                            */
	size_t size;                /* of the struct with their values                       */
	const char *items_title;    /* "Answers"                                             */
	const cli_item *items;      /* NULL: none; the last has no term                      */
	const cli_item *exits;      /* exit codes other than 0, 4 and 5 or with more to say  */
	const char *const *examples; /* command lines, NULL-terminated                       */
	/* The exit code when a result was altered; 0: that of wrong usage. */
	int altered;
	/* The forms that measure, and print as they go: no pager holds what they print. */
	unsigned live;
};

/* The mask of a form for cli_option.forms. */
#define CLI_FORM(index) (1U << (index))
#define CLI_JSON(type) { "json", OPTION_FLAG, offsetof(type, json), .about = "print JSON" }

#define CLI_BASELINE(type)                                                                    \
	{ "baseline", OPTION_TEXT, offsetof(type, baseline),                                    \
	  .about = "the reference: an executor, a part of its name that no other has, or a file: " \
	           "two folders are then not taken as two runs; archive:MARK: what the "       \
	           "archive has under that name, each executor with itself",                   \
	  .value = "EXECUTOR|FILE|archive:MARK" }
#define CLI_AGREED(type)                                                                      \
	{ "agreed", OPTION_TEXT, offsetof(type, agreed),                                        \
	  .about = "refuse results whose runs did not have the agreement of each of these teams "  \
	           "to their protocol when they began (`evenhand help agree`), or did not keep to it; " \
	           "exit code 3", .value = "TEAM,..." }
#define CLI_CASES(type)                                                                       \
	{ "case", OPTION_LIST, offsetof(type, cases),                                           \
	  .about = "only this case, cases with these words (gemm, 'fma f32'), or those that "    \
	           "match a pattern such as 'gemm.*'; may be given again", .value = "CASE" }

/* The subcommands in order of their groups; NULL-terminated.  Hidden ones are at the end. */
extern const cli_command *const cli_commands[];
/* The options of the program, which stand before the command, and those of all commands. */
extern const cli_option cli_program_options[], cli_common_options[];
/* NULL when there is none of that name. */
const cli_command *command_find(const char *name);
const char *command_group_name(enum cli_group group);

/* argv[0] is the subcommand; `quiet`: -q stood before it.  Returns the exit code after everything was
 * printed. */
int command_run(const cli_command *c, int argc, char **argv, bool quiet);
/* Prints "evenhand NAME: message" (and the hint to --help for EH_E_USAGE); gives the exit code.  c is
 * NULL for the program itself. */
int command_fail(const cli_command *c, const eh_error *error);
/* For one of several files that is not sound: prints the error where asked, and takes its exit code
 * unless that of an earlier file is higher, as of one that cannot be read. */
void command_unsound(cli_call *call, eh_status status, bool print, eh_error *error);
/* After everything was printed, shows what the pager holds.  Gives the code, or, when stdout did not take it (a full disk, a closed
 * descriptor), EXIT_CODE_ENVIRONMENT after saying so. */
int command_printed(const cli_command *c, int code);
/* Prints one line, or a part of it, with what may come from others, such as a file's name: no terminal
 * obeys it (text_clean).  A line end behind it stays. */
__attribute__((format(printf, 2, 3)))
void command_put(FILE *out, const char *format, ...);
/* Prints the text and frees it. */
void command_json(char *body);
/* The same of a struct. */
void command_layout(const layout *l, const void *object);
/* The same of a list { struct *items; size_t count }: an array. */
void command_layout_list(const layout *inner, const void *list);
/* Whether the option of that name ("json") was given. */
bool command_given(const cli_call *call, const char *name);
/* malloc'd "evenhand NAME LIST RESULT... [--json]" of a form. */
char *command_usage(const cli_command *c, const cli_form *form);
/* Whether the option belongs to the form. */
bool command_form_takes(const cli_command *c, const cli_form *form, const cli_option *o);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options of the command line.  One table per subcommand says which options it takes; parsing, help,
 * completion and the manual follow from it.
 */
#ifndef CLI_OPTION_H
#define CLI_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* What a value is: how it is read, what is stored, and what completion offers. */
enum option_kind {
	OPTION_NONE,      /* the end of a table                                                */
	OPTION_FLAG,      /* bool; takes no value                                              */
	OPTION_NUMBER,    /* uint64_t from low to high                                         */
	OPTION_SHARE,     /* double from low to high; "0.02" or "2%"                           */
	OPTION_DURATION,  /* uint64_t of nanoseconds, not 0                                    */
	OPTION_WORD,      /* int, the index in words                                           */
	OPTION_WORDS,     /* unsigned, a bit for each of words; several with commas, or again  */
	OPTION_LIST,      /* option_list; may be given again                                   */
	OPTION_SETTING,   /* BACKEND.KEY=VALUE, stored by host_option_set; may be given again  */
	OPTION_VERBOSE,   /* sets the level of messages                                       */
	OPTION_QUIET,     /* option_line.quiet; the second time the level of messages         */
	OPTION_HELP,      /* option_line.help                                                 */
	OPTION_NO_PAGER,  /* pager_refuse()                                                   */
	/* const char *, borrowed from argv; not empty. */
	OPTION_TEXT,
	OPTION_PATH,
	OPTION_PROTOCOL,  /* a name or a path                                                  */
	OPTION_CLAIM,     /* a name or a path                                                  */
	OPTION_WORKLOAD,  /* a name                                                            */
	OPTION_KEY,       /* a name or a path                                                  */
	OPTION_SELECTORS, /* executors, with commas between                                    */
	OPTION_EXECUTOR,
	OPTION_TOPIC      /* a command, or a topic of `evenhand help`                          */
};

/* What a margin may be, exclusive of 0 and 1. */
#define OPTION_MARGIN_LEAST 1e-6
#define OPTION_MARGIN_MOST 0.999

typedef struct option_list { const char **items; size_t count; } option_list;

typedef struct cli_option {
	const char *name;          /* "json" of --json; NULL: there is only the letter          */
	enum option_kind kind;
	size_t offset;             /* of the value in the command's options                     */
	const char *about;         /* for the help                                              */
	const char *value;         /* stands for the value in the usage: "DIR"; NULL: a flag, or the
	                            * words                                                     */
	const char *preset;        /* the value when it is not given, as one would type it      */
	const char *const *words;  /* NULL-terminated                                           */
	double low, high;
	unsigned forms;            /* the forms of the command that take it, a bit each; 0: all */
	char letter;               /* 'o' of -o; 0: none                                        */
	unsigned char rivals;      /* options with a common bit exclude each other              */
	bool required;             /* in each of its forms                                      */
} cli_option;

/* What a command line says. */
typedef struct option_line {
	const cli_option *options; /* of the command; NULL: none                                */
	const cli_option *common;  /* of all commands                                           */
	void *values;              /* the command's options                                     */
	uint64_t seen;             /* a bit for each of `options` that was given                */
	bool until_word;           /* stop at the first word that is no option                  */
	bool quiet;                /* -q was given                                              */
	bool help;                 /* --help was given; what is wrong elsewhere does not matter */
	option_list words;         /* the others                                                */
} option_line;

/* Stores the presets, then reads argv[1] to argv[argc - 1].  Returns EH_E_USAGE with a sentence.
 * *next, if not NULL, is the index of the first word that was not read. */
eh_status option_read(option_line *line, int argc, char **argv, int *next, eh_error *error);
/* Frees what option_read() allocated, but not line->values itself. */
void option_free(option_line *line);

bool option_takes_value(const cli_option *o);
bool option_repeats(const cli_option *o);
/* "-o" or "--json": what the usage shows. */
char *option_spelling(const cli_option *o);
/* "DIR", "tester|verifier", "" for a flag. */
char *option_value_word(const cli_option *o);
/* The option of a table that the word names ("--json", "--margin=2%", "-o", "-oDIR"); NULL.
 * *value, if not NULL, is what the word itself has of the value, or NULL. */
const cli_option *option_find(const cli_option *options, const char *word, const char **value);

#endif

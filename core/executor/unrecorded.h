/* SPDX-License-Identifier: Apache-2.0 */
/* What is not recorded of a worker's configuration, and why: the table unrecorded.def. */
#ifndef EXECUTOR_UNRECORDED_H
#define EXECUTOR_UNRECORDED_H

#include <stdbool.h>
#include <stddef.h>

enum unrecorded_kind {
	UNRECORDED_VARIABLE,   /* environment variables                                           */
	UNRECORDED_PROGRAM,    /* variables that only a program which the worker calls would read */
	UNRECORDED_FILE        /* files, with ~ for the user's home                               */
};

typedef struct unrecorded_entry {
	enum unrecorded_kind kind;
	const char *patterns;  /* with commas between                                             */
	const char *reason;    /* follows the name in a sentence: "names the user or the machine" */
} unrecorded_entry;

/* The table; returns the number of its entries. */
size_t unrecorded_table(const unrecorded_entry **out);
/* Why a variable or a file is not recorded; NULL: it is. */
const char *unrecorded_reason(enum unrecorded_kind kind, const char *name);

/* Whether an object of that file name reads the variable, though it may have the name in pieces. */
bool unrecorded_in_pieces(const char *object, const char *variable);

#endif

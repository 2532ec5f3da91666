/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Going to a path step by step, each by descriptor from the one before and without following a link;
 * links are read and resolved here.  So what a rule looks at is what is gone to.
 */
#ifndef BASE_WALK_H
#define BASE_WALK_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/error.h"

typedef struct walk walk;

typedef struct walk_rules {
	const char *doing;    /* "cannot make the folder", before the path in messages           */
	/* Whether `place`, the next step or a link on the way, may be gone to or followed. */
	eh_status (*step)(const walk *w, const char *place, const struct stat *info, eh_error *error);
	/* Whether the way may go on through the folder where the walk is.  Then the walk begins at the
	 * root, and goes the whole way again for "..", so that every folder is asked for.  NULL = any. */
	eh_status (*through)(const walk *w, eh_error *error);
} walk_rules;

struct walk {
	const char *wanted;   /* as it was given                                              */
	const walk_rules *rules;
	const void *context;  /* of the rules                                                 */
	mode_t makes;         /* not 0: missing folders are made with it                      */
	char *done;           /* malloc'd: the path so far, without links where it began at the root */
	char *rest;           /* malloc'd: what follows, with links resolved so far           */
	unsigned links;
	size_t made;          /* folders made, which are the last of done                     */
	int folder;           /* O_PATH, of the folder that holds done; -1 = none             */
	int fd;               /* O_PATH, of done                                              */
	struct stat info;     /* of it                                                        */
};

/* Sets w->fd, w->folder, w->info and w->done.  w has the first four members; walk_end frees the rest,
 * after a failure too. */
eh_status walk_go(walk *w, eh_error *error);
void walk_end(walk *w);
/* malloc'd: the path, from one to the next, of the last folders of the way that were made, behind the last
 * ".."; "" for none. */
char *walk_made(const walk *w);
/* Removes these again, the last one, which fd is, first: while they are empty and where they were made.
 * Changes the text. */
void walk_unmake(int fd, char *made);
/* The path where it is, never empty. */
const char *walk_place(const walk *w);

#endif

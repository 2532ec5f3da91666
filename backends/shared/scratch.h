/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A folder for one call of a compiler, below $TMPDIR or /tmp, which is open to others: with a random
 * name and mode 0700, and used by its descriptor only, so that a folder that somebody else puts in its
 * place is never met.  It is locked while its process lives; folders that killed processes of this
 * user left are removed before a new one is made.
 */
#ifndef SHARED_SCRATCH_H
#define SHARED_SCRATCH_H

typedef struct scratch {
	int fd;         /* of the folder; -1 = there is none   */
	int top;        /* of the folder that holds it         */
	char name[32];
} scratch;

/* "/tmp", or $TMPDIR when that is absolute. */
const char *scratch_top(void);
/* 0 or errno. */
int scratch_make(scratch *s);
/* With the files in it; nothing when there is none. */
void scratch_remove(scratch *s);

#endif

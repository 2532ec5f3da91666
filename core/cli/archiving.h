/* SPDX-License-Identifier: Apache-2.0 */
/* Results on their way into and out of the archive. */
#ifndef CLI_ARCHIVING_H
#define CLI_ARCHIVING_H

#include <stdbool.h>

#include "archive/archive.h"

typedef struct archiving_counts { size_t added, known, redacted; } archiving_counts;

/* asked: what --db says, or NULL.  `make`: where it is not there.  *out needs archive_close. */
eh_status archiving_open(const char *asked, bool make, archive *out, eh_error *error);
/* Opens it, adds the results of the folder and closes it: between two such steps hours may pass, and an update
 * of the database.  false after a message; the results are files all the same. */
bool archiving_keep(const char *asked, const char *folder);

/* Adds the results that the words name.  digests, if not NULL: of all of them.  What was added before an
 * error stays. */
eh_status archiving_add(archive *a, const char *const *words, size_t count, archiving_counts *counts,
                        text_list *digests, eh_error *error);
/* Writes the file and those beside it into the folder.  *done: false where all were there. */
eh_status archiving_write(archive *a, const char *sha256, const char *folder, bool *done, eh_error *error);

/* A word that names results of the archive: "archive:NAME". */
#define ARCHIVING_WORD "archive:"
bool archiving_is(const char *word);
/* The results of such a word, from the archive that EVENHAND_ARCHIVE names, or the user's. */
eh_status archiving_read(const char *word, result ***out, size_t *count, eh_error *error);

#endif

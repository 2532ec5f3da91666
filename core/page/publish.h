/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An archive as a folder of HTML pages that needs no server: an index with a search, a page for each
 * executor, protocol and case, and one of what changed.  Styles and scripts are files beside them; their
 * policy (Content-Security-Policy) allows nothing else.  The same archive gives the same bytes.
 * docs/archive.md explains it to users.
 */
#ifndef PAGE_PUBLISH_H
#define PAGE_PUBLISH_H

#include <stdbool.h>

#include "archive/archive.h"

typedef struct publish_options {
	archive_filter filter;    /* last: of each line                                       */
	double margin;            /* changes by more than that                                */
	const char *assets;       /* the folder with page.css and the scripts, paths_data("page") */
} publish_options;

/* Files: written, found as they had to be, removed. */
typedef struct publish_counts { size_t written, same, removed; } publish_counts;

/* Writes into the folder, which is made, and removes the pages there that no longer exist.  EH_E_USAGE,
 * before anything is written, for a folder with other files in it, and where the archive has nothing that the
 * filter wants. */
eh_status publish_archive(archive *a, const publish_options *o, const char *folder, publish_counts *counts,
                          eh_error *error);

#endif

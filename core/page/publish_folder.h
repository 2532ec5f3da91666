/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the page room: the folder that an archive is published into. */
#ifndef PAGE_PUBLISH_FOLDER_H
#define PAGE_PUBLISH_FOLDER_H

#include <stddef.h>

#include "base/layout.h"
#include "page/publish.h"

typedef struct publish_folder {
	const char *path;
	int lock;
	text_list files; /* those of this time */
	publish_counts counts;
} publish_folder;

/* How each page begins, so that it can be told from other files. */
#define PUBLISH_BEGINS "<!DOCTYPE html>\n<!-- evenhand archive -->\n"

/* malloc'd "case-gemm-f32-0123456789abcdef0123456789abcdef.html": letters of the name, and its digest, so
 * that names of others are never names of files and no two are the same. */
char *publish_name(const char *kind, const char *name);

/* Makes the folder ours, or refuses it (EH_E_USAGE); waits while another one publishes there.  On success
 * *out needs publish_folder_close. */
eh_status publish_folder_open(const char *path, publish_folder *out, eh_error *error);
/* A file that has these bytes already is left alone. */
eh_status publish_folder_write(publish_folder *f, const char *name, const void *bytes, size_t size,
                               eh_error *error);
/* Removes pages that were not written this time. */
eh_status publish_folder_sweep(publish_folder *f, eh_error *error);
void publish_folder_close(publish_folder *f);

#endif

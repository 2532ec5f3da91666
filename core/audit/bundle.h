/* SPDX-License-Identifier: Apache-2.0 */
/* A bundle: results and all that a stranger needs to check and repeat them, in one archive (tar,
 * gzip; docs/audit.md).  Reading keeps everything in memory and writes nowhere. */
#ifndef AUDIT_BUNDLE_H
#define AUDIT_BUNDLE_H

#include <stdbool.h>
#include <stddef.h>

#include "audit/audit.h"
#include "base/error.h"

#define BUNDLE_MANIFEST "manifest.json"

typedef struct bundle_member {
	char *name;    /* "results/host-gcc-12.json"                                           */
	char *data;    /* with a NUL after the last byte                                       */
	size_t size;
} bundle_member;

typedef struct bundle { bundle_member *members; size_t count; } bundle;

/* Whether the file begins as a bundle does (gzip). */
bool bundle_is(const char *path);
/* Refuses with EH_E_FORMAT: what is no archive, or has anything behind its end; absolute names, "..",
 * odd characters, names there twice (or that some file systems take for one), links and everything
 * that is no plain file; more than 4,096 members or 1 GiB unpacked. */
eh_status bundle_read(const char *path, bundle *out, eh_error *error);
void bundle_free(bundle *b);
const bundle_member *bundle_find(const bundle *b, const char *name);
/* The member that a path such as "X.evenhand/results/host.json" names, malloc'd with a NUL after the
 * last byte; EH_E_NOT_FOUND when no part of the path is a bundle, or it has no such member. */
eh_status bundle_member_read(const char *path, char **data, size_t *size, eh_error *error);
/* The same whatever the case of the letters. */
const bundle_member *bundle_find_like(const bundle *b, const char *name);
/* Unpacks the one gzip member that the bytes have to be, into malloc'd bytes of at most `most`. */
eh_status bundle_unpack(const char *path, const char *packed, size_t size, size_t most, char **out,
                        size_t *out_size, eh_error *error);
/* Whether the member is a result. */
bool bundle_is_result(const bundle_member *m);
/* Manifest against members, kernel texts against the results.  malloc'd sentences of what does not
 * hold, NULL-terminated. */
char **bundle_check(const bundle *b);
/* Writes the members below a folder that must be there and empty, and ours alone. */
eh_status bundle_extract(const bundle *b, const char *folder, eh_error *error);

typedef struct bundle_settings {
	const char *const *results; /* paths                                                   */
	size_t result_count;
	const char *journal;        /* NULL: none                                              */
	const char *kernels;        /* another folder with kernel texts; NULL: the installed ones */
	const audit_key *key;       /* signs the manifest; NULL: unsigned                       */
} bundle_settings;

/* The same inputs give the same bytes, but for the time within a signature. */
eh_status bundle_write(const bundle_settings *settings, const char *path, eh_error *error);

/* The digest of a program's source (program.source_sha256): over each define's name and value, the
 * prelude and the text, each as its length in decimal, ':' and its bytes. */
void bundle_source_digest(const cJSON *defines, const char *prelude, const char *body,
                          char hex[65]);

#endif

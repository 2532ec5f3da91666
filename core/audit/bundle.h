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

/* Whether the file begins like gzip. */
bool bundle_is(const char *path);
/* EH_E_FORMAT: not an archive, or bytes behind its end; absolute names, "..", odd characters;
 * doubled names (in any case of letters); anything but plain files; more than 4,096 members or 1
 * GiB unpacked. */
eh_status bundle_read(const char *path, bundle *out, eh_error *error);
void bundle_free(bundle *b);
const bundle_member *bundle_find(const bundle *b, const char *name);
/* The member that a path such as "X.evenhand/results/host.json" names, malloc'd with a NUL behind
 * the last byte; EH_E_NOT_FOUND when no part of the path is a bundle, or it has no such member. */
eh_status bundle_member_read(const char *path, char **data, size_t *size, eh_error *error);
/* The same whatever the case of the letters. */
const bundle_member *bundle_find_like(const bundle *b, const char *name);
/* Unpacks gzip of exactly one member into malloc'd bytes, `most` at most. */
eh_status bundle_unpack(const char *path, const char *packed, size_t size, size_t most, char **out,
                        size_t *out_size, eh_error *error);
/* Whether the member is a result. */
bool bundle_is_result(const bundle_member *m);
/* Compares the manifest with the members; appends a sentence for each error. */
void bundle_check(const bundle *b, text_list *problems);
/* Checks that the protocol and the kernel texts of one of its results are members. */
void bundle_check_result(const bundle *b, const char *name, const record_result *r,
                         text_list *problems);
/* Writes the members below an empty folder that nobody else uses. */
eh_status bundle_extract(const bundle *b, const char *folder, eh_error *error);

typedef struct bundle_settings {
	const char *const *results; /* paths                                                   */
	size_t result_count;
	const char *journal;        /* NULL: none                                              */
	const char *kernels;        /* another folder with kernel texts; NULL: the installed ones */
	const audit_key *key;       /* signs the manifest; NULL: unsigned                       */
} bundle_settings;

/* The same inputs give the same bytes, apart from the time in a signature. */
eh_status bundle_write(const bundle_settings *settings, const char *path, eh_error *error);

/* The digest of a program's source (program.source_sha256): over the name and value of each define
 * "NAME=VALUE", the prelude and the text, each as its length in decimal, ':' and its bytes. */
void bundle_source_digest(const text_list *defines, const char *prelude, const char *body,
                          char hex[65]);
/* Whether the record says which kernel text it was compiled from; NULL has none. */
bool bundle_has_source(const record_program *program);

#endif

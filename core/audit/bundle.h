/* SPDX-License-Identifier: Apache-2.0 */
/* A bundle: results and all that a stranger needs to check and repeat them, in one archive (tar,
 * gzip; docs/audit.md).  Reading keeps texts in memory and large results in a temporary file. */
#ifndef AUDIT_BUNDLE_H
#define AUDIT_BUNDLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "audit/audit.h"
#include "audit/planned.h"
#include "base/error.h"
#include "base/spill.h"

#define BUNDLE_MANIFEST "manifest.json"

typedef struct bundle_member {
	char *name;    /* "results/host-gcc-12.json"                                           */
	char *data;    /* with a NUL after the last byte; NULL: it is in the bundle's file      */
	size_t size;
	size_t at;     /* of its bytes in that file                                            */
	size_t hash;   /* of its name; internal                                                */
} bundle_member;

/* Starts as zeros. */
typedef struct bundle {
	bundle_member *members;
	size_t count, total;         /* members; their bytes                                     */
	size_t texts;                /* bytes of those that are neither results nor the journal  */
	size_t *slots, slot_count;   /* the members by name (bundle_index)                       */
	spill large;                 /* results and journals that are too large for memory       */
} bundle;

/* The bytes of any member; lent by the bundle, to which it belongs. */
source_bytes bundle_bytes(const bundle *b, const bundle_member *m);

/* Longest file name of a member, and of its part that is the caller's: the rest is for ".amendments"
 * and a number. */
enum { BUNDLE_NAME_MOST = 255, BUNDLE_STEM_MOST = 200 };
enum { BUNDLE_MEMBERS_MOST = 1 << 16 };

/* Whether the file begins like gzip. */
bool bundle_is(const char *path);
/* EH_E_FORMAT: not an archive, or bytes behind its end; a member that a bundle does not have
 * (docs/audit.md); doubled names (in any case of letters); a signature or amendments beside nothing;
 * anything but plain files; more than 65,536 members.  EH_E_NO_MEMORY: more than 1 GiB unpacked, or
 * beyond another limit (base/limits.h). */
eh_status bundle_read(const char *path, bundle *out, eh_error *error);
eh_status bundle_read_source(const source_bytes *packed, bundle *out, eh_error *error);
void bundle_free(bundle *b);
/* Adds a member whose data of `size` bytes the caller sets; *out is valid until the next one is added.
 * EH_E_FORMAT for a name that a bundle cannot have, EH_E_NO_MEMORY beyond a limit; path is for the
 * message. */
eh_status bundle_add(bundle *b, const char *path, const char *name, uint64_t size, bundle_member **out,
                     eh_error *error);
/* Finds members again after their order was changed. */
void bundle_index(bundle *b);
/* Every signature and amendment is beside its member. */
eh_status bundle_check_beside(const bundle *b, const char *path, eh_error *error);
/* malloc'd file name of the path as a member may have it, ending in suffix. */
char *bundle_file_name(const char *path, const char *suffix);
const bundle_member *bundle_find(const bundle *b, const char *name);
/* The member that a path such as "X.evenhand/results/host.json" names, malloc'd with a NUL behind
 * the last byte; EH_E_NOT_FOUND when no part of the path is a bundle, or it has no such member. */
eh_status bundle_member_read(const char *path, char **data, size_t *size, eh_error *error);
/* The same whatever the case of the letters. */
const bundle_member *bundle_find_like(const bundle *b, const char *name);
/* Whether the member is a result. */
bool bundle_is_result(const bundle_member *m);
/* Whether the member of this name is a text of a few KB: neither a result nor the journal. */
bool bundle_is_text(const char *name);
/* Compares the manifest with the members; appends a sentence for each error. */
void bundle_check(const bundle *b, text_list *problems);
/* The kernel texts of a bundle, as its results are checked against them. */
typedef struct bundle_kernels {
	const bundle *b;
	atomic_size_t hashed;        /* bytes of them, for all results                           */
} bundle_kernels;
/* Finds, for result_examine, the kernel texts of a result's rows that are not members. */
result_watch bundle_watch_kernels(bundle_kernels *kernels);
/* EH_E_NO_MEMORY if the rows asked for more than LIMIT_HASHED allows, and the rest was not hashed. */
eh_status bundle_kernels_end(const bundle_kernels *kernels, const char *path, eh_error *error);
/* Appends what that found of a result, and whether its protocol is a member. */
void bundle_check_result(const bundle *b, const char *name, const record_result *r,
                         const result_watch *kernels, text_list *problems);
/* Makes a new folder of the members: the whole folder or nothing (base/fresh.h).  EH_E_USAGE where the name
 * exists. */
eh_status bundle_extract(const bundle *b, const char *folder, eh_error *error);

typedef struct bundle_settings {
	const char *const *results; /* paths                                                   */
	size_t result_count;
	const char *journal;        /* NULL: none                                              */
	const char *kernels;        /* another folder with kernel texts; NULL: the installed ones */
	const audit_key *key;       /* signs the manifest; NULL: unsigned                       */
	audit_planner *plan;        /* as verify has one; NULL: protocols are not planned again  */
} bundle_settings;

/* The same inputs give the same bytes, apart from the time in a signature.  What is written is read back and
 * verified before it has its name: EH_E_USAGE, EH_E_FORMAT or EH_E_ALTERED for a result, journal or kernel
 * text that readers would refuse, EH_E_NO_MEMORY beyond a limit. */
eh_status bundle_write(const bundle_settings *settings, const char *path, eh_error *error);

/* The digest of a program's source (program.source_sha256): over the name and value of each define
 * "NAME=VALUE", the prelude and the text, each as its length in decimal, ':' and its bytes. */
void bundle_source_digest(const text_list *defines, const char *prelude, const char *body,
                          char hex[65]);
/* Whether the record says which kernel text it was compiled from; NULL has none. */
bool bundle_has_source(const record_program *program);

#endif

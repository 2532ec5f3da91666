/* SPDX-License-Identifier: Apache-2.0 */
/* A result that no other command changes meanwhile.  Inside of the audit room. */
#ifndef AUDIT_HELD_H
#define AUDIT_HELD_H

#include "audit/audit.h"
#include "base/files.h"
#include "base/memory_bound.h"

typedef struct held {
	const char *path;        /* borrowed                                                       */
	result *r;
	char *bytes;             /* of the file                                                    */
	size_t size;
	const audit_evidence *evidence; /* of r                                                    */
	audit_finished finished; /* by held_open                                                   */
	int lock;                /* the open result                                                */
	struct rlimit unbound;   /* of the process, for memory_unbind                              */
} held;

/* Locks and reads the result, and finishes a redaction that was interrupted, if the user trusts the key
 * that announced it, or `asked` for it and owns the result: else EH_E_USAGE.  EH_E_ALTERED when the result
 * does not hold; EH_E_IO when its folder cannot be written.  *out needs held_close in any case; what
 * was finished is in it also after a failure. */
eh_status held_open(const char *path, bool asked, held *out, eh_error *error);
void held_close(held *h);

/* A link would be replaced by the redacted result, and what it leads to would keep the text: EH_E_USAGE. */
eh_status held_refuse_link(const char *path, eh_error *error);
/* Begins to write the result anew; the new file stays whose it was, and as open as it was. */
eh_status held_writer(const held *h, file_writer **out, eh_error *error);
/* Writes RESULTSUFFIX.  A file that it replaces gives its mode, within that of the result; group and
 * owner are the result's.  EH_E_IO beyond LIMIT_BESIDE. */
eh_status held_write_beside(const held *h, const char *suffix, const char *body, size_t size,
                            eh_error *error);
/* How many other names (hard links) the file has that was locked: its bytes stay there when it is
 * replaced. */
size_t held_other_names(const held *h);

#endif

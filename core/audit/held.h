/* SPDX-License-Identifier: Apache-2.0 */
/* A result that no other command changes meanwhile.  Inside of the audit room. */
#ifndef AUDIT_HELD_H
#define AUDIT_HELD_H

#include "audit/audit.h"

typedef struct held {
	const char *path;        /* borrowed                                                       */
	result *r;
	char *bytes;             /* of the file                                                    */
	size_t size;
	audit_evidence *evidence;
	text_list finished;      /* members of a redaction that was interrupted, and made by held_open */
	int lock;
} held;

/* Locks and reads the result, and finishes a redaction that was interrupted.  EH_E_ALTERED when it does
 * not hold; EH_E_IO when its folder cannot be written.  *out needs held_close in any case. */
eh_status held_open(const char *path, held *out, eh_error *error);
void held_close(held *h);

#endif

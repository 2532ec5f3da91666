/* SPDX-License-Identifier: Apache-2.0 */
/* Where agreements to a protocol lie, and those that a run has when it begins. */
#ifndef CLI_AGREEMENTS_H
#define CLI_AGREEMENTS_H

#include "audit/agreement.h"
#include "protocol/protocol.h"

/* malloc'd: the folder of the protocol where it is named by path, else the current one. */
char *agreements_place(const char *word);
/* Adds the agreements to this name and version in `given`, a file or a folder, or with NULL in the
 * protocol's place.  One that does not hold, or is signed in the future, is an error where `given` names
 * it, else a warning; so is a place without any.  *out is the caller's in any case. */
eh_status agreements_gather(const char *word, const char *given, record_agreement_list *out,
                            eh_error *error);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Checks before a run: whether every executor discloses what the protocol requires, and whether a
 * certified run is allowed here. */
#ifndef RUN_CERTIFY_H
#define RUN_CERTIFY_H

#include "base/text.h"
#include "run/manifest.h"

/* EH_OK at once when the protocol requires nothing.  Else each executor is described (survey.h):
 * EH_E_UNAVAILABLE, with one line for each executor and missing field on stderr, and what can be
 * done about it. */
eh_status certify_check(const manifest *m, eh_error *error);

/* The same for one executor; adds lines "NAME: FIELD is ...: remedy" to out and returns how many.
 * harness: the program that measures; looked at for level = certified alone. */
size_t certify_record(const protocol *p, const record_executor *record, const record_who *who,
                      const record_harness *harness, text *out);

#endif

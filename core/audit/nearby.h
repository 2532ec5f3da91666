/* SPDX-License-Identifier: Apache-2.0 */
/* Where a text stands beside a result.  Inside of the audit room. */
#ifndef AUDIT_NEARBY_H
#define AUDIT_NEARBY_H

#include "record/reach.h"

/* Appends the places in RESULT.sig and in the text of RESULT.amendments. */
eh_status nearby_evidence(const reach *r, const char *path, const char *amendments,
                          text_list *places, eh_error *error);
/* Appends a sentence for each other file of the result's folder that holds the text, in any spelling
 * (audit/filesearch.h), or that cannot be searched, and for a folder that cannot be listed. */
void nearby_files(const reach *r, const char *path, text_list *sentences);

#endif

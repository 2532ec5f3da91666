/* SPDX-License-Identifier: Apache-2.0 */
/* Whether an executor record holds a fact (record/fields.h), and where it is from. */
#ifndef RECORD_DISCLOSURE_H
#define RECORD_DISCLOSURE_H

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "record/fields.h"

typedef struct disclosure {
	char value[200];
	char source[16];   /* measured, queried, declared, or unavailable                       */
} disclosure;

/* who: {tester, party, sponsor} of the run, may be NULL.  True when the fact is there: the record
 * has it, a site file declares it, or it means nothing for this device ("not applicable"). */
bool disclosure_find(const cJSON *record, const cJSON *who, const disclosure_field *field,
                     disclosure *out);

#endif

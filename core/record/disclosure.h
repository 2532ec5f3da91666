/* SPDX-License-Identifier: Apache-2.0 */
/* Facts (record/fields.h) of an executor's record, and their sources. */
#ifndef RECORD_DISCLOSURE_H
#define RECORD_DISCLOSURE_H

#include <stdbool.h>

#include "record/fields.h"
#include "record/record.h"

typedef struct disclosure {
	char value[200];
	enum record_source source;
} disclosure;

/* who: of the run, may be NULL.  True when the record has the fact, a site file declares
 * it, or it does not apply to this device. */
bool disclosure_find(const record_executor *record, const record_who *who,
                     const disclosure_field *field, disclosure *out);

/* Whether the field belongs to the stack's identity: no fact of the moment ("now-..."), and of a
 * setting its value alone. */
bool disclosure_is_lasting(const record_layer *layer, const record_field *field);

/* False of mapped objects that are kernels, workloads or probes: they are not part of the stack. */
bool disclosure_is_stack(const record_layer *layer);

#endif

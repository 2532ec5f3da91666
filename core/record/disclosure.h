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

/* True when the fact is known: the record has it, a site file declares it, or it does not apply to
 * this device ("not applicable").  `who` is that of the run and may be NULL. */
bool disclosure_find(const record_executor *record, const record_who *who,
                     const disclosure_field *field, disclosure *out);

/* The layer's field of that name, or NULL. */
const record_field *disclosure_layer_field(const record_layer *layer, const char *name);
/* False for a mapped object that is a kernel, a workload or a probe: these are not part of the
 * stack. */
bool disclosure_is_stack(const record_layer *layer);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Whether an executor record holds a fact (record/fields.h), and where it is from. */
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

/* The field of that name, NULL when the layer has none. */
const record_field *disclosure_layer_field(const record_layer *layer, const char *name);
/* False of mapped objects that are kernels, workloads or probes: they are not part of the stack. */
bool disclosure_is_stack(const record_layer *layer);

#endif

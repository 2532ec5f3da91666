/* SPDX-License-Identifier: Apache-2.0 */
/* What an executor record says, layer by layer and fact by fact. */
#ifndef REPORT_LAYERS_H
#define REPORT_LAYERS_H

#include <stdbool.h>
#include <stdio.h>

#include "record/record.h"

#define LAYOUT_FILE "report/layers.def"
#define LAYOUT_NAME(name) layers_##name
#include "base/layout_structs.h"
#undef LAYOUT_FILE
#undef LAYOUT_NAME

/* Fills an initialised struct; who may be NULL. */
void layers_find_facts(const record_executor *record, const record_who *who, layers_facts *out);

/* malloc'd: who makes a layer and which team owns it, either may be NULL or "": "NVIDIA; owner: GPU
 * team"; "" when nobody is named. */
char *layers_who(const char *maker, const char *owner);

/* Both false when writing failed. */
bool report_layers(FILE *out, const record_executor *record);
bool report_facts(FILE *out, const layers_facts *facts);

#endif

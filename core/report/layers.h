/* SPDX-License-Identifier: Apache-2.0 */
/* What an executor record says, layer by layer and fact by fact. */
#ifndef REPORT_LAYERS_H
#define REPORT_LAYERS_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdio.h>

/* All false when writing failed.  who: {tester, party, sponsor}, may be NULL. */
bool report_layers(FILE *out, const cJSON *record);
bool report_fields(FILE *out, const cJSON *record, const cJSON *who);
cJSON *report_fields_json(const cJSON *record, const cJSON *who);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of reading JSON: where the reader is, and what it reads by itself. */
#ifndef BASE_JSON_SCAN_H
#define BASE_JSON_SCAN_H

#include "base/json.h"

typedef struct scan {
	const char *text, *end, *at;
	const char *name;
	eh_error *error;
	bool build;
	json_arena *arena; /* NULL: nodes and texts are malloc'd                               */
	size_t size;       /* bytes of the last string that was built                          */
	cJSON spare;       /* stands for every node where none is built                        */
} scan;

static inline bool scan_take(scan *s, char c)
{
	if (s->at == s->end || *s->at != c)
		return false;
	s->at++;
	return true;
}

/* EH_E_FORMAT with the place: "NAME:3:17: what". */
eh_status scan_refuse(const scan *s, const char *what);
/* Memory of the tree, not zeroed. */
void *scan_get(const scan *s, size_t size);
/* At a digit or a minus. */
eh_status scan_number(scan *s, cJSON *item);
/* At the opening quote; *out is NULL where nothing is built. */
eh_status scan_string(scan *s, char **out);

#endif

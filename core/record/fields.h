/* SPDX-License-Identifier: Apache-2.0 */
/* The facts about an executor that a protocol can require (`requires`), by dotted name.  One table
 * for the protocol reader, the check before a run, `evenhand devices --fields` and site files. */
#ifndef RECORD_FIELDS_H
#define RECORD_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct disclosure_field {
	const char *name;      /* "hardware.ecc"                                                 */
	const char *layer;     /* kind of the layers that hold it; "device", "who" or "site" else */
	const char *keys;      /* their field, or "a|b"; "version" and "sha256" are members       */
	const char *site_key;  /* the key of a site file that declares it; NULL = none            */
	bool certified;        /* required by level = certified                                   */
	bool cpu_exempt;       /* does not apply to a processor                                   */
	const char *remedy;    /* how to get it                                                   */
} disclosure_field;

size_t disclosure_fields(const disclosure_field **out);
/* NULL when there is none of that name. */
const disclosure_field *disclosure_field_find(const char *name);
/* The nearest name, or NULL. */
const char *disclosure_field_near(const char *name);

#endif

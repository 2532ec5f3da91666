/* SPDX-License-Identifier: Apache-2.0 */
/* Which executors are there: one child process per backend file lists its devices, so that a
 * driver that crashes or hangs costs a line. */
#ifndef RUN_DISCOVER_H
#define RUN_DISCOVER_H

#include <stdbool.h>

#include "base/error.h"
#include "evenhand/backend.h"

typedef struct found_device {
	uint32_t index;
	eh_status status;        /* EH_OK = listed as usable                                     */
	char *reason;            /* when not                                                     */
	char *executor;          /* "opencl:pocl-0"                                              */
	eh_device_info info;
} found_device;

typedef struct found_backend {
	char *name, *path;
	char *title, *version, *license; /* NULL when it could not be loaded                     */
	eh_status status;        /* of loading and starting                                      */
	char *reason;            /* when not EH_OK: one sentence with the advice                 */
	char **notes;            /* NULL-terminated, may be NULL                                 */
	found_device *devices;
	size_t device_count;
} found_backend;

/* All backends of the search path, in order of name; children run side by side, each with a
 * deadline. */
size_t discover(found_backend **out);
void discover_free(found_backend *backends, size_t count);

/* The hidden subcommand of the child: lists the backend at path as JSON on stdout. */
int discover_child(const char *path);

/* Usable devices that match one of a comma list of selectors: "all", "BACKEND", "BACKEND:INDEX",
 * "BACKEND:TEXT" (TEXT in id, name or platform, any case).  EH_E_USAGE with the list of what
 * there is when a selector matches nothing.  *out: pointers into backends, malloc'd. */
typedef struct selected { const found_backend *backend; const found_device *device; } selected;
eh_status discover_select(const found_backend *backends, size_t count, const char *selectors,
                          selected **out, size_t *out_count, eh_error *error);

#endif

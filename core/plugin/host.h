/* SPDX-License-Identifier: Apache-2.0 */
/* The eh_host table that a backend is started with: log, clock, options, digest. */
#ifndef PLUGIN_HOST_H
#define PLUGIN_HOST_H

#include <stdbool.h>

#include "evenhand/backend.h"

/* Adds one --set BACKEND.KEY=VALUE of the command line for the life of the process.  EH_E_USAGE for
 * any other form. */
eh_status host_option_set(const char *assignment, eh_error *error);
/* The assignments so far, NULL-terminated, to be passed on to a child process. */
const char *const *host_options(void);
/* Whether a backend of this process has read assignment number `index`.  If none has, the
 * assignment has no effect. */
bool host_option_used(size_t index);

/*
 * The table for the backend of that name; lives until the process ends.  option() returns the value
 * that the user set last.  Unless the user set them, "library-dir" is the installed plugin folder
 * and "cache-dir" is the backend's folder in the user's cache, which is made with mode 0700;
 * NAME.cache-dir=none turns caching off.
 */
const eh_host *host_table(const char *backend_name);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The eh_host table that a backend is started with: log, clock, options, digest. */
#ifndef PLUGIN_HOST_H
#define PLUGIN_HOST_H

#include <stdbool.h>

#include "evenhand/backend.h"

/* One --set BACKEND.KEY=VALUE of the command line, kept for the process.  EH_E_USAGE when it is
 * not of that form. */
eh_status host_option_set(const char *assignment, eh_error *error);
/* The assignments made so far, NULL-terminated, to hand on to a child process. */
const char *const *host_options(void);
/* Whether a backend of this process asked for the setting of assignment number `index`: one that
 * none asks for changes nothing. */
bool host_option_used(size_t index);

/*
 * The table for the backend of that name; lives until the process ends.  option() answers what
 * the user set, the last assignment of a key winning.  Unless the user set them, "library-dir" is
 * the installed plugin folder and "cache-dir" a folder of that backend in the user's cache, made
 * with mode 0700; NAME.cache-dir=none switches caching off.
 */
const eh_host *host_table(const char *backend_name);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Internal to audit/: the members of a bundle that is written. */
#ifndef AUDIT_BUNDLE_COLLECT_H
#define AUDIT_BUNDLE_COLLECT_H

#include "audit/bundle.h"

/* Adds all members to an empty bundle, which needs bundle_free in any case; the manifest and its signature
 * are the last.  `path` is that of the bundle, for messages; errors are those of bundle_write. */
eh_status bundle_collect(bundle *b, const bundle_settings *settings, const char *path, eh_error *error);

#endif

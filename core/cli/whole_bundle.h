/* SPDX-License-Identifier: Apache-2.0 */
/* Bundles that hold, as a command needs them. */
#ifndef CLI_WHOLE_BUNDLE_H
#define CLI_WHOLE_BUNDLE_H

#include "audit/bundle.h"
#include "base/error.h"

/* Reads the bundle.  EH_E_ALTERED with the first problem that verify finds in it; `done` is what is not done
 * with it then: "reproduced".  The bytes in *out, which needs bundle_free, are those that were verified. */
eh_status whole_bundle_read(const char *path, const char *done, bundle *out, eh_error *error);
/* The same sentence for another problem. */
eh_status whole_refuse(const char *path, const char *done, const char *why, eh_error *error);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Bundles that hold, as a command needs them. */
#ifndef CLI_WHOLE_BUNDLE_H
#define CLI_WHOLE_BUNDLE_H

#include "base/error.h"

/* EH_E_ALTERED with the first problem that verify finds in the bundle; `done` is what is not done with
 * it then: "reproduced". */
eh_status whole_bundle(const char *path, const char *done, eh_error *error);
/* The same sentence for another problem. */
eh_status whole_refuse(const char *path, const char *done, const char *why, eh_error *error);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Which compiled kernels may be used again: drivers and compilers read variables that change the code
 * and that their own caches do not know (Mesa's takes code of another LP_NATIVE_VECTOR_WIDTH). */
#ifndef PLUGIN_CACHEKEY_H
#define PLUGIN_CACHEKEY_H

/* malloc'd: the subfolder for what is compiled under these variables, "settings-" and 12 digits; NULL
 * when none of them is set.  environment: NAME=VALUE, NULL-terminated. */
char *cachekey_folder(const char *const *environment);

#endif

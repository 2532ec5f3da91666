/* SPDX-License-Identifier: Apache-2.0 */
/* What can be told of a shared object by reading its bytes, before the dynamic linker, which
 * crashes on some damaged files, is let near it. */
#ifndef PLUGIN_OBJECT_FILE_H
#define PLUGIN_OBJECT_FILE_H

#include "base/error.h"

/* EH_OK when path is a whole ELF shared object for this machine; else EH_E_INCOMPATIBLE or an
 * error of reading, with one sentence that begins with the path. */
eh_status object_file_check(const char *path, eh_error *error);

/* The names it exports, joined by ", ", without those that linkers and sanitizers add; malloc'd.
 * NULL when it cannot be told (no section headers). */
char *object_file_exports(const char *path, size_t *count);

#endif

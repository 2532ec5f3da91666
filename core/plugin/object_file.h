/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of a shared object that read only its bytes.  They come before dlopen, as the dynamic
 * linker crashes on some damaged files. */
#ifndef PLUGIN_OBJECT_FILE_H
#define PLUGIN_OBJECT_FILE_H

#include "base/error.h"

/* EH_OK when path is a complete ELF shared object for this machine; else EH_E_INCOMPATIBLE, or the
 * error of reading it.  The message is one sentence that begins with the path. */
eh_status object_file_check(const char *path, eh_error *error);

/* malloc'd: the exported names, joined by ", ", without those that linkers and sanitizers add;
 * *count is their number.  NULL when the file has no section headers. */
char *object_file_exports(const char *path, size_t *count);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of a shared object that read only its bytes.  They come before dlopen, as the dynamic
 * linker crashes on some damaged files. */
#ifndef PLUGIN_OBJECT_FILE_H
#define PLUGIN_OBJECT_FILE_H

#include "base/error.h"

/* EH_OK when path may be relied upon (base/trust.h) and is a complete ELF shared object for this
 * machine, which is EH_E_INCOMPATIBLE otherwise.  The message is one sentence that begins with the
 * path.  *real (NULL = not wanted) is the path to load it by, malloc'd; set on success only. */
eh_status object_file_trust(const char *path, char **real, eh_error *error);

/* malloc'd: the exported names, joined by ", ", without those that linkers and sanitizers add;
 * *count is their number.  NULL when the file has no section headers. */
char *object_file_exports(const char *path, size_t *count);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Whose files are run: a plugin is code, so nobody but this user and root may have been able to
 * write it. */
#ifndef PLUGIN_TRUST_H
#define PLUGIN_TRUST_H

#include "base/error.h"

/* EH_OK, or EH_E_UNAVAILABLE with one sentence.  A folder or file is trusted when this user or
 * root owns it and nobody else may write to it.  Writing by a group is allowed when the group is
 * root's or the owner's private one: of the owner's name, the owner's primary one, nobody else in it.
 * Not for several threads at once (it asks for accounts). */
eh_status trust_folder(const char *path, eh_error *error);
/* The same for a regular file, its folder, and both again where a symbolic link leads. */
eh_status trust_file(const char *path, eh_error *error);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Which files may be loaded: a plugin is code, so only this user and root may be able to write
 * it. */
#ifndef PLUGIN_TRUST_H
#define PLUGIN_TRUST_H

#include "base/error.h"

/* EH_OK when the folder is trusted, else EH_E_UNAVAILABLE with one sentence.  A folder or file is
 * trusted when this user or root owns it and nobody else may write to it.  A group may have write
 * permission if it is root's or the owner's private group: it has the owner's name, is the owner's
 * primary group and has no other members.  Not thread-safe (getpwuid, getgrgid). */
eh_status trust_folder(const char *path, eh_error *error);
/* The same for a regular file and its folder; for a symbolic link also for its target. */
eh_status trust_file(const char *path, eh_error *error);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which files may be loaded: a plugin is code, so nobody may be able to change it who could not
 * change the program itself.  The whole way to it is checked, from the root, through links:
 *
 * - owner: root, this user, or who owns the program's file or a folder above it;
 * - a group with write permission: root's, the owner's private group (it has the owner's name, is
 *   the owner's primary group and has no other members), or one that can write to the program's
 *   file or a folder above it;
 * - others may not write, but to a sticky folder such as /tmp, where they cannot replace what they
 *   do not own.
 *
 * So nobody else can exchange the file between the check and the use of the path that it gives, and
 * that path is opened, not a descriptor: the loader finds $ORIGIN by it.
 *
 * EH_E_UNAVAILABLE with one sentence that names the place and the remedy.  Not thread-safe
 * (getpwuid, getgrgid).
 */
#ifndef PLUGIN_TRUST_H
#define PLUGIN_TRUST_H

#include "base/error.h"

/* The folder must not be sticky and open to others. */
eh_status trust_folder(const char *path, eh_error *error);
/* *real (NULL = not wanted) is the file's path without links, malloc'd; set on success only.
 * EH_E_INCOMPATIBLE for what is not a regular file. */
eh_status trust_file(const char *path, char **real, eh_error *error);

#endif

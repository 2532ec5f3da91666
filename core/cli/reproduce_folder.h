/* SPDX-License-Identifier: Apache-2.0 */
/* The folder that `evenhand reproduce` measures in: beside the journal lie the protocol, and out of a
 * bundle the result with what vouches for it. */
#ifndef CLI_REPRODUCE_FOLDER_H
#define CLI_REPRODUCE_FOLDER_H

#include <stdbool.h>

#include "audit/bundle.h"

/* EH_E_USAGE where a new run would take the place of something. */
eh_status reproduce_folder_check(const char *folder, eh_error *error);
/* Where no run came about nothing is left of it; the folder too, when it was made for it. */
void reproduce_folder_undo(const char *folder, bool made_here);
/* Whether the result that a run was begun for is this member; EH_E_NOT_FOUND: there is none yet,
 * EH_E_USAGE: it is another one. */
eh_status reproduce_folder_same(const char *path, const bundle_member *m, eh_error *error);

#endif

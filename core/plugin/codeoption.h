/* SPDX-License-Identifier: Apache-2.0 */
/* Which settings of backends and probes lead to code that is run. */
#ifndef PLUGIN_CODEOPTION_H
#define PLUGIN_CODEOPTION_H

#include <stdbool.h>

/* Whether the assignment BACKEND.KEY=VALUE may name a library, a program or a folder that code is loaded
 * from.  Such a setting is the user's alone: it is never taken from a journal.  Harmless are numbers and
 * words such as yes, off and auto, unless the key ends as those of places and programs do, and
 * cache-dir=none; everything else may be a name. */
bool codeoption_is(const char *assignment);

#endif

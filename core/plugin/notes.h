/* SPDX-License-Identifier: Apache-2.0 */
/* Notes of a plugin: sentences, one a line. */
#ifndef PLUGIN_NOTES_H
#define PLUGIN_NOTES_H

#include "base/layout.h"
#include "plugin/session.h"

/* Adds each line that is not empty as a clean text; changes notes. */
void notes_add(text_list *out, char *notes);
/* Adds those of a started backend. */
void notes_backend(const session *s, text_list *out);

#endif

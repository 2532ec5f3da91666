/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/notes.h"

#include <string.h>

void notes_add(text_list *out, char *notes)
{
	char *line;

	while ((line = strsep(&notes, "\n")) != NULL) {
		text_clean(line);
		if (*line != '\0')
			text_list_add(out, line);
	}
}

void notes_backend(const session *s, text_list *out)
{
	char notes[8192] = "";

	if (!EH_HAS(s->ops, eh_backend_ops, notes))
		return;
	s->ops->notes(s->self, notes, sizeof(notes));
	notes[sizeof(notes) - 1] = '\0';
	notes_add(out, notes);
}

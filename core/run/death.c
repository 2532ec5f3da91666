/* SPDX-License-Identifier: Apache-2.0 */
#include "run/death.h"

#include <string.h>

#include "base/log.h"
#include "base/text.h"

char *death_text(const child_end *end)
{
	const char *short_name = end->signalled ? sigabbrev_np(end->code) : NULL;
	const char *words = end->last_words;
	text t = { 0 };

	if (short_name != NULL)
		text_add(&t, "was killed by signal %d (SIG%s: %s)", end->code, short_name,
		         sigdescr_np(end->code));
	else if (end->signalled)
		text_add(&t, "was killed by signal %d", end->code);
	else
		text_add(&t, "ended with status %d", end->code);
	words += strspn(words, " ");
	if (words[0] != '\0')
		text_add(&t, "; its last words: %s", words);
	return t.data;
}

void death_survivors(const char *whose, const child_end *end)
{
	if (end->survivors[0] != '\0')
		log_write(EH_LOG_WARN, "%s: processes that its driver left behind were ended, since they would "
		          "disturb what is measured next: %s", whose, end->survivors);
}

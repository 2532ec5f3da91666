/* SPDX-License-Identifier: Apache-2.0 */
/* Which agreements are to the plan of a run. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "run/manifest.h"

/* malloc'd. */
static char *other_plan(const manifest *m, const record_agreement *a)
{
	return memory_format("%s agreed to %s@%llu with the digest %.12s, and that of this run is %.12s: the text "
	                     "or its sizes (--class, --cache, --units) are not those that were agreed on", a->team,
	                     m->protocol->name, (unsigned long long)m->protocol->version, a->digest,
	                     m->plan->digest);
}

static void take(manifest *m, const record_agreement *a)
{
	layout_copy(record_agreement_layout(), a, layout_append(record_agreement_layout(), &m->agreements));
	log_write(EH_LOG_INFO, "the results will have the agreement of %s, by the key %.12s at %s", a->team,
	          a->fingerprint, a->time);
}

eh_status manifest_agree(manifest *m, const record_agreement_list *all, bool asked, eh_error *error)
{
	eh_status status = EH_OK;

	for (size_t i = 0; all != NULL && i < all->count && status == EH_OK; i++) {
		const record_agreement *a = &all->items[i];
		char *why = strcmp(a->digest, m->plan->digest) != 0 ? other_plan(m, a) : NULL;

		if (why == NULL)
			take(m, a);
		else if (asked)
			status = error_set(error, EH_E_USAGE, "%s", why);
		else
			log_write(EH_LOG_WARN, "%s; the results will not have this agreement", why);
		free(why);
	}
	return status;
}

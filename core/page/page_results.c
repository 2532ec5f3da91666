/* SPDX-License-Identifier: Apache-2.0 */
/* Who measured what under which protocol, and who vouches for it. */
#include <stdlib.h>

#include "audit/audit.h"
#include "base/markup.h"
#include "base/text.h"
#include "page/page_parts.h"

static void put_evidence(FILE *out, const result *r)
{
	const audit_evidence *trust;
	eh_error error = ERROR_INIT;
	eh_status status = audit_trust(r, &trust, &error);

	markup_put(out, "<td>%s</td>", status == EH_OK ? trust->sentence : error.message);
}

static void put_who(FILE *out, const record_who *who)
{
	markup_put(out, "<td>%s%s%s%s%s</td>", who->tester[0] != '\0' ? who->tester : "not stated",
	         who->party[0] != '\0' ? ", " : "", who->party, who->sponsor[0] != '\0' ? ", sponsored by " : "",
	         who->sponsor);
}

static void put_result(FILE *out, const grid *g, size_t i)
{
	const record_result *r = grid_result(g, i)->record;
	char *name = grid_full_name(g, i);

	markup_put(out, "<tr><th scope=\"row\">%s%s</th><td>%s</td>", name,
	         grid_is_reference(g, i) && g->mode == GRID_AGAINST ? " (reference)" : "",
	         text_or_empty(r->executor.device.name));
	markup_put(out, "<td>%s@%llu</td><td>%llu of %llu</td><td>%s</td>", r->protocol.name,
	         (unsigned long long)r->protocol.version, (unsigned long long)r->run.executions.done,
	         (unsigned long long)(r->run.executions.planned != LAYOUT_NO_UINT ? r->run.executions.planned :
	                              r->run.executions.declared),
	         record_completeness_word(r->status));
	markup_put(out, "<td><time>%s</time></td>", r->run.started);
	put_who(out, &r->who);
	put_evidence(out, grid_result(g, i));
	markup_put(out, "</tr>\n");
	free(name);
}

void page_results(FILE *out, const grid *g)
{
	static const char *const heads[] = { "executor", "device", "protocol", "executions", "run", "started",
		                             "measured by", "vouched for" };

	page_section(out, "results", "Who measured what");
	page_table(out, "The results of this report");
	page_heads(out, heads, sizeof(heads) / sizeof(*heads));
	for (size_t i = 0; i < grid_results(g); i++)
		put_result(out, g, i);
	page_table_end(out);
	markup_put(out, "</section>\n");
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What an auditor asks for: digests, signatures and amendments, deviations, the protocol's text; and
 * the commands that measure the same again. */
#include <stdlib.h>
#include <string.h>

#include "audit/audit.h"
#include "base/markup.h"
#include "base/text.h"
#include "page/page_parts.h"
#include "report/report.h"

static void put_digests(FILE *out, const grid *g)
{
	static const char *const heads[] = { "executor", "file", "digest of the result", "digest of the stack",
		                             "digest of the protocol", "run", "evenhand" };

	page_table(out, "Digests");
	page_heads(out, heads, sizeof(heads) / sizeof(*heads));
	for (size_t i = 0; i < grid_results(g); i++) {
		const result *of = grid_result(g, i);
		const record_result *r = of->record;
		char *name = grid_full_name(g, i);

		markup_put(out, "<tr><th scope=\"row\">%s</th><td>%s</td><td><code class=\"digest\">%s</code></td><td><code class=\"digest\">%s</code></td>"
		         "<td><code class=\"digest\">%s</code></td><td>%s</td><td>%s, commit %s%s</td></tr>\n", name, of->path, r->digest,
		         r->executor.digest, r->protocol.digest, r->run.id, r->harness.version, r->harness.commit,
		         r->harness.dirty ? ", changed" : "");
		free(name);
	}
	page_table_end(out);
}

/* What report_evidence prints. */
static void put_evidence(FILE *out, const result *of, const char *name)
{
	const audit_evidence *trust;
	eh_error error = ERROR_INIT;
	char *words = NULL;
	size_t size;
	FILE *memory;

	if (audit_trust(of, &trust, &error) != EH_OK)
		return;
	memory = memory_insist(open_memstream(&words, &size));
	(void)report_evidence(memory, name, trust);
	(void)fclose(memory);
	if (size > 0) {
		markup_put(out, "<pre>");
		markup_text(out, words);
		markup_put(out, "</pre>\n");
	}
	free(words);
}

static void put_deviations(FILE *out, const record_protocol *p, const char *name)
{
	for (size_t i = 0; i < p->deviations.count; i++)
		markup_put(out, "<p>%s deviates from its protocol: %s</p>\n", name, p->deviations.items[i]);
}

/* Each protocol once. */
static void put_protocols(FILE *out, const grid *g)
{
	for (size_t i = 0; i < grid_results(g); i++) {
		const record_protocol *p = &grid_result(g, i)->record->protocol;
		bool known = false;

		for (size_t k = 0; k < i && !known; k++)
			known = strcmp(grid_result(g, k)->record->protocol.digest, p->digest) == 0;
		if (known)
			continue;
		markup_put(out, "<details><summary>Protocol %s@%llu, verbatim</summary><pre>", p->name,
		         (unsigned long long)p->version);
		markup_text(out, p->text);
		markup_put(out, "</pre></details>\n");
	}
}

static void put_commands(FILE *out, const grid *g)
{
	markup_put(out, "<h3>Measure the same again</h3>\n<p>On the same stack, or on yours; the answer says what is "
	         "reproduced, and which layers differ:</p>\n<pre>");
	for (size_t i = 0; i < grid_results(g); i++) {
		char *path = text_shell_word(grid_result(g, i)->path);

		markup_put(out, "evenhand reproduce %s", path);
		markup_text(out, "\n");
		free(path);
	}
	markup_put(out, "</pre>\n<p>Whether the files are what was measured:</p>\n<pre>evenhand verify");
	for (size_t i = 0; i < grid_results(g); i++) {
		char *path = text_shell_word(grid_result(g, i)->path);

		markup_put(out, " %s", path);
		free(path);
	}
	markup_put(out, "</pre>\n");
}

void page_records(FILE *out, const grid *g)
{
	page_section(out, "records", "Records, protocol, and how to reproduce");
	put_digests(out, g);
	for (size_t i = 0; i < grid_results(g); i++) {
		char *name = grid_full_name(g, i);

		put_deviations(out, &grid_result(g, i)->record->protocol, name);
		put_evidence(out, grid_result(g, i), name);
		free(name);
	}
	put_protocols(out, g);
	put_commands(out, g);
	markup_put(out, "</section>\n");
}

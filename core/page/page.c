/* SPDX-License-Identifier: Apache-2.0 */
#include "page/page.h"

#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/digest.h"
#include "base/files.h"
#include "base/markup.h"
#include "base/text.h"
#include "page/page_parts.h"

/* The files that go into every page, from the folder page of the data.  Built without dygraphs, a page has
 * neither charts nor scripts: library and script are NULL. */
typedef struct assets { char *style, *library_style, *library, *script; } assets;

static void assets_free(assets *a)
{
	free(a->style);
	free(a->library_style);
	free(a->library);
	free(a->script);
}

static bool asset_exists(const char *folder, const char *name)
{
	char *path = path_join(folder, name);
	bool exists = file_exists(path);

	free(path);
	return exists;
}

static eh_status asset_read(const char *folder, const char *name, char **out, eh_error *error)
{
	char *path = path_join(folder, name);
	size_t size;
	eh_status status = file_read(path, out, &size, error);

	free(path);
	return status;
}

static eh_status assets_read(assets *a, const char *folder, eh_error *error)
{
	eh_status status;

	*a = (assets){ 0 };
	status = asset_read(folder, "page.css", &a->style, error);
	if (status == EH_OK && asset_exists(folder, "dygraph.min.js")) {
		status = asset_read(folder, "dygraph.min.js", &a->library, error);
		if (status == EH_OK)
			status = asset_read(folder, "dygraph.min.css", &a->library_style, error);
		if (status == EH_OK)
			status = asset_read(folder, "page.js", &a->script, error);
	}
	if (status != EH_OK)
		assets_free(a);
	return status;
}

/* ---- the policy ------------------------------------------------------------------------------ */

/* malloc'd 'sha256-...' of a script, as the policy names those that may run. */
static char *script_hash(const char *script)
{
	unsigned char bytes[32];
	char hex[65], *base64, *out;

	digest_bytes(script, strlen(script), hex);
	for (size_t i = 0; i < sizeof(bytes); i++) {
		const char pair[] = { hex[2 * i], hex[2 * i + 1], '\0' };

		bytes[i] = (unsigned char)strtoul(pair, NULL, 16);
	}
	base64 = base64_text(bytes, sizeof(bytes));
	out = memory_format("'sha256-%s'", base64);
	free(base64);
	return out;
}

/* Nothing is loaded, and no script runs but these two, whatever else is in the page. */
static void put_policy(FILE *out, const assets *a)
{
	char *library = a->library != NULL ? script_hash(a->library) : memory_text("'none'");
	char *script = a->library != NULL ? script_hash(a->script) : memory_text("");

	(void)fprintf(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	              "style-src 'unsafe-inline'; script-src %s %s\">\n", library, script);
	free(library);
	free(script);
}

/* ---- the page -------------------------------------------------------------------------------- */

static const struct { const char *anchor, *name; void (*put)(FILE *out, const grid *g); } sections[] = {
	{ "answer", "Answer", page_answer },
	{ "results", "Who measured", page_results },
	{ "values", "Side by side", page_values },
	{ "limits", "Limits", page_limits },
	{ "cases", "Cases", page_cases },
	{ "stacks", "Stacks", page_stacks },
	{ "contract", "Contract", page_rules },
	{ "missing", "Not measured", page_missing },
	{ "records", "Records", page_records },
};
enum { SECTIONS = sizeof(sections) / sizeof(*sections) };

static void put_head(FILE *out, const grid *g, const assets *a)
{
	(void)fputs(PAGE_BEGINS "<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n", out);
	put_policy(out, a);
	markup_put(out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	         "<meta name=\"color-scheme\" content=\"light dark\">\n<title>%s</title>\n", g->title);
	(void)fprintf(out, "<style>\n%s\n%s</style>\n</head>\n<body>\n",
	              a->library != NULL ? a->library_style : "", a->style);
}

static void put_nav(FILE *out)
{
	markup_put(out, "<a class=\"skip\" href=\"#answer\">To the answer</a>\n<header><nav aria-label=\"Sections\">");
	for (size_t i = 0; i < SECTIONS; i++)
		markup_put(out, "<a href=\"#%s\">%s</a>", sections[i].anchor, sections[i].name);
	markup_put(out, "</nav></header>\n<main>\n");
}

static void put_foot(FILE *out, const assets *a)
{
	markup_put(out, "</main>\n<footer><p>Written by evenhand from the results above. Every number has its unit and "
	         "its 95 %% interval where the samples give one. %s</p></footer>\n",
	         a->library != NULL ? "Charts are drawn by dygraphs (MIT licence)."
	                            : "There are no charts: this evenhand was built without dygraphs.");
	if (a->library != NULL)
		(void)fprintf(out, "<script>%s</script>\n<script>%s</script>\n", a->library, a->script);
	(void)fputs("</body>\n</html>\n", out);
}

eh_status page_report(FILE *out, const grid *g, const char *folder, eh_error *error)
{
	assets a;
	eh_status status = assets_read(&a, folder, error);

	if (status != EH_OK)
		return status;
	put_head(out, g, &a);
	put_nav(out);
	for (size_t i = 0; i < SECTIONS; i++)
		sections[i].put(out, g);
	put_foot(out, &a);
	assets_free(&a);
	return EH_OK;
}

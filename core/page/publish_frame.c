/* SPDX-License-Identifier: Apache-2.0 */
/* What every page of an archive begins and ends with, and the files beside them. */
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/markup.h"
#include "base/text.h"
#include "page/publish_parts.h"

#define LIBRARY "dygraph.min.js"

static const struct { const char *to, *name; } places[] = {
	{ "index.html", "Overview" },
	{ "changes.html", "What changed" },
	{ "index.html#executors", "Executors" },
	{ "index.html#protocols", "Protocols" },
	{ "index.html#cases", "Cases" },
	{ "index.html#results", "Newest results" },
};

/* ---- the page -------------------------------------------------------------------------------- */

/* dygraphs places its labels by styles of elements. */
static void put_head(FILE *out, const char *name, const char *title, bool draws)
{
	(void)fprintf(out, PUBLISH_BEGINS "<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	              "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	              "style-src 'self'%s; script-src 'self'\">\n", draws ? " 'unsafe-inline'" : "");
	(void)fputs("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	            "<meta name=\"color-scheme\" content=\"light dark\">\n", out);
	markup_put(out, "<title>%s</title>\n", title);
	if (draws)
		markup_put(out, "<link rel=\"stylesheet\" href=\"dygraph.min.css\">\n");
	markup_put(out, "<link rel=\"stylesheet\" href=\"page.css\">\n</head>\n<body>\n"
	           "<a class=\"skip\" href=\"#content\">To the content</a>\n<header><nav aria-label=\"Pages\">");
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		markup_put(out, strcmp(places[i].to, name) == 0 ? "<a href=\"%s\" aria-current=\"page\">%s</a>" :
		                                                  "<a href=\"%s\">%s</a>", places[i].to, places[i].name);
	markup_put(out, "</nav></header>\n<main id=\"content\">\n");
}

static void put_foot(FILE *out, const publishing *p, bool draws)
{
	markup_put(out, "</main>\n<footer><p>Written by evenhand from its archive. A value stands with its 95 %% "
	           "interval where the samples give one, the median of fewer than six results with their range. A "
	           "number belongs to its executor and its protocol: <code>evenhand compare</code> says whether two "
	           "may be compared. %s</p></footer>\n", p->charts ? "Charts are drawn by dygraphs (MIT licence)." :
	                                     "There are no charts: this evenhand was built without dygraphs.");
	if (draws)
		markup_put(out, "<script src=\"" LIBRARY "\"></script>\n");
	markup_put(out, "<script src=\"page.js\"></script>\n</body>\n</html>\n");
}

eh_status publish_page(publishing *p, const char *name, const char *title, publish_body *body,
                       const publish_pick *pick, eh_error *error)
{
	char *bytes = NULL;
	size_t size;
	FILE *out = memory_insist(open_memstream(&bytes, &size));
	bool draws = p->charts && body == publish_case;
	eh_status status;

	put_head(out, name, title, draws);
	status = body(out, p, pick, error);
	put_foot(out, p, draws);
	(void)fclose(out);
	if (status == EH_OK)
		status = publish_folder_write(&p->folder, name, bytes, size, error);
	free(bytes);
	return status;
}

/* ---- beside them ----------------------------------------------------------------------------- */

static eh_status copy_asset(publishing *p, const char *name, eh_error *error)
{
	char *path = path_join(p->o->assets, name), *bytes;
	size_t size;
	eh_status status = file_read(path, &bytes, &size, error);

	free(path);
	if (status != EH_OK)
		return status;
	status = publish_folder_write(&p->folder, name, bytes, size, error);
	free(bytes);
	return status;
}

eh_status publish_assets(publishing *p, eh_error *error)
{
	static const char *const names[] = { "page.css", "page.js", LIBRARY, "dygraph.min.css" };
	char *library = path_join(p->o->assets, LIBRARY);
	eh_status status = EH_OK;

	p->charts = file_exists(library);
	free(library);
	for (size_t i = 0; i < (p->charts ? 4 : 2) && status == EH_OK; i++)
		status = copy_asset(p, names[i], error);
	return status;
}

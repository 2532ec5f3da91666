/* SPDX-License-Identifier: Apache-2.0 */
#include "page/page_parts.h"

#include "base/markup.h"

/* ---- markup ---------------------------------------------------------------------------------- */

void page_section(FILE *out, const char *anchor, const char *heading)
{
	markup_put(out, "<section id=\"%s\"><h2>%s</h2>\n", anchor, heading);
}

void page_table(FILE *out, const char *caption)
{
	markup_put(out, "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"%s\">"
	         "<table><caption>%s</caption>\n", caption, caption);
}

void page_table_end(FILE *out)
{
	markup_put(out, "</tbody></table></div>\n");
}

void page_heads(FILE *out, const char *const *heads, size_t count)
{
	markup_put(out, "<thead><tr>");
	for (size_t i = 0; i < count; i++)
		markup_put(out, "<th scope=\"col\">%s</th>", heads[i]);
	markup_put(out, "</tr></thead><tbody>\n");
}

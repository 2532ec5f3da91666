/* SPDX-License-Identifier: Apache-2.0 */
#include "page/chart.h"

#include <stdlib.h>

#include "base/base64.h"
#include "base/markup.h"
#include "base/text.h"
#include "page/page_parts.h"

#define LAYOUT_FILE "page/charts.def"
#define LAYOUT_NAME(name) name
#include "base/layout_tables.h"

void chart_axes(chart *c, chart_axis x, chart_axis y)
{
	text_set(&c->x_name, x.name);
	text_set(&c->x_unit, x.unit);
	text_set(&c->y_name, y.name);
	text_set(&c->y_unit, y.unit);
	c->x_log = x.log;
	c->y_log = y.log;
}

void chart_begin(chart *c, const grid *g, chart_axis x, chart_axis y)
{
	chart_axes(c, x, y);
	for (size_t i = 0; i < grid_results(g); i++) {
		char *name = grid_full_name(g, i);

		text_list_add(&c->groups, name);
		free(name);
	}
}

chart_line *chart_add(chart *c, const char *name, size_t group, const char *set)
{
	chart_line *l = layout_append(chart_line_layout(), &c->lines);

	text_set(&l->name, name);
	l->group = group;
	text_set(&l->set, set);
	return l;
}

/* Takes the place of *out. */
static void encode(char **out, const double *values, size_t n)
{
	unsigned char *bytes = memory_get(n * 4 + 1);

	for (size_t i = 0; i < n; i++) {
		float value = (float)values[i];
		uint32_t bits;

		memcpy(&bits, &value, 4);
		for (size_t k = 0; k < 4; k++)
			bytes[4 * i + k] = (unsigned char)(bits >> (8 * k));
	}
	free(*out);
	*out = base64_text(bytes, n * 4);
	free(bytes);
}

void chart_points(chart_line *l, const double *x, const double *y, size_t n)
{
	encode(&l->x, x, n);
	encode(&l->y, y, n);
}

void chart_intervals(chart_line *l, const double *low, const double *high, size_t n)
{
	encode(&l->low, low, n);
	encode(&l->high, high, n);
}

void chart_put(FILE *out, const chart *c, const char *caption)
{
	char *json;

	if (c->lines.count == 0)
		return;
	json = layout_text(chart_layout(), c, false);
	markup_put(out, "<figure class=\"chart\"><figcaption>%s</figcaption>"
	         "<script type=\"application/json\">", caption);
	markup_json(out, json);
	markup_put(out, "</script></figure>\n");
	free(json);
}

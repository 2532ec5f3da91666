/* SPDX-License-Identifier: Apache-2.0 */
#include "run/board.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static void add_value(text *t, const race *r, const board_line *line, double target)
{
	char value[32];
	double width, ns = race_value(r, line->at, &width);

	if (!(ns > 0))
		return;
	text_format_ns(ns, value);
	text_add(t, "%10s", value);
	if (isfinite(width))
		text_add(t, " +- %.2g %% of %.2g %%", width * 100, target * 100);
}

static void add_pair(text *t, const race *r, const board_line *line)
{
	static const char *const words[] = { [DECISION_OPEN] = "open", [DECISION_FASTER] = "faster",
		                             [DECISION_SLOWER] = "slower", [DECISION_EQUIVALENT] = "equal" };
	lockstep_ratio pair = race_pair(r, line->at.executor, line->at.index, true);

	if (pair.ratio > 0 && isfinite(pair.around.high))
		text_add(t, "%8.3gx  %.3g to %.3g  %s", pair.ratio, pair.around.low, pair.around.high,
		         words[pair.decision]);
	else if (pair.ratio > 0)
		text_add(t, "%8.3gx", pair.ratio);
}

void board_show(progress *p, const race *r, const board_line *lines, size_t count, double target)
{
	char **texts = memory_get((count + 1) * sizeof(*texts));
	int widest = 0;

	for (size_t i = 0; i < count; i++)
		widest = (int)strlen(lines[i].name) > widest ? (int)strlen(lines[i].name) : widest;
	for (size_t i = 0; i < count; i++) {
		text t = { 0 };

		text_add(&t, "  %-*s", widest, lines[i].name);
		if (lines[i].reference)
			add_value(&t, r, &lines[i], target);
		else
			add_pair(&t, r, &lines[i]);
		if (lines[i].rests)
			text_add(&t, "  done");
		texts[i] = t.data;
	}
	progress_lines(p, (const char *const *)texts, count);
	for (size_t i = 0; i < count; i++)
		free(texts[i]);
	free(texts);
}

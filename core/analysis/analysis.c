/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/analysis.h"

#include "base/text.h"

#define LAYOUT_NAME(name) name
#define LAYOUT_FILE "analysis/analysis.def"
#include "base/layout_tables.h"

char *analysis_rules_against(const comparison_row *row)
{
	text t = { 0 };

	for (size_t i = 0; i < row->reasons.count; i++)
		if (row->reasons.items[i].level >= CONTRACT_DESCRIPTION)
			text_add(&t, "%s%s", t.size > 0 ? ", " : "", row->reasons.items[i].rule);
	return t.data != NULL ? t.data : memory_text("");
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The record of a result as JSON, as layout_text writes it, but with one row in memory at a time. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "report/report.h"

/* Frees the body. */
static bool put(FILE *out, char *body, unsigned depth)
{
	text t = { 0 };
	bool ok;

	json_put_indented(&t, body, depth);
	ok = fwrite(t.data, 1, t.size, out) == t.size;
	text_free(&t);
	free(body);
	return ok;
}

/* What precedes a member or ends an object. */
static bool put_tabs(FILE *out, const char *before, unsigned depth)
{
	bool ok = fputs(before, out) != EOF;

	for (unsigned i = 0; i < depth && ok; i++)
		ok = fputc('\t', out) != EOF;
	return ok;
}

static bool put_rows(FILE *out, const result *r, unsigned depth)
{
	bool ok = fputc('[', out) != EOF;

	for (size_t i = 0; i < r->row_count && ok; i++) {
		ok = (i == 0 || fputs(", ", out) != EOF) &&
		     put(out, layout_text(record_case_layout(), r->rows[i].record, false), depth + 1);
		result_row_rest(r, &r->rows[i]);
	}
	return ok && fputc(']', out) != EOF;
}

bool report_record(FILE *out, const result *r, unsigned depth)
{
	const layout *l = record_result_layout();
	const char *before = "{\n";
	bool ok = true;

	for (size_t i = 0; i < l->count && ok; i++) {
		const layout_field *f = &l->fields[i];
		bool rows = strcmp(f->key, "cases") == 0;
		char *body = rows ? NULL : layout_member_json(f, r->record);

		if (!rows && body == NULL)
			continue;
		ok = put_tabs(out, before, depth + 1) && fprintf(out, "\"%s\": ", f->key) > 0 &&
		     (rows ? put_rows(out, r, depth + 1) : put(out, body, depth + 1));
		before = ",\n";
	}
	return ok && put_tabs(out, "\n", depth) && fputc('}', out) != EOF;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the evidence of every execution that counts.  Reading does not ask for it: a comparison
 * refuses the cases that lack it, by rules of their own. */
#include <stdlib.h>

#include "base/text.h"
#include "record/derive.h"
#include "record/row_evidence.h"
#include "record/result.h"

/* "cases[3].executions[1].proof is absent"; member "" = the execution "lacks ...". */
static void add(findings *f, size_t row, size_t index, const char *member, const char *verb,
                const char *what)
{
	char *place = memory_format("cases[%zu].executions[%zu]%s%s", row, index,
	                            member[0] != '\0' ? "." : "", member);

	(void)findings_add(f, EH_E_ALTERED, CHECK_EVIDENCE, place, NULL, NULL,
	                   "%s %s %s, so its samples cannot be relied on", place, verb, what);
	free(place);
}

static void check_one(const row_evidence *of, size_t row, size_t index, findings *f)
{
	const record_execution *e = &of->row->executions.items[index];
	const char *proof = row_evidence_proof(of->row, e);
	const char *verification = row_evidence_verification(e);
	const char *missing = row_evidence_missing(of, e);

	if (proof != NULL)
		add(f, row, index, "proof", "is", proof);
	if (verification != NULL)
		add(f, row, index, "verification", verification[0] == 'a' ? "is" : "has", verification);
	if (missing != NULL)
		add(f, row, index, "", "lacks", missing);
}

static void check_row_evidence(const record_result *r, const record_case *row, size_t index,
                               findings *f)
{
	row_evidence context = row_evidence_of(r, row);

	for (size_t i = 0; i < row->executions.count; i++)
		if (record_execution_counts(&row->executions.items[i]))
			check_one(&context, index, i, f);
}

void result_check_evidence(const result *r, findings *f)
{
	for (size_t i = 0; i < r->row_count; i++)
		check_row_evidence(r->record, r->rows[i].record, i, f);
}

static void watch_row(const result_watch *w, const record_result *head, const record_case *row,
                      size_t index, findings *f)
{
	(void)w;
	check_row_evidence(head, row, index, f);
}

result_watch result_watch_evidence(void)
{
	return (result_watch){ .row = watch_row };
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What a record must agree with itself about.  Inside of the result room. */
#ifndef RESULT_CHECK_H
#define RESULT_CHECK_H

#include <cjson/cJSON.h>
#include <stdbool.h>

#include "result/findings.h"
#include "result/record.h"

/* The format, its version and the structure, where rows_apart of all but the rows; false when it
 * is none. */
bool check_structure(const cJSON *head, bool rows_apart, const char *name, findings *f);
/* Everything but the rows, in the order of a report.  `executions` has the count of each row. */
void check_protocol(const cJSON *head, findings *f);
void check_executions(const cJSON *head, const size_t *executions, size_t rows, findings *f);
void check_sections(const cJSON *head, findings *f);
void check_text(const cJSON *head, findings *f);
void check_run(const cJSON *head, bool has_samples, findings *f);
void check_salts(const cJSON *head, findings *f);
void check_digest(const cJSON *head, findings *f);

/* One row whose structure holds, with its pool; plan and seal are NULL when there is none for it.
 * The arena has room for what is recomputed. */
void check_row(const cJSON *row, const record_pool *pool, const cJSON *plan, const cJSON *seal,
               size_t index, json_arena *arena, findings *f);

#endif

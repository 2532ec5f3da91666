/* SPDX-License-Identifier: Apache-2.0 */
/* The values of a case that no protocol declares: some given as words, the others at their default. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "protocol/plan.h"
#include "protocol/values.h"

static eh_status refuse_key(const eh_workload *workload, const char *key, eh_error *error)
{
	size_t count = values_param_count(workload);
	const char **known = memory_get((count + 1) * sizeof(*known));
	const char *near;

	for (size_t i = 0; i < count; i++)
		known[i] = workload->params[i].key;
	near = text_nearest(key, known, count);
	free(known);
	return error_set(error, EH_E_USAGE, "the workload %s has no parameter '%.40s'%s%s%s",
	                 workload->name, key, near != NULL ? "; did you mean '" : "",
	                 near != NULL ? near : "", near != NULL ? "'?" : "");
}

/* Sets texts[i] to what the word KEY=VALUE says of parameter i. */
static eh_status read_setting(const eh_workload *workload, const char *word, const char **texts,
                              eh_error *error)
{
	const char *sign = strchr(word, '=');
	const eh_param *param;
	eh_status status;
	char *key;

	if (sign == NULL)
		return error_set(error, EH_E_USAGE, "'%.40s' is not of the form KEY=VALUE", word);
	key = memory_format("%.*s", (int)(sign - word), word);
	param = values_param(workload, key);
	if (param == NULL) {
		status = refuse_key(workload, key, error);
	} else if (texts[param - workload->params] != NULL) {
		status = error_set(error, EH_E_USAGE, "%s is given twice", key);
	} else {
		texts[param - workload->params] = sign + 1;
		status = EH_OK;
	}
	free(key);
	return status;
}

static eh_status make_value(const eh_workload *workload, const eh_param *param, const char *given,
                            eh_value *out, eh_error *error)
{
	const char *word = given != NULL ? given : param->standard;

	if (word == NULL)
		return error_set(error, EH_E_USAGE, "%s has no default; give %s=VALUE (%s)", param->key,
		                 param->key, param->domain != NULL ? param->domain : "");
	return values_parse(workload, param, word, out, error);
}

eh_status values_given(const eh_workload *workload, const char *const *settings, size_t count,
                       eh_case *out, eh_work *work, eh_error *error)
{
	size_t params = values_param_count(workload);
	const char **texts = memory_get((params + 1) * sizeof(*texts));
	eh_value *values = memory_get((params + 1) * sizeof(*values));
	eh_case made = { .struct_size = sizeof(made), .values = values, .seed = 1 };
	eh_error own = ERROR_INIT;
	eh_status status = EH_OK;

	for (size_t i = 0; i < count && status == EH_OK; i++)
		status = read_setting(workload, settings[i], texts, error);
	for (size_t i = 0; i < params && status == EH_OK; i++) {
		status = make_value(workload, &workload->params[i], texts[i], &values[i], error);
		made.value_count += status == EH_OK;
	}
	free(texts);
	if (status == EH_OK) {
		status = values_describe(workload, &made, work, &own);
		/* Values that do not fit together are no bug of the program; a bad answer is the workload's. */
		if (status != EH_OK)
			status = error_set(error, status == EH_E_INCOMPATIBLE ? status : EH_E_USAGE, "%s",
			                   own.message);
	}
	if (status == EH_OK)
		*out = made;
	else
		plan_values_free(&made);
	return status;
}

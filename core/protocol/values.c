/* SPDX-License-Identifier: Apache-2.0 */
#include "protocol/values.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

size_t values_param_count(const eh_workload *workload)
{
	size_t count = 0;

	while (workload->params != NULL && workload->params[count].key != NULL)
		count++;
	return count;
}

const eh_param *values_param(const eh_workload *workload, const char *key)
{
	for (size_t i = 0; i < values_param_count(workload); i++)
		if (strcmp(workload->params[i].key, key) == 0)
			return &workload->params[i];
	return NULL;
}

bool values_offers(const eh_workload *workload, enum record_tier tier)
{
	if (tier == RECORD_TIER_VENDOR)
		return EH_ROOM(workload->struct_size, eh_workload, library) && workload->library != NULL;
	for (size_t i = 0; tier == RECORD_TIER_TUNED && i < values_param_count(workload); i++)
		if (workload->params[i].tune != NULL)
			return true;
	return tier == RECORD_TIER_PORTABLE;
}

static eh_status refuse_domain(const eh_workload *workload, const eh_param *param,
                               eh_error *error)
{
	return error_set(error, EH_E_INCOMPATIBLE, "the workload %s declares its parameter '%s' with "
	                 "the domain '%s', which is not well formed; this is a bug of the workload",
	                 workload->name, param->key, param->domain != NULL ? param->domain : "");
}

static eh_status parse_word(const eh_workload *workload, const eh_param *param, const char *word,
                            eh_value *out, eh_error *error)
{
	const char *candidates[64];
	char *domain = memory_text(param->domain);
	size_t count = 0;
	const char *near;
	eh_status status = EH_OK;
	char *rest = domain;

	for (char *p; (p = strsep(&rest, "|")) != NULL && status == EH_OK;) {
		if (p[0] == '\0' || count == 64)
			status = refuse_domain(workload, param, error);
		else
			candidates[count++] = p;
	}
	for (size_t i = 0; i < count && status == EH_OK; i++)
		if (strcmp(candidates[i], word) == 0) {
			*out = (eh_value){ .key = param->key, .text = memory_text(word), .number = i };
			free(domain);
			return EH_OK;
		}
	if (status == EH_OK) {
		near = text_nearest(word, candidates, count);
		status = error_set(error, EH_E_USAGE, "%s is %s, not '%.40s'%s%s%s", param->key,
		                   param->domain, word, near != NULL ? "; did you mean '" : "",
		                   near != NULL ? near : "", near != NULL ? "'?" : "");
	}
	free(domain);
	return status;
}

static bool read_number(const eh_param *param, const char *word, uint64_t *out)
{
	return param->type == EH_PARAM_BYTES ? text_parse_bytes(word, out)
	                                     : text_parse_uint(word, out);
}

static eh_status parse_number(const eh_workload *workload, const eh_param *param,
                              const char *word, eh_value *out, eh_error *error)
{
	const char *dots = strstr(param->domain, "..");
	uint64_t low, high, number;
	char *first, spelt[32];
	bool sound;

	if (dots == NULL)
		return refuse_domain(workload, param, error);
	first = memory_format("%.*s", (int)(dots - param->domain), param->domain);
	sound = read_number(param, first, &low) && read_number(param, dots + 2, &high) && low <= high;
	free(first);
	if (!sound)
		return refuse_domain(workload, param, error);
	if (!read_number(param, word, &number))
		return error_set(error, EH_E_USAGE, "%s is %s (%s), not '%.40s'", param->key,
		                 param->type == EH_PARAM_BYTES ? "a size such as 64MiB or 4096"
		                                               : "a whole number", param->domain, word);
	if (number < low || number > high)
		return error_set(error, EH_E_USAGE, "%s = %.40s is out of range: it is %s", param->key, word,
		                 param->domain);
	if (param->type == EH_PARAM_BYTES)
		text_format_bytes(number, spelt);
	*out = (eh_value){
		.key = param->key, .number = number,
		.text = param->type == EH_PARAM_BYTES
		      ? memory_text(spelt) : memory_format("%llu", (unsigned long long)number),
	};
	return EH_OK;
}

eh_status values_parse(const eh_workload *workload, const eh_param *param, const char *word,
                       eh_value *out, eh_error *error)
{
	if (param->domain == NULL)
		return refuse_domain(workload, param, error);
	switch (param->type) {
	case EH_PARAM_ENUM: return parse_word(workload, param, word, out, error);
	case EH_PARAM_UINT:
	case EH_PARAM_BYTES: return parse_number(workload, param, word, out, error);
	default: return refuse_domain(workload, param, error);
	}
}

static bool ends(const char *s, size_t size)
{
	return memchr(s, '\0', size) != NULL && text_is_clean(s);
}

/* What is wrong with the answer of describe(), or NULL. */
static const char *flaw_of(const eh_work *w)
{
	if (w->metric < EH_METRIC_BYTES_PER_SECOND || w->metric > EH_METRIC_SECONDS)
		return "an unknown metric";
	if (w->region < EH_REGION_EXECUTION || w->region > EH_REGION_ROUND_TRIP)
		return "an unknown timed region";
	if (w->define_count > sizeof(w->defines) / sizeof(w->defines[0]))
		return "too many defines";
	if (!isfinite(w->amount) || !(w->amount > 0) || !isfinite(w->flops) || w->flops < 0 ||
	    !isfinite(w->bytes) || w->bytes < 0)
		return "counts that are negative or not finite";
	if (!ends(w->precision, sizeof(w->precision)) || !ends(w->kernel, sizeof(w->kernel)) ||
	    !ends(w->flops_formula, sizeof(w->flops_formula)) ||
	    !ends(w->bytes_formula, sizeof(w->bytes_formula)))
		return "a text without its end, or that is not one line of UTF-8";
	for (uint32_t i = 0; i < w->define_count; i++)
		if (!ends(w->defines[i].name, sizeof(w->defines[i].name)) ||
		    !ends(w->defines[i].value, sizeof(w->defines[i].value)))
			return "a define without its end, or that is not one line of UTF-8";
	return NULL;
}

eh_status values_describe(const eh_workload *workload, const eh_case *values, eh_work *work,
                          eh_error *error)
{
	eh_error own = ERROR_INIT;
	eh_status status;
	const char *flaw;

	memset(work, 0, sizeof(*work));
	work->struct_size = sizeof(*work);
	status = workload->describe(values, work, &own);
	if (status != EH_OK) {
		(void)error_sentence(&own, status);
		return error_set(error, status, "%s", own.message[0] != '\0' ? own.message :
		                 "the workload refuses these values and does not say why");
	}
	flaw = flaw_of(work);
	if (flaw != NULL)
		return error_set(error, EH_E_INCOMPATIBLE, "the workload %s describes a case with %s; this "
		                 "is a bug of the workload", workload->name, flaw);
	return EH_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "protocol/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ini.h"
#include "base/text.h"
#include "protocol/canonical.h"
#include "protocol/schema.h"
#include "protocol/values.h"

enum { CASES_MAX = 10000 };

/* One parameter of a section with every value that it takes. */
typedef struct axis {
	const eh_param *param;
	eh_value *values;
	size_t count;
	bool given;      /* by the section, not by default                                      */
	int line;
} axis;

typedef struct expansion {
	const protocol *p;
	const protocol_section *section;
	const eh_workload *workload;
	axis *axes;
	size_t axis_count;
	plan *out;
	eh_error *error;
} expansion;

void plan_values_free(eh_case *values)
{
	eh_value *list = (eh_value *)(uintptr_t)values->values;

	for (uint32_t i = 0; i < values->value_count; i++)
		free((char *)(uintptr_t)list[i].text);
	free(list);
	values->values = NULL;
	values->value_count = 0;
}

void plan_free(plan *p)
{
	if (p == NULL)
		return;
	for (size_t i = 0; i < p->case_count; i++) {
		free(p->cases[i].id);
		plan_values_free(&p->cases[i].values);
	}
	free(p->cases);
	layout_free(record_plan_layout(), p->canonical);
	free(p);
}

const plan_case *plan_case_by_id(const plan *p, const char *id)
{
	for (size_t i = 0; i < p->case_count; i++)
		if (strcmp(p->cases[i].id, id) == 0)
			return &p->cases[i];
	return NULL;
}

/* ---- the axes of a section ------------------------------------------------------------------- */

static void free_axes(expansion *e)
{
	for (size_t i = 0; i < e->axis_count; i++) {
		for (size_t j = 0; j < e->axes[i].count; j++)
			free((char *)(uintptr_t)e->axes[i].values[j].text);
		free(e->axes[i].values);
	}
	free(e->axes);
}

/* The number in front of " x llc" or " x units"; 0 when the word is another. */
static uint64_t count_of(const schema_scale *scale, const char *word)
{
	const char *behind = strstr(word, scale->behind);
	char *count;
	uint64_t number = 0;

	if (behind == NULL || behind[strlen(scale->behind)] != '\0')
		return 0;
	count = memory_format("%.*s", (int)(behind - word), word);
	if (!text_parse_uint(count, &number))
		number = 0;
	free(count);
	return number;
}

/* "4 x llc" in bytes, "400 x units" as a number; any other word as it is.  malloc'd. */
static char *resolve(const expansion *e, const axis *a, const char *word)
{
	for (int i = 0; i < PROTOCOL_SCALES; i++) {
		uint64_t number = count_of(&schema_scales[i], word), size = e->p->scales[i].size;
		char spelt[32];

		if (number == 0 || number > UINT64_MAX / size || a->param->type != schema_scales[i].type)
			continue;
		number *= size;
		if (a->param->type != EH_PARAM_BYTES)
			return memory_format("%llu", (unsigned long long)number);
		text_format_bytes(number, spelt);
		return memory_text(spelt);
	}
	return memory_text(word);
}

static eh_status add_values(expansion *e, axis *a, const char *list)
{
	const char *source = e->p->source;
	char **words = schema_words(list, ',');
	eh_error own = ERROR_INIT;
	eh_status status = EH_OK;
	size_t count = 0;

	if (words == NULL)
		return ini_refuse(source, a->line, e->error, "the list of '%s' has an empty item",
		                    a->param->key);
	while (words[count] != NULL)
		count++;
	a->values = memory_get(count * sizeof(*a->values));
	for (size_t i = 0; i < count && status == EH_OK; i++) {
		char *word = resolve(e, a, words[i]);

		if (values_parse(e->workload, a->param, word, &a->values[i], &own) != EH_OK)
			status = ini_refuse(source, a->line, e->error, "%s", own.message);
		free(word);
		if (status != EH_OK)
			break;
		a->count++;
		for (size_t j = 0; j < i && status == EH_OK; j++)
			if (strcmp(a->values[i].text, a->values[j].text) == 0)
				status = ini_refuse(source, a->line, e->error, "'%s' lists %s twice",
				                      a->param->key, a->values[i].text);
	}
	schema_words_free(words);
	return status;
}

/* The values of the size class, of those for small | medium | large. */
static eh_status add_sized(expansion *e, axis *a, const char *sizes)
{
	const size_t classes = record_size_class_words()->count;
	char **lists = schema_words(sizes, SCHEMA_SIZES);
	size_t count = 0;
	eh_status status;

	while (lists != NULL && lists[count] != NULL)
		count++;
	if (lists != NULL && count == classes)
		status = add_values(e, a, lists[(int)e->p->size_class - 1]);
	else
		status = ini_refuse(e->p->source, a->line, e->error, "'%s' has values for %zu size classes; "
		                    "there are %zu: small | medium | large", a->param->key, count, classes);
	schema_words_free(lists);
	return status;
}

static const ini_setting *setting_of(const protocol_section *section, const char *key)
{
	for (size_t i = 0; i < section->setting_count; i++)
		if (strcmp(section->settings[i].key, key) == 0)
			return &section->settings[i];
	return NULL;
}

static eh_status make_axis(expansion *e, const eh_param *param)
{
	const ini_setting *setting = setting_of(e->section, param->key);
	axis *a = &e->axes[e->axis_count++];

	*a = (axis){ .param = param, .given = setting != NULL,
	             .line = setting != NULL ? setting->line : e->section->line };
	if (schema_find(schema_measure, param->key) != NULL || strcmp(param->key, "tier") == 0 ||
	    strcmp(param->key, "workload") == 0)
		return ini_refuse(e->p->source, e->section->line, e->error, "the workload %s has a "
		                    "parameter '%s', which is the name of a key of every case; this is a "
		                    "bug of the workload", e->workload->name, param->key);
	if (setting != NULL && strchr(setting->text, SCHEMA_SIZES) != NULL)
		return add_sized(e, a, setting->text);
	if (setting != NULL)
		return add_values(e, a, setting->text);
	if (param->standard == NULL)
		return ini_refuse(e->p->source, e->section->line, e->error, "[case %s] lacks '%s', which "
		                    "the workload %s needs (%s)", e->section->name, param->key,
		                    e->workload->name, param->domain);
	return add_values(e, a, param->standard);
}

static eh_status refuse_key(expansion *e, const ini_setting *setting)
{
	size_t params = values_param_count(e->workload), count = 0;
	const char **known = memory_get((params + 64) * sizeof(*known));
	const char *near;
	eh_status status;

	known[count++] = "workload";
	known[count++] = "tier";
	for (size_t i = 0; i < params; i++)
		known[count++] = e->workload->params[i].key;
	for (const schema_key *key = schema_measure; key->key != NULL && count < params + 64; key++)
		known[count++] = key->key;
	near = text_nearest(setting->key, known, count);
	status = ini_refuse(e->p->source, setting->line, e->error, "'%s' is neither a parameter of "
	                      "the workload %s nor a key of the measurement%s%s%s", setting->key,
	                      e->workload->name, near != NULL ? "; did you mean '" : "",
	                      near != NULL ? near : "", near != NULL ? "'?" : "");
	free(known);
	return status;
}

/* ---- one case -------------------------------------------------------------------------------- */

/* Whether `word` is a part of the section's name between dashes: "h2d" in "xfer-h2d". */
static bool names_it(const char *name, const char *word)
{
	size_t size = strlen(word);

	for (const char *p = strstr(name, word); p != NULL; p = strstr(p + 1, word))
		if ((p == name || p[-1] == '-') && (p[size] == '\0' || p[size] == '-'))
			return true;
	return false;
}

static bool is_dimension(const axis *a)
{
	return a->given && a->param->type == EH_PARAM_UINT && strlen(a->param->key) == 1;
}

/*
 * NAME, then the values of the parameters that the section gives, in the workload's order, then
 * the tier.  A single value that is part of NAME is left out.  Numbers carry their key
 * ("count8"), but for dimensions (keys of one letter): when they are equal they are one number.
 */
static char *make_id(const expansion *e, const eh_value *values, enum record_tier tier)
{
	const eh_value *first = NULL;
	size_t dimensions = 0;
	bool cube = true;
	text id = { 0 };

	for (size_t i = 0; i < e->axis_count; i++) {
		if (!is_dimension(&e->axes[i]))
			continue;
		dimensions++;
		first = first != NULL ? first : &values[i];
		cube = cube && values[i].number == first->number;
	}
	cube = cube && dimensions > 1;
	text_add(&id, "%s", e->section->name);
	for (size_t i = 0; i < e->axis_count; i++) {
		const axis *a = &e->axes[i];

		if (!a->given || (a->count == 1 && names_it(e->section->name, values[i].text)))
			continue;
		if (cube && is_dimension(a) && &values[i] != first)
			continue;
		text_add(&id, ".%s%s", a->param->type == EH_PARAM_UINT && !(cube && is_dimension(a)) ?
		         a->param->key : "", values[i].text);
	}
	if (tier != RECORD_TIER_PORTABLE)
		text_add(&id, ".%s", record_tier_word(tier));
	return id.data;
}

/* A library does all of the work: what only the kernel needs does not count. */
static void without_program(const eh_workload *workload, eh_work *work)
{
	if (EH_ROOM(workload->struct_size, eh_workload, flags) && (workload->flags & EH_WORKLOAD_SHARED) != 0)
		return;
	memset(work->kernel, 0, sizeof(work->kernel));
	work->define_count = 0;
	work->needs = 0;
	work->group_items = 0;
	work->local_bytes = 0;
}

static eh_status add_case(expansion *e, const size_t *position, enum record_tier tier)
{
	plan *out = e->out;
	eh_value *values = memory_get(e->axis_count * sizeof(*values));
	eh_error own = ERROR_INIT;
	plan_case *c;

	if (out->case_count == CASES_MAX) {
		free(values);
		return ini_refuse(e->p->source, e->section->line, e->error, "more than %d cases",
		                    CASES_MAX);
	}
	for (size_t i = 0; i < e->axis_count; i++) {
		values[i] = e->axes[i].values[position[i]];
		values[i].text = memory_text(values[i].text);
	}
	if (out->case_count % 64 == 0)
		out->cases = memory_grow(out->cases, (out->case_count + 64) * sizeof(*out->cases));
	c = &out->cases[out->case_count++];
	*c = (plan_case){
		.section = e->section, .workload = e->workload, .tier = tier,
		.values = { .struct_size = sizeof(eh_case), .value_count = (uint32_t)e->axis_count,
		            .values = values, .seed = e->p->seed },
		.id = make_id(e, values, tier),
	};
	if (values_describe(e->workload, &c->values, &c->work, &own) != EH_OK)
		return ini_refuse(e->p->source, e->section->line, e->error, "%s: %s", c->id, own.message);
	if (tier == RECORD_TIER_VENDOR)
		without_program(e->workload, &c->work);
	return EH_OK;
}

static eh_status check_tiers(expansion *e)
{
	const record_tier_list *tiers = &e->section->tiers;

	if (word_list_has(tiers, RECORD_TIER_TUNED) && !values_offers(e->workload, RECORD_TIER_TUNED))
		return ini_refuse(e->p->source, e->section->line, e->error, "[case %s]: the workload %s has "
		                  "nothing to tune; leave out tier = tuned", e->section->name,
		                  e->workload->name);
	if (!word_list_has(tiers, RECORD_TIER_VENDOR))
		return EH_OK;
	if (!values_offers(e->workload, RECORD_TIER_VENDOR))
		return ini_refuse(e->p->source, e->section->line, e->error, "[case %s]: no library does the "
		                  "work of %s; leave out tier = vendor", e->section->name,
		                  e->workload->name);
	if (word_list_has(tiers, RECORD_TIER_PORTABLE))
		return EH_OK;
	return ini_refuse(e->p->source, e->section->line, e->error, "[case %s]: a library's number stands "
	                  "beside that of the portable kernel; write tier = portable, vendor",
	                  e->section->name);
}

/* Every combination; the last parameter changes fastest, the tier faster still. */
static eh_status add_cases(expansion *e)
{
	size_t *position = memory_get(e->axis_count * sizeof(*position));
	eh_status status = EH_OK;

	while (status == EH_OK) {
		size_t i = e->axis_count;

		for (size_t t = 0; t < e->section->tiers.count && status == EH_OK; t++)
			status = add_case(e, position, e->section->tiers.items[t]);
		while (i > 0 && ++position[i - 1] == e->axes[i - 1].count)
			position[--i] = 0;
		if (i == 0)
			break;
	}
	free(position);
	return status;
}

static eh_status expand(expansion *e)
{
	size_t params = values_param_count(e->workload);
	eh_status status = EH_OK;

	e->axes = memory_get(params * sizeof(*e->axes));
	for (size_t i = 0; i < e->section->setting_count && status == EH_OK; i++)
		if (values_param(e->workload, e->section->settings[i].key) == NULL)
			status = refuse_key(e, &e->section->settings[i]);
	for (size_t i = 0; i < params && status == EH_OK; i++)
		status = make_axis(e, &e->workload->params[i]);
	if (status == EH_OK)
		status = check_tiers(e);
	if (status == EH_OK)
		status = add_cases(e);
	free_axes(e);
	return status;
}

/* ---- the plan -------------------------------------------------------------------------------- */

static int by_id(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static eh_status check_ids(const plan *p, eh_error *error)
{
	const char **sorted = memory_get(p->case_count * sizeof(*sorted));
	eh_status status = EH_OK;

	for (size_t i = 0; i < p->case_count; i++)
		sorted[i] = p->cases[i].id;
	qsort(sorted, p->case_count, sizeof(*sorted), by_id);
	for (size_t i = 1; i < p->case_count && status == EH_OK; i++)
		if (strcmp(sorted[i - 1], sorted[i]) == 0)
			status = ini_refuse(p->protocol->source, plan_case_by_id(p, sorted[i])->section->line,
			                    error, "two cases would have the name '%s'; split the "
			                    "section in two", sorted[i]);
	free(sorted);
	return status;
}

/* A workload whose file may not or cannot be loaded is no fault of the protocol. */
static eh_status refuse_workload(const expansion *e, const eh_error *why)
{
	eh_status status = ini_refuse(e->p->source, e->section->line, e->error, "%s", why->message);

	if (error_exit_code(why->code) != EXIT_CODE_ENVIRONMENT)
		return status;
	if (e->error != NULL)
		e->error->code = why->code;
	return why->code;
}

eh_status plan_make(const protocol *p, plan_finder find, void *context, plan **out,
                    eh_error *error)
{
	plan *made = memory_get(sizeof(*made));
	eh_status status = EH_OK;

	made->protocol = p;
	for (size_t i = 0; i < p->section_count && status == EH_OK; i++) {
		eh_error own = ERROR_INIT;
		expansion e = { .p = p, .section = &p->sections[i], .out = made, .error = error };

		e.workload = find(context, e.section->workload, &own);
		if (e.workload == NULL)
			status = refuse_workload(&e, &own);
		else
			status = expand(&e);
	}
	if (status == EH_OK)
		status = check_ids(made, error);
	if (status != EH_OK) {
		plan_free(made);
		return status;
	}
	made->canonical = canonical_protocol(made);
	layout_digest(record_plan_layout(), made->canonical, made->digest);
	*out = made;
	return EH_OK;
}

/* ---- candidates of the tuned tier ------------------------------------------------------------ */

eh_status plan_values_with(const plan_case *base, const char *const *keys,
                           const char *const *texts, size_t count, eh_case *out, eh_work *work,
                           eh_error *error)
{
	uint32_t n = base->values.value_count;
	eh_value *values = memory_get(n * sizeof(*values));
	eh_case made = base->values;
	eh_status status = EH_OK;

	for (uint32_t i = 0; i < n; i++) {
		values[i] = base->values.values[i];
		values[i].text = memory_text(values[i].text);
	}
	made.values = values;
	for (size_t k = 0; k < count && status == EH_OK; k++) {
		const eh_param *param = values_param(base->workload, keys[k]);
		eh_value value;

		if (param == NULL) {
			status = error_set(error, EH_E_INVALID_ARGUMENT, "the workload %s has no parameter '%s'",
			                   base->workload->name, keys[k]);
			break;
		}
		status = values_parse(base->workload, param, texts[k], &value, error);
		for (uint32_t i = 0; i < n && status == EH_OK; i++)
			if (strcmp(values[i].key, keys[k]) == 0) {
				free((char *)(uintptr_t)values[i].text);
				values[i] = value;
			}
	}
	if (status == EH_OK)
		status = values_describe(base->workload, &made, work, error);
	if (status != EH_OK) {
		plan_values_free(&made);
		return status;
	}
	*out = made;
	return EH_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "run/noise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/json.h"
#include "base/paths.h"
#include "base/text.h"
#include "stat/noisefloor.h"

#define NOISE_VERSION 1
#define PAIRS_MOST 100000

char *noise_folder(void)
{
	return paths_user_state("noise");
}

eh_status noise_folder_make(eh_error *error)
{
	char *folder = noise_folder();
	eh_status status;

	if (folder == NULL)
		return error_set(error, EH_E_IO, "there is no place for the noise floor: set "
		                 "XDG_STATE_HOME or HOME to a folder");
	status = dir_make(folder, error);
	free(folder);
	return status;
}

char *noise_path(const char *executor_digest)
{
	char *folder = noise_folder();
	char *path = folder != NULL ? memory_format("%s/%s.json", folder, executor_digest) : NULL;

	free(folder);
	return path;
}

/* malloc'd ratios of a case; NULL where there are too few, or one is none. */
static double *ratios_of(const cJSON *item, size_t *count)
{
	const cJSON *list = json_path(item, "ratios"), *ratio;
	int size = cJSON_GetArraySize(list);
	double *ratios;

	*count = 0;
	if (!cJSON_IsArray(list) || size < NOISEFLOOR_LEAST || size > PAIRS_MOST)
		return NULL;
	ratios = memory_get((size_t)size * sizeof(*ratios));
	cJSON_ArrayForEach(ratio, list) {
		if (!cJSON_IsNumber(ratio) || !isfinite(ratio->valuedouble) ||
		    !(ratio->valuedouble > 0)) {
			free(ratios);
			return NULL;
		}
		ratios[(*count)++] = ratio->valuedouble;
	}
	return ratios;
}

/* The floor of a class is that of its noisiest case. */
static double class_floor(const cJSON *cases, const char *class)
{
	const cJSON *item;
	double most = 0, floor_of_case;

	cJSON_ArrayForEach(item, cases)
		if (strcmp(json_string(item, "workload", ""), class) == 0 &&
		    json_double(item, "floor", &floor_of_case) && floor_of_case > most)
			most = floor_of_case;
	return most;
}

static cJSON *classes_of(const cJSON *cases)
{
	cJSON *classes = cJSON_CreateObject();
	const cJSON *item;

	cJSON_ArrayForEach(item, cases) {
		const char *class = json_string(item, "workload", "");

		if (json_path(item, "floor") != NULL &&
		    cJSON_GetObjectItemCaseSensitive(classes, class) == NULL)
			json_add_double(classes, class, class_floor(cases, class));
	}
	return classes;
}

static void add_digest(cJSON *record)
{
	char hex[65];

	cJSON_DeleteItemFromObjectCaseSensitive(record, "digest");
	json_digest(record, hex);
	json_add_string(record, "digest", hex);
}

void noise_complete(cJSON *record)
{
	cJSON *cases = cJSON_GetObjectItemCaseSensitive(record, "cases"), *item;

	cJSON_ArrayForEach(item, cases) {
		size_t count;
		double *ratios = ratios_of(item, &count);

		cJSON_DeleteItemFromObjectCaseSensitive(item, "floor");
		if (ratios != NULL)
			json_add_double(item, "floor", noisefloor_of(ratios, count));
		free(ratios);
	}
	json_set(record, "classes", classes_of(cases));
	add_digest(record);
}

eh_status noise_write(cJSON *record, char **path, eh_error *error)
{
	char *body;
	eh_status status = noise_folder_make(error);

	*path = NULL;
	if (status != EH_OK)
		return status;
	noise_complete(record);
	*path = noise_path(json_string(record, "executor_digest", ""));
	body = json_text(record, true);
	status = file_write(*path, body, strlen(body), error);
	free(body);
	if (status != EH_OK) {
		free(*path);
		*path = NULL;
	}
	return status;
}

static bool is_digest(const char *hex)
{
	return strlen(hex) == 64 && strspn(hex, "0123456789abcdef") == 64;
}

static bool well_formed(const cJSON *record)
{
	const cJSON *item;
	uint64_t version = 0, pairs = 0;
	size_t count;

	if (!json_uint(record, "format_version", &version) || version != NOISE_VERSION ||
	    !json_uint(record, "pairs", &pairs) || pairs < NOISEFLOOR_LEAST ||
	    !is_digest(json_string(record, "executor_digest", "")) ||
	    json_string(record, "executor", NULL) == NULL ||
	    json_string(record, "measured_at", NULL) == NULL ||
	    !cJSON_IsObject(json_path(record, "classes")) ||
	    !cJSON_IsArray(json_path(record, "cases")) ||
	    cJSON_GetArraySize(json_path(record, "cases")) == 0)
		return false;
	cJSON_ArrayForEach(item, json_path(record, "cases")) {
		double *ratios = ratios_of(item, &count);

		free(ratios);
		if (ratios == NULL || json_string(item, "workload", "")[0] == '\0')
			return false;
	}
	return true;
}

static eh_status check(const char *path, const cJSON *record, const char *digest, eh_error *error)
{
	const char *whose = json_string(record, "executor_digest", "");
	cJSON *again;
	bool same;

	if (strcmp(json_string(record, "format", ""), NOISE_FORMAT) != 0 || !well_formed(record))
		return error_set(error, EH_E_FORMAT, "%s: is not a noise floor of this evenhand; remove it "
		                 "and run evenhand calibrate again", path);
	again = cJSON_Duplicate(record, true);
	noise_complete(again);
	same = json_same(again, record);
	cJSON_Delete(again);
	if (!same)
		return error_set(error, EH_E_ALTERED, "%s: does not follow from its own ratios; remove it "
		                 "and run evenhand calibrate again", path);
	if (digest != NULL && strcmp(digest, whose) != 0)
		return error_set(error, EH_E_ALTERED, "%s: is the noise floor of another executor "
		                 "(%.12s); remove it", path, whose);
	return EH_OK;
}

eh_status noise_read(const char *path, const char *digest, cJSON **out, eh_error *error)
{
	eh_status status;

	if (!file_exists(path))
		return error_set(error, EH_E_NOT_FOUND, "there is no noise floor %s", path);
	status = json_read(path, out, error);
	if (status != EH_OK)
		return status;
	status = check(path, *out, digest, error);
	if (status != EH_OK) {
		cJSON_Delete(*out);
		*out = NULL;
	}
	return status;
}

cJSON *noise_for_result(const cJSON *record)
{
	cJSON *out = cJSON_CreateObject();
	uint64_t pairs = 0;

	(void)json_uint(record, "pairs", &pairs);
	json_add_string(out, "measured_at", json_string(record, "measured_at", ""));
	json_add_uint(out, "pairs", pairs);
	json_set(out, "classes", cJSON_Duplicate(json_path(record, "classes"), true));
	return out;
}

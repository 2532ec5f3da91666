/* SPDX-License-Identifier: Apache-2.0 */
#include "run/noise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/log.h"
#include "base/paths.h"
#include "base/text.h"
#include "stat/noisefloor.h"

#define LAYOUT_FILE "run/noise.def"
#define LAYOUT_NAME(name) noise_##name
#include "base/layout_tables.h"

#define NOISE_VERSION 1
#define PAIRS_MOST 100000
/* A ratio beyond is no measurement, and its square need not be finite. */
#define RATIO_MOST 1e9

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

static bool ratios_usable(const number_list *ratios)
{
	if (ratios->count < NOISEFLOOR_LEAST || ratios->count > PAIRS_MOST)
		return false;
	for (size_t i = 0; i < ratios->count; i++)
		if (!(ratios->items[i] <= RATIO_MOST) || !(ratios->items[i] >= 1 / RATIO_MOST))
			return false;
	return true;
}

/* The floor of a class is that of its noisiest case. */
static void class_add(number_map *classes, const noise_case *c)
{
	for (size_t i = 0; i < classes->count; i++)
		if (strcmp(classes->items[i].key, c->workload) == 0) {
			classes->items[i].value = fmax(classes->items[i].value, c->floor);
			return;
		}
	number_map_add(classes, c->workload, c->floor);
}

void noise_complete(noise_record *record)
{
	char hex[65];

	number_map_clear(&record->classes);
	for (size_t i = 0; i < record->cases.count; i++) {
		noise_case *c = &record->cases.items[i];
		bool usable = ratios_usable(&c->ratios);

		c->floor = usable ? noisefloor_of(c->ratios.items, c->ratios.count) : NAN;
		if (usable)
			class_add(&record->classes, c);
	}
	text_set(&record->digest, NULL);
	text_set(&record->path, NULL);
	layout_digest(noise_record_layout(), record, hex);
	text_set(&record->digest, hex);
}

eh_status noise_write(noise_record *record, eh_error *error)
{
	eh_status status = noise_folder_make(error);
	char *path, *body;

	if (status != EH_OK)
		return status;
	noise_complete(record);
	path = noise_path(record->executor_digest);
	body = layout_text(noise_record_layout(), record, true);
	status = file_write(path, body, strlen(body), error);
	free(body);
	if (status == EH_OK)
		text_set(&record->path, path);
	free(path);
	return status;
}

static bool well_formed(const noise_record *r)
{
	if (r->format_version != NOISE_VERSION || r->pairs < NOISEFLOOR_LEAST || r->path != NULL ||
	    r->cases.count == 0)
		return false;
	for (size_t i = 0; i < r->cases.count; i++)
		if (!ratios_usable(&r->cases.items[i].ratios) || r->cases.items[i].workload[0] == '\0')
			return false;
	return true;
}

static bool follows(const noise_record *record)
{
	noise_record again;
	bool same;

	layout_init(noise_record_layout(), &again);
	layout_copy(noise_record_layout(), record, &again);
	noise_complete(&again);
	same = layout_same(noise_record_layout(), &again, record);
	layout_clear(noise_record_layout(), &again);
	return same;
}

static eh_status decode(const char *path, noise_record *record, eh_error *error)
{
	char *body;
	size_t size;
	eh_status status = file_read(path, &body, &size, error);

	if (status != EH_OK)
		return status;
	status = layout_read(noise_record_layout(), body, size, path, record, NULL);
	free(body);
	if (status != EH_OK || !well_formed(record))
		return error_set(error, EH_E_FORMAT, "%s: is not a noise floor of this evenhand; remove it "
		                 "and run evenhand calibrate again", path);
	return EH_OK;
}

eh_status noise_read(const char *path, const char *digest, noise_record *record, eh_error *error)
{
	eh_status status;

	if (!file_exists(path))
		return error_set(error, EH_E_NOT_FOUND, "there is no noise floor %s", path);
	status = decode(path, record, error);
	if (status == EH_OK && !follows(record))
		status = error_set(error, EH_E_ALTERED, "%s: does not follow from its own ratios; remove it "
		                   "and run evenhand calibrate again", path);
	else if (status == EH_OK && digest != NULL && strcmp(digest, record->executor_digest) != 0)
		status = error_set(error, EH_E_ALTERED, "%s: is the noise floor of another executor "
		                   "(%.12s); remove it", path, record->executor_digest);
	if (status == EH_OK)
		text_set(&record->path, path);
	else
		layout_clear(noise_record_layout(), record);
	return status;
}

static eh_status append_floor(journal *j, const char *name, noise_record *known, eh_error *error)
{
	record_line line;
	eh_status status;

	log_write(EH_LOG_INFO, "%s: its noise floor of %s goes into the result", name,
	          known->measured_at);
	record_line_init(&line, RECORD_LINE_NOISE);
	text_set(&line.noise.executor, name);
	text_set(&line.noise.record.measured_at, known->measured_at);
	line.noise.record.pairs = known->pairs;
	line.noise.record.classes = known->classes;
	known->classes = (number_map){ 0 };
	status = journal_append(j, &line, error);
	record_line_clear(&line);
	return status;
}

eh_status noise_append(journal *j, const char *executor, const char *digest, eh_error *error)
{
	char *path = digest[0] != '\0' ? noise_path(digest) : NULL;
	eh_error why = ERROR_INIT;
	noise_record known;
	eh_status found, status = EH_OK;

	if (path == NULL)
		return EH_OK;
	layout_init(noise_record_layout(), &known);
	found = noise_read(path, digest, &known, &why);
	if (found == EH_OK)
		status = append_floor(j, executor, &known, error);
	else if (found == EH_E_NOT_FOUND)
		log_write(EH_LOG_INFO, "%s: no noise floor is known; evenhand calibrate --on %s measures it",
		          executor, executor);
	else
		log_write(EH_LOG_WARN, "no noise floor for %s: %s", executor, why.message);
	layout_clear(noise_record_layout(), &known);
	free(path);
	return status;
}

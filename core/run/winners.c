/* SPDX-License-Identifier: Apache-2.0 */
#include "run/winners.h"

#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/files.h"
#include "base/log.h"
#include "base/paths.h"
#include "base/text.h"
#include "base/trust.h"

/* malloc'd; NULL where there is no folder for caches. */
static char *path_of(const char *executor, const char *key)
{
	char *folder = paths_cache("winners"), *path = NULL;
	char hex[65];
	digest *d;

	if (folder == NULL)
		return NULL;
	d = digest_new();
	digest_add(d, executor, strlen(executor));
	digest_add(d, key, strlen(key));
	digest_end(d, hex);
	path = memory_format("%s/%s.json", folder, hex);
	free(folder);
	return path;
}

static bool find(void *context, const char *key, record_tuning *out)
{
	char *path = path_of(context, key), *body = NULL;
	eh_error error = ERROR_INIT;
	eh_status status = EH_E_IO;
	size_t size;

	if (path != NULL && file_exists(path)) {
		status = trust_read(path, TRUST_FILE, &body, &size, NULL, &error);
		if (status == EH_OK)
			status = layout_read(record_tuning_layout(), body, size, path, out, &error);
		if (status != EH_OK)
			log_write(EH_LOG_WARN, "an earlier search of the tuned tier cannot be used, so it is made "
			          "again: %s", error_sentence(&error, status));
		free(body);
	}
	free(path);
	return status == EH_OK;
}

static eh_status write_to(const char *path, const record_tuning *search, eh_error *error)
{
	char *folder = paths_cache("winners"), *body = layout_text(record_tuning_layout(), search, false);
	eh_status status = dir_make(folder, error);

	if (status == EH_OK)
		status = file_write(path, body, strlen(body), error);
	free(body);
	free(folder);
	return status;
}

static void keep(void *context, const char *key, const record_tuning *search)
{
	char *path = path_of(context, key);
	eh_error error = ERROR_INIT;
	eh_status status = path != NULL ? write_to(path, search, &error) : EH_OK;

	if (status != EH_OK)
		log_write(EH_LOG_WARN, "the search of the tuned tier is not kept for later runs: %s",
		          error_sentence(&error, status));
	free(path);
}

void winners_open(measure_winners *w, const char *executor_sha256)
{
	*w = (measure_winners){ find, keep, memory_text(executor_sha256) };
}

void winners_close(measure_winners *w)
{
	free(w->context);
	*w = (measure_winners){ 0 };
}

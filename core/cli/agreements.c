/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/agreements.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/text.h"

typedef struct gathering {
	const protocol *p;
	bool given;                  /* the place was named                                    */
	record_agreement_list *out;
} gathering;

char *agreements_place(const char *word)
{
	const char *slash = strrchr(word, '/');

	if (slash == NULL)
		return memory_text(".");
	return slash == word ? memory_text("/") : memory_format("%.*s", (int)(slash - word), word);
}

static eh_status refuse_future(const record_agreement *a, const char *path, eh_error *error)
{
	char now[24];

	clock_wall_text(now);
	if (strcmp(a->time, now) <= 0)
		return EH_OK;
	return error_set(error, EH_E_USAGE, "%s: signed at %s, and it is %s here: one of the clocks is wrong; set "
	                 "it, and sign again if it was the signer's", path, a->time, now);
}

/* The same file may lie there twice. */
static bool is_there(const record_agreement_list *all, const record_agreement *a)
{
	for (size_t i = 0; i < all->count; i++)
		if (strcmp(all->items[i].signature, a->signature) == 0)
			return true;
	return false;
}

static eh_status add(gathering *g, const record_agreement *a, const char *path, eh_error *error)
{
	eh_status status = refuse_future(a, path, error);

	if (status != EH_OK || is_there(g->out, a))
		return status;
	if (g->out->count >= LIMIT_AGREEMENTS)
		return error_set(error, EH_E_USAGE, "%s: there are more than %zu agreements to %s@%llu, the most that a "
		                 "run records; name a folder with fewer by --agreements", path, LIMIT_AGREEMENTS,
		                 g->p->name, (unsigned long long)g->p->version);
	layout_copy(record_agreement_layout(), a, layout_append(record_agreement_layout(), g->out));
	return EH_OK;
}

/* Those to other protocols are passed over. */
static eh_status take(gathering *g, const char *path, eh_error *error)
{
	record_agreement a;
	eh_error why = ERROR_INIT;
	eh_status status;

	layout_init(record_agreement_layout(), &a);
	status = agreement_read(path, &a, &why);
	if (status == EH_OK && strcmp(a.protocol, g->p->name) == 0 && a.version == g->p->version)
		status = add(g, &a, path, &why);
	layout_clear(record_agreement_layout(), &a);
	if (status == EH_OK || g->given)
		return status == EH_OK ? EH_OK : error_set(error, status, "%s", why.message);
	log_write(EH_LOG_WARN, "%s; the results will not have this agreement", why.message);
	return EH_OK;
}

static eh_status take_folder(gathering *g, const char *folder, eh_error *error)
{
	eh_error why = ERROR_INIT;
	char **names = dir_list(folder, AGREEMENT_SUFFIX, &why);
	eh_status status = EH_OK;

	if (names == NULL && g->given)
		return error_set(error, why.code, "%s", why.message);
	if (names == NULL)
		log_write(EH_LOG_WARN, "%s; the results will have no agreement from there", why.message);
	for (size_t i = 0; names != NULL && names[i] != NULL && status == EH_OK; i++) {
		char *path = path_join(folder, names[i]);

		status = take(g, path, error);
		free(path);
	}
	dir_list_free(names);
	return status;
}

static eh_status take_place(gathering *g, const char *place, eh_error *error)
{
	struct stat info;
	bool folder = stat(place, &info) != 0 ? !g->given : S_ISDIR(info.st_mode);
	eh_status status = folder ? take_folder(g, place, error) : take(g, place, error);

	if (status == EH_OK && g->given && g->out->count == 0)
		status = error_set(error, EH_E_USAGE, "%s has no agreement to %s@%llu; `evenhand agree` makes one",
		                   place, g->p->name, (unsigned long long)g->p->version);
	return status;
}

eh_status agreements_gather(const char *word, const char *given, record_agreement_list *out,
                            eh_error *error)
{
	protocol *p = NULL;
	char *place = given != NULL ? memory_text(given) : agreements_place(word);
	eh_status status = protocol_find(word, &p, error);

	if (status == EH_OK)
		status = take_place(&(gathering){ p, given != NULL, out }, place, error);
	protocol_free(p);
	free(place);
	return status;
}

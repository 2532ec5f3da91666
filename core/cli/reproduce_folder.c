/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/reproduce_folder.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/text.h"

/* What is laid beside the journal. */
static const char *const laid[] = { "protocol.ini", "then.json", "then.json.sig",
	                            "then.json.amendments" };

eh_status reproduce_folder_check(const char *folder, eh_error *error)
{
	char *journal = path_join(folder, "run.journal");
	eh_status status = EH_OK;

	if (file_exists(journal))
		status = error_set(error, EH_E_USAGE, "%s holds a run already; go on with it by --resume %s",
		                   folder, folder);
	for (size_t i = 0; i < sizeof(laid) / sizeof(*laid) && status == EH_OK; i++) {
		char *path = path_join(folder, laid[i]);

		if (file_exists(path))
			status = error_set(error, EH_E_USAGE, "%s is there already; name another folder with "
			                   "-o", path);
		free(path);
	}
	free(journal);
	return status;
}

void reproduce_folder_undo(const char *folder, bool made_here)
{
	char *journal = path_join(folder, "run.journal");

	for (size_t i = 0; i < sizeof(laid) / sizeof(*laid) && !file_exists(journal); i++) {
		char *path = path_join(folder, laid[i]);

		(void)unlink(path);
		free(path);
	}
	if (made_here && !file_exists(journal))
		(void)rmdir(folder);
	free(journal);
}

eh_status reproduce_folder_same(const char *path, const bundle_member *m, eh_error *error)
{
	char *data;
	size_t size;
	eh_status status;

	if (!file_exists(path))
		return EH_E_NOT_FOUND;
	status = file_read(path, &data, &size, error);
	if (status != EH_OK)
		return status;
	if (size != m->size || memcmp(data, m->data, size) != 0)
		status = error_set(error, EH_E_USAGE, "%s is not %s of this bundle: the run was begun for "
		                   "another result", path, m->name);
	free(data);
	return status;
}

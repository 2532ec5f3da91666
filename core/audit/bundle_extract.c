/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audit/bundle.h"
#include "base/fresh.h"
#include "base/text.h"

static eh_status cannot(const char *name, eh_error *error)
{
	return error_system(error, errno, "cannot unpack '%s'", name);
}

/* A new file; -1 with errno. */
static int create(int folder, const char *name)
{
	const char *slash = strchr(name, '/');

	if (slash != NULL) {
		char *above = memory_format("%.*s", (int)(slash - name), name);
		int made = mkdirat(folder, above, 0777);

		free(above);
		if (made != 0 && errno != EEXIST)
			return -1;
	}
	return openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

static eh_status write_all(FILE *to, const source_bytes *from, eh_error *error)
{
	source_window w = source_window_of(from, error);
	eh_status status = EH_OK;

	while (status == EH_OK && source_window_next(&w))
		if (fwrite(w.bytes, 1, w.size, to) != w.size)
			status = cannot(from->name, error);
	source_window_free(&w);
	return status == EH_OK ? w.status : status;
}

static eh_status write_member(int folder, const source_bytes *from, eh_error *error)
{
	int fd = create(folder, from->name);
	FILE *to = fd >= 0 ? fdopen(fd, "w") : NULL;
	eh_status status;

	if (to == NULL) {
		status = cannot(from->name, error);
		if (fd >= 0)
			close(fd);
		return status;
	}
	status = write_all(to, from, error);
	if (fclose(to) != 0 && status == EH_OK)
		status = cannot(from->name, error);
	return status;
}

static eh_status write_members(int folder, const bundle *b, eh_error *error)
{
	eh_status status = EH_OK;

	for (size_t i = 0; i < b->count && status == EH_OK; i++) {
		source_bytes from = bundle_bytes(b, &b->members[i]);

		status = write_member(folder, &from, error);
	}
	/* One for all files.  Some file systems cannot. */
	if (status == EH_OK && syncfs(folder) != 0 && errno != EINVAL && errno != ENOSYS)
		status = error_system(error, errno, "cannot write what was unpacked to the disk");
	return status;
}

eh_status bundle_extract(const bundle *b, const char *folder, eh_error *error)
{
	size_t size = strlen(folder);
	fresh made;
	char *name;
	eh_status status;

	while (size > 1 && folder[size - 1] == '/')
		size--;
	name = memory_format("%.*s", (int)size, folder);
	status = fresh_open_folder(&made, name, error);
	free(name);
	if (status != EH_OK)
		return status;
	status = write_members(made.fd, b, error);
	if (status == EH_OK)
		status = fresh_place(&made, false, error);
	if (status == EH_OK)
		close(made.fd);
	else
		fresh_drop(&made);
	return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "base/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/files.h"
#include "base/fresh.h"

static const char *folder(void)
{
	const char *stated = getenv("TMPDIR");

	if (stated != NULL && stated[0] == '/')
		return stated;
	return access("/var/tmp", W_OK) == 0 ? "/var/tmp" : "/tmp";
}

/* Some file systems have no files without a name: there the name is removed at once. */
static eh_status open_nameless(int *fd, eh_error *error)
{
	eh_status status;
	fresh named;

	*fd = open(folder(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (*fd >= 0)
		return EH_OK;
	status = fresh_open_temporary(&named, folder(), false, error);
	if (status != EH_OK)
		return status;
	*fd = fcntl(named.fd, F_DUPFD_CLOEXEC, 0);
	if (*fd < 0)
		status = error_system(error, errno, "cannot open a temporary file twice");
	fresh_drop(&named);
	return status;
}

eh_status spill_open(spill *s, eh_error *error)
{
	eh_status status = s->opened ? EH_OK : open_nameless(&s->fd, error);

	s->opened = status == EH_OK;
	return status;
}

eh_status spill_add(spill *s, const void *data, size_t size, eh_error *error)
{
	eh_status status = spill_open(s, error);

	if (status != EH_OK)
		return status;
	if (file_write_at(s->fd, data, size, (off_t)s->size) != 0)
		return error_system(error, errno, "cannot write a temporary file in '%s', which the results of a "
		                    "large bundle take (TMPDIR names another folder)", folder());
	s->size += size;
	return EH_OK;
}

source_bytes spill_part(const spill *s, const char *name, size_t from, size_t size)
{
	source_bytes part = { .name = name, .fd = s->fd, .start = from, .size = size };

	/* It has no name by which anybody else could change it. */
	if (fstat(s->fd, &part.opened) != 0)
		part.opened.st_size = -1;
	return part;
}

void spill_close(spill *s)
{
	if (s->opened)
		close(s->fd);
	*s = (spill){ 0 };
}

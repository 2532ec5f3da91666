/* SPDX-License-Identifier: Apache-2.0 */
#include "base/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/files.h"
#include "base/text.h"

static const char *folder(void)
{
	const char *stated = getenv("TMPDIR");

	if (stated != NULL && stated[0] == '/')
		return stated;
	return access("/var/tmp", W_OK) == 0 ? "/var/tmp" : "/tmp";
}

/* Some file systems have no files without a name: there the name is removed at once. */
static int open_nameless(void)
{
	int fd = open(folder(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	char *path;

	if (fd >= 0)
		return fd;
	path = memory_format("%s/evenhand-XXXXXX", folder());
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	free(path);
	return fd;
}

eh_status spill_add(spill *s, const void *data, size_t size, eh_error *error)
{
	if (!s->opened)
		s->fd = open_nameless();
	s->opened = s->fd >= 0;
	if (!s->opened || file_write_at(s->fd, data, size, (off_t)s->size) != 0)
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

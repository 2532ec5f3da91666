/* SPDX-License-Identifier: Apache-2.0 */
#include "base/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"

static const char *folder(void)
{
	const char *stated = getenv("TMPDIR");

	return stated != NULL && stated[0] == '/' ? stated : "/tmp";
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
	const char *p = data;

	if (!s->opened)
		s->fd = open_nameless();
	s->opened = s->fd >= 0;
	while (size > 0 && s->opened) {
		ssize_t done = pwrite(s->fd, p, size, (off_t)s->size);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			break;
		p += done;
		size -= (size_t)done;
		s->size += (size_t)done;
	}
	return size == 0 ? EH_OK :
	       error_system(error, errno, "cannot write a temporary file in '%s', which the results of a "
	                    "large bundle take (TMPDIR names another folder)", folder());
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

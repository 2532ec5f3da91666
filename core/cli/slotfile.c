/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/slotfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/paths.h"
#include "base/text.h"

#define SLOT_BYTES 64

eh_status slotfile_make(fresh *f, eh_error *error)
{
	char *folder = paths_temporary();
	eh_status status = fresh_open_temporary(f, folder, false, error);

	free(folder);
	if (status != EH_OK || ftruncate(f->fd, SLOT_BYTES) == 0)
		return status;
	status = error_system(error, errno, "cannot write %s", f->path);
	fresh_drop(f);
	return status;
}

const char *slotfile_token(const char *path)
{
	return path + strlen(path) - SLOTFILE_TOKEN;
}

char *slotfile_read(const fresh *f)
{
	char slot[SLOT_BYTES + 1] = "";
	const ssize_t got = pread(f->fd, slot, SLOT_BYTES, 0);

	return got > 0 && slot[0] != '\0' ? memory_text(slot) : NULL;
}

char *slotfile_open(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	void *place;

	if (fd < 0)
		return NULL;
	place = mmap(NULL, SLOT_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return place != MAP_FAILED ? place : NULL;
}

void slotfile_write(char *place, const char *slot)
{
	if (place != NULL)
		(void)snprintf(place, SLOT_BYTES, "%s", slot != NULL ? slot : "");
}

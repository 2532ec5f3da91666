/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/slotfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/text.h"

#define SLOT_BYTES 64

eh_status slotfile_make(char **path, eh_error *error)
{
	const char *folder = getenv("TMPDIR");
	char *name = memory_format("%s/evenhand-check-XXXXXX",
	                           folder != NULL && folder[0] == '/' ? folder : "/tmp");
	int fd = mkostemp(name, O_CLOEXEC);
	bool good = fd >= 0 && ftruncate(fd, SLOT_BYTES) == 0;
	int failure = errno;

	if (fd >= 0)
		close(fd);
	if (good) {
		*path = name;
		return EH_OK;
	}
	(void)error_system(error, failure, "cannot make %s", name);
	free(name);
	return error->code;
}

const char *slotfile_token(const char *path)
{
	return path + strlen(path) - SLOTFILE_TOKEN;
}

void slotfile_remove(char *path)
{
	if (path != NULL)
		unlink(path);
	free(path);
}

char *slotfile_read(const char *path)
{
	char slot[SLOT_BYTES + 1] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return NULL;
	got = read(fd, slot, SLOT_BYTES);
	close(fd);
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

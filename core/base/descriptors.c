/* SPDX-License-Identifier: Apache-2.0 */
#include "base/descriptors.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <stdalign.h>
#include <stdlib.h>
#include <unistd.h>

/* strtol may read the locale. */
static int number_of(const char *name)
{
	int number = 0;

	for (; *name >= '0' && *name <= '9'; name++)
		number = number * 10 + (*name - '0');
	return *name == '\0' ? number : -1;
}

/* Older kernels have no close_range, and opendir allocates. */
static bool seal_listed(void)
{
	alignas(struct dirent64) char block[4096];
	int folder = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ssize_t got = -1;

	while (folder >= 0 && (got = getdents64(folder, block, sizeof(block))) > 0)
		for (ssize_t at = 0; at < got;) {
			const struct dirent64 *entry = (const struct dirent64 *)(const void *)(block + at);
			int fd = number_of(entry->d_name);

			if (fd > 2)
				(void)fcntl(fd, F_SETFD, FD_CLOEXEC);
			at += entry->d_reclen;
		}
	if (folder >= 0)
		close(folder);
	return got == 0;
}

bool descriptors_seal(void)
{
	return close_range(3, UINT_MAX, CLOSE_RANGE_CLOEXEC) == 0 || seal_listed();
}

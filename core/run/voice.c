/* SPDX-License-Identifier: Apache-2.0 */
#include "run/voice.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

FILE *voice_take(void)
{
	int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	FILE *voice;

	if (fd < 0)
		return NULL;
	voice = fdopen(fd, "w");
	if (voice == NULL || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
		close(fd);
		return NULL;
	}
	return voice;
}

bool voice_say(FILE *voice, char *line)
{
	/* One call, so that lines of several threads do not mix. */
	bool good = fprintf(voice, "%s\n", line) > 0 && fflush(voice) == 0;

	free(line);
	return good;
}

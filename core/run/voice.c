/* SPDX-License-Identifier: Apache-2.0 */
#include "run/voice.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/text.h"

#define NAP_MS 200 /* a signal may come just before the wait */

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

/* Waits for bytes; false when there will be none. */
static bool await_input(int input)
{
	struct pollfd in = { .fd = input, .events = POLLIN };
	int ready = 0;

	while (ready == 0 && !interrupt_pending()) {
		ready = poll(&in, 1, NAP_MS);
		if (ready < 0 && errno == EINTR)
			ready = 0;
	}
	return ready > 0;
}

int voice_take_input(void)
{
	int fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
	bool good = fd >= 0 && nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0;

	if (nothing >= 0)
		close(nothing);
	if (!good && fd >= 0)
		close(fd);
	return good ? fd : -1;
}

bool voice_silent(int input, int ms)
{
	struct pollfd p = { .fd = input, .events = POLLIN };

	return poll(&p, 1, ms) == 0;
}

char *voice_hear(int input)
{
	text line = { 0 };
	char block[4096];
	char *end;

	/* The other side waits for an answer to each line, so nothing follows it. */
	while (await_input(input)) {
		ssize_t got = read(input, block, sizeof(block));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		end = memchr(block, '\n', (size_t)got);
		text_add_bytes(&line, block, end != NULL ? (size_t)(end - block) : (size_t)got);
		if (end != NULL)
			return line.data;
	}
	text_free(&line);
	return NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Translated modules to loaded code: the C compiler, and a cache of what it made. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tcu_state.h"

#define FLAGS "-std=gnu17 -w -O1 -march=native -ffp-contract=off -fno-strict-aliasing " \
	"-fno-math-errno -fPIC -shared"

extern char **environ;

/* FNV-1a of 128 bits: a name for a text, not a proof of it. */
static void digest(const char *text, const char *more, char hex[33])
{
	unsigned __int128 sum = (unsigned __int128)0x6c62272e07bb0142u << 64 | 0x62b821756295c58du;
	const unsigned __int128 prime = (unsigned __int128)1 << 88 | 0x13b;

	for (const char *p = text; *p != '\0'; p++)
		sum = (sum ^ (unsigned char)*p) * prime;
	for (const char *p = more; *p != '\0'; p++)
		sum = (sum ^ (unsigned char)*p) * prime;
	snprintf(hex, 33, "%016llx%016llx", (unsigned long long)(sum >> 64), (unsigned long long)sum);
}

static bool folder_of(char *folder, size_t size)
{
	const char *set = getenv("EVENHAND_TEST_CACHE");
	struct stat about;

	if (set != NULL && set[0] != '\0')
		snprintf(folder, size, "%s", set);
	else
		snprintf(folder, size, "/tmp/evenhand-test-driver-%lu", (unsigned long)geteuid());
	/* Others must not be able to put code there. */
	return (mkdir(folder, 0700) == 0 || errno == EEXIST) && lstat(folder, &about) == 0 &&
	       S_ISDIR(about.st_mode) && about.st_uid == geteuid() && (about.st_mode & 022) == 0;
}

static bool run_shell(char *command)
{
	char shell[] = "/bin/sh", option[] = "-c";
	char *const arguments[] = { shell, option, command, NULL };
	int status = 0;
	pid_t child;

	if (posix_spawn(&child, shell, NULL, NULL, arguments, environ) != 0)
		return false;
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");
	bool right;

	if (file == NULL)
		return false;
	right = fputs(text, file) >= 0;
	return fclose(file) == 0 && right;
}

/* Made beside its place and moved there: another process sees all of it or nothing. */
static bool compile(const char *c, const char *place, const char *compiler)
{
	char source[700], object[700], command[2600];
	bool right;

	snprintf(source, sizeof(source), "%s.%ld.c", place, (long)getpid());
	snprintf(object, sizeof(object), "%s.%ld.tmp", place, (long)getpid());
	snprintf(command, sizeof(command), "exec %s " FLAGS " -o '%s' '%s' -lm 2>/dev/null", compiler,
	         object, source);
	right = write_file(source, c) && run_shell(command) && rename(object, place) == 0;
	(void)unlink(source);
	if (!right)
		(void)unlink(object);
	return right;
}

void *tcu_compile(const char *c, char *error, size_t size)
{
	const char *compiler = getenv("CC");
	char folder[512], place[640], hex[33];
	void *object;

	if (compiler == NULL || compiler[0] == '\0')
		compiler = "cc";
	if (!folder_of(folder, sizeof(folder))) {
		snprintf(error, size, "test driver: %s is no private folder", folder);
		return NULL;
	}
	digest(c, compiler, hex);
	snprintf(place, sizeof(place), "%s/%s.so", folder, hex);
	if (access(place, R_OK) != 0 && !compile(c, place, compiler)) {
		snprintf(error, size, "test driver: %s does not compile the translated kernels", compiler);
		return NULL;
	}
	object = dlopen(place, RTLD_NOW | RTLD_LOCAL);
	if (object == NULL)
		snprintf(error, size, "test driver: %s", dlerror());
	return object;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* HIP texts to code for this machine: the compiler, and a cache of what it made. */
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trtc_state.h"

/* The hooks of the race detector are emu.h's, so that only the compiler is told of it. */
#define FLAGS "-x c++ -std=gnu++17 -w -O1 -ffp-contract=off -fno-strict-aliasing -fno-math-errno " \
	"-fno-exceptions -fno-rtti -fvisibility=hidden -fPIC"

extern char **environ;

/* FNV-1a of 128 bits: a name for a text, not a proof of it. */
static void digest(const char *const texts[], size_t count, char hex[33])
{
	unsigned __int128 sum = (unsigned __int128)0x6c62272e07bb0142u << 64 | 0x62b821756295c58du;
	const unsigned __int128 prime = (unsigned __int128)1 << 88 | 0x13b;

	for (size_t i = 0; i < count; i++)
		for (const char *p = texts[i]; *p != '\0'; p++)
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

static bool write_file(const char *path, const char *const texts[], size_t count)
{
	FILE *file = fopen(path, "we");
	bool right = true;

	if (file == NULL)
		return false;
	for (size_t i = 0; i < count; i++)
		right = fputs(texts[i], file) >= 0 && right;
	return fclose(file) == 0 && right;
}

/* malloc'd and terminated; NULL when it cannot be read. */
static char *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "re");
	struct stat about;
	char *text = NULL;

	if (file == NULL)
		return NULL;
	if (fstat(fileno(file), &about) == 0 && about.st_size >= 0)
		text = malloc((size_t)about.st_size + 1);
	if (text != NULL) {
		*size = fread(text, 1, (size_t)about.st_size, file);
		text[*size] = '\0';
	}
	(void)fclose(file);
	return text;
}

typedef struct files {
	char base[700];          /* what all of them begin with                                 */
	const char *compiler;
} files;

/* One step, "exec cc ... BASE.from ... -o BASE.to", with its messages in BASE.log. */
static bool step(const files *f, const char *flags, const char *from, const char *more,
                 const char *to)
{
	char command[3200];

	snprintf(command, sizeof(command), "exec %s %s '%s.%s' %s -o '%s.%s' >'%s.log' 2>&1", f->compiler,
	         flags, f->base, from, more, f->base, to, f->base);
	return run_shell(command);
}

static char *path_of(const files *f, const char *suffix, char *path, size_t size)
{
	snprintf(path, size, "%s.%s", f->base, suffix);
	return path;
}

static char *add_entries(const files *f, char *why, size_t why_size)
{
	char path[720], *text, *whole = NULL;
	size_t size = 0;

	text = read_file(path_of(f, "pre", path, sizeof(path)), &size);
	if (text != NULL)
		whole = trtc_entries(text, why, why_size);
	free(text);
	return whole;
}

/* Preprocessing first: only then are all kernels there by name. */
static bool compile(const files *f, const char *name, const char *text, char **log)
{
	const char *const parts[] = { trtc_prelude, "\n#line 1 \"", name, "\"\n", text };
	char path[720], why[160] = "", *whole = NULL;
	size_t size;
	bool right = write_file(path_of(f, "hip", path, sizeof(path)), parts, 5) &&
	             step(f, FLAGS " -E", "hip", "", "pre");

	if (right) {
		whole = add_entries(f, why, sizeof(why));
		right = whole != NULL &&
		        write_file(path_of(f, "whole", path, sizeof(path)),
		                   (const char *const[]){ whole }, 1) &&
		        step(f, FLAGS " -fsanitize=thread -c", "whole", "", "o") &&
		        step(f, "-shared", "o", "-lm", "so");
	}
	free(whole);
	if (!right)
		*log = why[0] != '\0' ? strdup(why)
		                      : read_file(path_of(f, "log", path, sizeof(path)), &size);
	return right;
}

static void clean(const files *f)
{
	static const char *const suffixes[] = { "hip", "pre", "whole", "o", "so", "log" };
	char path[720];

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		(void)unlink(path_of(f, suffixes[i], path, sizeof(path)));
}

static void keep_text(const char *hex, const char *text)
{
	const char *folder = getenv("EVENHAND_TEST_TEXTS");
	char path[700];

	if (folder == NULL || folder[0] == '\0')
		return;
	snprintf(path, sizeof(path), "%s/%s.hip", folder, hex);
	(void)write_file(path, &text, 1);
}

bool trtc_build(const char *name, const char *text, char **code, size_t *size, char **log)
{
	files f = { "", getenv("CC") };
	char folder[512], place[640], path[720], hex[33];
	bool right;

	if (f.compiler == NULL || f.compiler[0] == '\0')
		f.compiler = "cc";
	digest((const char *const[]){ trtc_prelude, f.compiler, FLAGS, name, text }, 5, hex);
	keep_text(hex, text);
	if (!folder_of(folder, sizeof(folder))) {
		*log = strdup("test hiprtc: the cache is no private folder\n");
		return false;
	}
	snprintf(place, sizeof(place), "%s/%s.hsaco", folder, hex);
	snprintf(f.base, sizeof(f.base), "%s/%s.%ld", folder, hex, (long)getpid());
	right = access(place, R_OK) == 0;
	if (!right) {
		/* Made beside its place and moved there: another process sees all of it or nothing. */
		right = compile(&f, name, text, log) &&
		        rename(path_of(&f, "so", path, sizeof(path)), place) == 0;
		clean(&f);
	}
	if (!right)
		return false;
	*code = read_file(place, size);
	return *code != NULL;
}

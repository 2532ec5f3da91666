/* SPDX-License-Identifier: Apache-2.0 */
#include "prebuilt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "faults.h"
#include "shared/vendorlib.h"

static void take_value(const char *line, const char *key, char *out, size_t size)
{
	const size_t n = strlen(key);

	if (strncmp(line, key, n) == 0 && line[n] == '=')
		faults_text(out, size, "%.*s", (int)strcspn(line + n + 1, "\n"), line + n + 1);
}

void prebuilt_origin(const host_state *s, prebuilt *out)
{
	char path[PATH_MAX], line[1024];
	FILE *f;

	memset(out, 0, sizeof(*out));
	if (s->library_dir == NULL ||
	    snprintf(path, sizeof(path), "%s/host-kernels/compiler", s->library_dir) >=
	            (int)sizeof(path))
		return;
	f = fopen(path, "re");
	if (f == NULL)
		return;
	while (fgets(line, sizeof(line), f) != NULL) {
		take_value(line, "version", out->version, sizeof(out->version));
		take_value(line, "flags", out->flags, sizeof(out->flags));
		take_value(line, "target", out->target, sizeof(out->target));
	}
	(void)fclose(f);
	if (strstr(out->version, "clang") != NULL)
		faults_text(out->compiler, sizeof(out->compiler), "clang");
	else if (out->version[0] != '\0')
		faults_text(out->compiler, sizeof(out->compiler), "gcc");
}

static bool is_digest(const char *text)
{
	return text != NULL && strlen(text) == 64 && strspn(text, "0123456789abcdef") == 64;
}

eh_status prebuilt_read(const host_state *s, const eh_source *source, void **binary,
                        size_t *size, char path[PATH_MAX], eh_error *error)
{
	const char *name = source->name != NULL ? source->name : "this program";
	struct stat about;
	eh_status status;
	FILE *f;

	if (!is_digest(source->digest))
		return faults_set(error, EH_E_UNSUPPORTED, "Program \"%s\" has no digest to find a "
		                  "prebuilt kernel by; install gcc or clang to compile it", name);
	if (s->library_dir == NULL ||
	    snprintf(path, PATH_MAX, "%s/host-kernels/%s.so", s->library_dir, source->digest) >=
	            PATH_MAX)
		return faults_set(error, EH_E_UNSUPPORTED, "Program \"%s\" is not prebuilt: the "
		                  "folder of prebuilt kernels is not known; install gcc or clang "
		                  "to compile it", name);
	if (access(path, F_OK) != 0 && errno == ENOENT)
		return faults_set(error, EH_E_UNSUPPORTED, "Program \"%s\" with these parameters "
		                  "was not compiled at installation, and there is no working C "
		                  "compiler here; install gcc or clang", name);
	status = vendorlib_allowed(s->host, path, error);
	if (status != EH_OK)
		return status;
	f = fopen(path, "re");
	if (f == NULL)
		return faults_system(error, EH_E_UNAVAILABLE, "fopen", errno,
		                     "The prebuilt kernel %.160s cannot be read", path);
	if (fstat(fileno(f), &about) != 0 || !S_ISREG(about.st_mode) || about.st_size <= 0) {
		(void)fclose(f);
		return faults_set(error, EH_E_UNAVAILABLE, "The prebuilt kernel %.160s is empty or "
		                  "no file; install evenhand again", path);
	}
	*size = (size_t)about.st_size;
	*binary = malloc(*size);
	if (*binary == NULL || fread(*binary, 1, *size, f) != *size) {
		free(*binary);
		*binary = NULL;
		(void)fclose(f);
		return faults_set(error, EH_E_UNAVAILABLE, "The prebuilt kernel %.160s cannot be "
		                  "read whole; install evenhand again", path);
	}
	(void)fclose(f);
	return EH_OK;
}

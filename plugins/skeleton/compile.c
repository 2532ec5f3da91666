/* SPDX-License-Identifier: Apache-2.0 */
#include "compile.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* The files that compile_source makes in its folder and removes. */
static const char *const compile_files[] = { "kernel.c", "kernel.so", "log" };

static char *compile_path(const char *folder, const char *file)
{
	char *path;

	return asprintf(&path, "%s/%s", folder, file) < 0 ? NULL : path;
}

static void compile_clean(char *folder)
{
	for (size_t i = 0; i < sizeof(compile_files) / sizeof(compile_files[0]); i++) {
		char *path = compile_path(folder, compile_files[i]);

		if (path != NULL)
			unlink(path);
		free(path);
	}
	rmdir(folder);
	free(folder);
}

static char *compile_folder(const char *scratch)
{
	char *folder = compile_path(scratch, SKELETON_NAME "-XXXXXX");

	if (folder != NULL && mkdtemp(folder) == NULL) {
		free(folder);
		return NULL;
	}
	return folder;
}

/* Runs argv with all output in log_path.  Returns its exit status, or -1 with errno when it could
 * not be started or was killed. */
static int compile_start(const char *const argv[], const char *log_path)
{
	posix_spawn_file_actions_t actions;
	int status, failure;
	pid_t pid;

	if (posix_spawn_file_actions_init(&actions) != 0)
		return -1;
	failure = posix_spawn_file_actions_addopen(&actions, 1, log_path,
	                                           O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (failure == 0)
		failure = posix_spawn_file_actions_adddup2(&actions, 1, 2);
	if (failure == 0)
		failure = posix_spawnp(&pid, argv[0], &actions, NULL,
		                       (char *const *)(uintptr_t)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (failure != 0) {
		errno = failure;
		return -1;
	}
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return -1;
	}
	errno = EINTR;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/*
 * Writes the text to compile: macros, prelude, body, in this order, as backend.h requires.  #line
 * makes messages refer to the kernel's own lines.  The names are in < and >, so that they are not
 * names of files in the current folder, whose lines the compiler would quote.
 */
static int compile_write(const char *path, const eh_source *source)
{
	FILE *f = fopen(path, "w");
	int good;

	if (f == NULL)
		return -1;
	for (uint32_t i = 0; i < source->macro_count; i++)
		fprintf(f, "#define %s %s\n", source->macros[i].name, source->macros[i].value);
	fprintf(f, "#line 1 \"<dialect.h>\"\n%s\n#line 1 \"<%s.k>\"\n%s\n", source->prelude,
	        source->name, source->body);
	good = !ferror(f);
	return fclose(f) == 0 && good ? 0 : -1;
}

static void compile_read_text(const char *path, char *out, size_t size)
{
	FILE *f;
	size_t got = 0;

	if (out == NULL || size == 0)
		return;
	f = fopen(path, "r");
	if (f != NULL) {
		got = fread(out, 1, size - 1, f);
		fclose(f);
	}
	out[got] = '\0';
}

static int compile_read_binary(const char *path, compiled *out)
{
	FILE *f = fopen(path, "rb");
	long size;

	if (f == NULL)
		return -1;
	if (fseek(f, 0, SEEK_END) != 0 || (size = ftell(f)) <= 0 || fseek(f, 0, SEEK_SET) != 0)
		goto close_file;
	out->binary = malloc((size_t)size);
	if (out->binary == NULL)
		goto close_file;
	if (fread(out->binary, 1, (size_t)size, f) != (size_t)size) {
		free(out->binary);
		out->binary = NULL;
		goto close_file;
	}
	out->binary_size = (uint64_t)size;
	fclose(f);
	return 0;
close_file:
	fclose(f);
	return -1;
}

eh_status compile_source(const char *compiler, const char *scratch, const eh_source *source,
                         compiled *out, char *log, size_t log_size, char *why, size_t why_size)
{
	char *folder = compile_folder(scratch), *text, *object, *log_path;
	eh_status status = EH_E_INTERNAL;
	int rc;

	memset(out, 0, sizeof(*out));
	if (folder == NULL) {
		snprintf(why, why_size, "no folder can be made in %s: %s", scratch,
		         strerror(errno));
		return EH_E_INTERNAL;
	}
	text = compile_path(folder, "kernel.c");
	object = compile_path(folder, "kernel.so");
	log_path = compile_path(folder, "log");
	if (text == NULL || object == NULL || log_path == NULL ||
	    compile_write(text, source) != 0) {
		snprintf(why, why_size, "the kernel text cannot be written to %s: %s", folder,
		         strerror(errno));
		goto done;
	}
	/* COMPILE_FLAGS, word by word. */
	rc = compile_start((const char *const[]){ compiler, "-std=gnu17", "-O3", "-march=native",
	                                          "-fPIC", "-shared", "-o", object, text, "-lm",
	                                          NULL },
	                   log_path);
	compile_read_text(log_path, log, log_size);
	if (rc < 0 || rc == 127) {
		snprintf(why, why_size,
		         "the compiler '%s' cannot be run (%s): install it, or name another by "
		         "--set " SKELETON_NAME ".compiler=NAME",
		         compiler, strerror(errno));
		status = EH_E_UNAVAILABLE;
		goto done;
	}
	if (rc != 0) {
		snprintf(why, why_size, "%s does not compile with %s; the build log says why",
		         source->name, compiler);
		status = EH_E_BUILD;
		goto done;
	}
	if (compile_read_binary(object, out) != 0) {
		snprintf(why, why_size, "what %s wrote cannot be read: %s", compiler,
		         strerror(errno));
		goto done;
	}
	out->handle = dlopen(object, RTLD_NOW | RTLD_LOCAL);
	if (out->handle == NULL) {
		snprintf(why, why_size, "the compiled kernels cannot be loaded: %.200s", dlerror());
		free(out->binary);
		memset(out, 0, sizeof(*out));
		goto done;
	}
	status = EH_OK;
done:
	free(text);
	free(object);
	free(log_path);
	compile_clean(folder);
	return status;
}

void compile_free(compiled *c)
{
	if (c->handle != NULL)
		dlclose(c->handle);
	free(c->binary);
	memset(c, 0, sizeof(*c));
}

void compile_version(const char *compiler, const char *scratch, char *out, size_t size)
{
	char *folder = compile_folder(scratch);
	char *log_path = folder != NULL ? compile_path(folder, "log") : NULL;
	const char *slash = strrchr(compiler, '/');
	const char *name = slash != NULL ? slash + 1 : compiler;
	const size_t length = strlen(name);

	out[0] = '\0';
	if (log_path != NULL &&
	    compile_start((const char *const[]){ compiler, "--version", NULL }, log_path) == 0)
		compile_read_text(log_path, out, size);
	out[strcspn(out, "\n")] = '\0';
	/* "cc (Debian 12.2.0) 12.2.0": the name is reported separately. */
	if (strncmp(out, name, length) == 0 && out[length] == ' ')
		memmove(out, out + length + 1, strlen(out + length + 1) + 1);
	free(log_path);
	if (folder != NULL)
		compile_clean(folder);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel text to SPIR-V: from the prebuilt modules, from the cache, or compiled in a temporary
 * folder. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lz_compilers.h"
#include "shared/binarycache.h"
#include "shared/failure.h"
#include "shared/scratch.h"
#include "shared/subprocess.h"
#include "shared/vendorlib.h"
#include "shared/wording.h"

enum { MOST_SPIRV = 1 << 26, MOST_WORDS = 40 };

#define MAGIC UINT32_C(0x07230203)

static bool is_spirv(const void *bytes, size_t size)
{
	uint32_t word = 0;

	if (size < 20 || size % 4 != 0)
		return false;
	memcpy(&word, bytes, sizeof(word));
	return word == MAGIC;
}

/* Reads a module of a folder (AT_FDCWD = by its path); false with errno on failure (0: the file is not
 * SPIR-V). */
static bool read_module(int folder, const char *path, lz_spirv *out)
{
	const int fd = openat(folder, path, O_RDONLY | O_CLOEXEC);
	struct stat about;
	FILE *f = fd >= 0 ? fdopen(fd, "r") : NULL;
	bool fine = false;

	if (f == NULL) {
		if (fd >= 0)
			(void)close(fd);
		return false;
	}
	errno = 0;
	if (fstat(fileno(f), &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0 &&
	    about.st_size <= MOST_SPIRV) {
		out->size = (size_t)about.st_size;
		out->bytes = malloc(out->size);
		fine = out->bytes != NULL && fread(out->bytes, 1, out->size, f) == out->size &&
		       is_spirv(out->bytes, out->size);
	}
	(void)fclose(f);
	if (!fine) {
		free(out->bytes);
		out->bytes = NULL;
	}
	return fine;
}

static bool find_prebuilt(const lz_compilers *c, const eh_source *source, lz_spirv *out,
                          eh_status *status, eh_error *error)
{
	char path[PATH_MAX];

	*status = EH_OK;
	if (c->prebuilt.way != LZ_PREBUILT || source->digest == NULL || strlen(source->digest) != 64 ||
	    snprintf(path, sizeof(path), "%s/%s.spv", c->prebuilt.path, source->digest) >=
	        (int)sizeof(path))
		return false;
	if (access(path, F_OK) != 0 && errno == ENOENT)
		return false;
	*status = vendorlib_allowed(c->host, path, error);
	if (*status != EH_OK)
		return false;
	if (read_module(AT_FDCWD, path, out)) {
		out->maker = c->prebuilt;
		return true;
	}
	*status = failure_set(error, EH_E_UNAVAILABLE, "fopen",
	                      "The prebuilt kernel %.160s cannot be read or is no SPIR-V; install "
	                      "evenhand again.", path);
	return false;
}

static bool write_text(int folder, const char *text)
{
	const int fd = openat(folder, "kernel.cl", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	bool fine;

	if (fd < 0)
		return false;
	fine = subprocess_write(fd, text, strlen(text));
	return close(fd) == 0 && fine;
}

/* Runs one program in the folder; its output is the log. */
static eh_status run(const char *const argv[], int folder, const char *what, char *log,
                     size_t log_size, eh_error *error)
{
	subprocess p, *list[] = { &p };
	char how[160];
	eh_status status = EH_OK;

	subprocess_start(&p, argv, folder, NULL, 0);
	subprocess_wait(list, 1, LZ_COMPILE_MS);
	if (p.text != NULL && p.text[0] != '\0')
		wording_log(p.text, log, log_size);
	if (!subprocess_succeeded(&p)) {
		subprocess_describe(&p, how, sizeof(how));
		status = failure_set(error, p.start_errno != 0 ? EH_E_UNAVAILABLE : EH_E_BUILD, what,
		                     "The kernels do not compile: %.120s %s; the build log says why.",
		                     argv[0], how);
	}
	subprocess_free(&p);
	return status;
}

/* Splits flags at blanks into argv behind `used`; text is cut into words. */
static size_t add_flags(const char *argv[MOST_WORDS], size_t used, char *text)
{
	char *rest = text;

	for (char *word; (word = strsep(&rest, " ")) != NULL && used + 8 < MOST_WORDS;)
		if (*word != '\0')
			argv[used++] = word;
	return used;
}

static eh_status by_clang(const lz_maker *m, int folder, char *log, size_t log_size,
                          eh_error *error)
{
	const char *argv[MOST_WORDS] = { m->path, "-x", "cl" };
	const char *const translate[] = { m->translator_path, "--spirv-max-version=1.0",
		"--spirv-fp-contract=fast", "kernel.bc", "-o", "kernel.spv", NULL };
	char flags[sizeof(m->flags)];
	size_t used;
	eh_status status;

	memcpy(flags, m->flags, sizeof(flags));
	used = add_flags(argv, 3, flags);
	argv[used++] = "-emit-llvm";
	argv[used++] = "-c";
	argv[used++] = "kernel.cl";
	argv[used++] = "-o";
	argv[used] = "kernel.bc";
	status = run(argv, folder, "clang", log, log_size, error);
	if (status == EH_OK)
		status = run(translate, folder, "llvm-spirv", log, log_size, error);
	return status;
}

static eh_status by_ocloc(const lz_maker *m, uint32_t device_id, int folder, char *log,
                          size_t log_size, eh_error *error)
{
	char device[16];
	const char *const argv[] = { m->path, "compile", "-q", "-file", "kernel.cl", "-device", device,
		"-spv_only", "-options", m->flags, "-output", "kernel", "-output_no_suffix", NULL };

	snprintf(device, sizeof(device), "0x%04x", (unsigned)(device_id & 0xffff));
	return run(argv, folder, "ocloc", log, log_size, error);
}

/* Whether ocloc adds the device's name to the file's depends on its version. */
static bool read_any_module(int folder, lz_spirv *out)
{
	const int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	bool found = false;

	for (const struct dirent *e; d != NULL && !found && (e = readdir(d)) != NULL;) {
		const size_t length = strlen(e->d_name);

		found = length > 4 && strcmp(e->d_name + length - 4, ".spv") == 0 &&
		        read_module(folder, e->d_name, out);
	}
	if (d != NULL)
		(void)closedir(d);
	else if (fd >= 0)
		(void)close(fd);
	return found;
}

static eh_status compile(const lz_maker *m, const char *text, uint32_t device_id, lz_spirv *out,
                         char *log, size_t log_size, eh_error *error)
{
	const char *top = scratch_top();
	scratch s;
	int problem = scratch_make(&s);
	eh_status status;

	if (problem != 0)
		return failure_set(error, EH_E_UNAVAILABLE, "mkdir",
		                   "No folder for compiling can be made in %.200s (%s); set TMPDIR to one "
		                   "that is writable.", top, strerror(problem));
	if (!write_text(s.fd, text))
		status = failure_set(error, EH_E_UNAVAILABLE, "write",
		                     "The kernel's text cannot be written in %.200s (%s).", top,
		                     strerror(errno));
	else if (m->way == LZ_OCLOC)
		status = by_ocloc(m, device_id, s.fd, log, log_size, error);
	else
		status = by_clang(m, s.fd, log, log_size, error);
	if (status == EH_OK && !read_any_module(s.fd, out))
		status = failure_set(error, EH_E_BUILD, "program_build",
		                     "%s ended well and left no SPIR-V.", m->compiler);
	scratch_remove(&s);
	return status;
}

static eh_status nothing(const lz_compilers *c, const eh_source *source, eh_error *error)
{
	if (c->wanted == LZ_PREBUILT)
		return failure_set(error, EH_E_UNSUPPORTED, "program_build",
		                   "%.60s with these parameters is not among the prebuilt kernels, and "
		                   "levelzero.compiler is prebuilt.", source->name);
	return failure_set(error, EH_E_UNAVAILABLE, "program_build",
	                   "%.60s with these parameters is not among the prebuilt kernels, and nothing "
	                   "here makes SPIR-V: install %s.", source->name,
	                   c->wanted == LZ_OCLOC ? "the package intel-ocloc (or name it in --set "
	                   "levelzero.ocloc=PATH)" : "clang and llvm-spirv of one LLVM (in Debian 12 "
	                   "the packages clang-15 and llvm-spirv-15), or intel-ocloc");
}

eh_status lz_compile(lz_compilers *c, const eh_source *source, uint32_t device_id, lz_spirv *out,
                     char *log, size_t log_size, eh_error *error)
{
	binarycache cache = { .host = c->host, .suffix = ".spv",
	                      .folder = c->host->option(c->host->ctx, "cache-dir") };
	const lz_maker *m = &c->runtime;
	char key[65], path[PATH_MAX], device[16], *text;
	eh_status status;

	memset(out, 0, sizeof(*out));
	wording_log(NULL, log, log_size);
	lz_compilers_search(c);
	if (find_prebuilt(c, source, out, &status, error) || status != EH_OK)
		return status;
	if (m->way == LZ_ANY)
		return nothing(c, source, error);
	text = wording_source(source);
	if (text == NULL)
		return failure_set(error, EH_E_NO_MEMORY, "program_build",
		                   "No memory is left to build %.60s.", source->name);
	snprintf(device, sizeof(device), "%04x", m->way == LZ_OCLOC ? (unsigned)device_id : 0U);
	binarycache_key(c->host, (const char *const[]){ "evenhand levelzero kernel 2", m->path,
	    m->version, m->translator, m->flags, device, source->name, text }, 8, key);
	out->maker = *m;
	out->from_cache = binarycache_load(&cache, key, &out->bytes, &out->size, path);
	if (out->from_cache && !is_spirv(out->bytes, out->size)) {
		free(out->bytes);
		out->bytes = NULL;
		out->from_cache = false;
	}
	if (!out->from_cache) {
		status = compile(m, text, device_id, out, log, log_size, error);
		if (status == EH_OK)
			(void)binarycache_store(&cache, key, out->bytes, out->size, path);
	}
	free(text);
	return status;
}

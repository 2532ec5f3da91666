/* SPDX-License-Identifier: Apache-2.0 */
#include "compile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "faults.h"

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#define STACK_LIMIT 4194304
_Static_assert(STACK_LIMIT == COMPILE_STACK_LIMIT, "one limit");

/* The same for every compiler, so that only the compiler differs.  None of them changes a value
 * beyond contraction, which the kernel dialect allows and both are told to use.  That nobody looks at the
 * floating-point exceptions is Clang's default; GCC without it makes no vectors of a choice between floats
 * where instructions have no masks. */
static const char *const common_flags[] = {
	"-std=gnu17", "-O3", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=fast",
	"-fPIC", "-shared", "-Wl,-z,defs",
};

/* A work-group that needs more stack than there is must not compile; each compiler has its own
 * flag. */
static const char *const gcc_flags[] = { "-Werror=frame-larger-than=" TEXT(STACK_LIMIT) };
static const char *const clang_flags[] = {
	"-Wframe-larger-than=" TEXT(STACK_LIMIT), "-Werror=frame-larger-than=",
};

static const char *const native_flags[] = {
#if defined(__x86_64__) || defined(__i386__)
	"-march=native", "-mprefer-vector-width=512",
#elif defined(__aarch64__) || defined(__arm__) || defined(__powerpc__)
	"-mcpu=native",
#else
	"-march=native",
#endif
};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))
enum { MOST_FLAGS = COUNT(common_flags) + COUNT(clang_flags) + COUNT(native_flags) };

static size_t add_flags(const char **to, size_t n, const char *const *from, size_t count)
{
	for (size_t i = 0; i < count; i++)
		to[n++] = from[i];
	return n;
}

/* Fills flags (room for MOST_FLAGS) and returns how many. */
static size_t flags_of(const compiler *c, const char **flags)
{
	size_t n = add_flags(flags, 0, common_flags, COUNT(common_flags));

	if (strcmp(c->kind, "clang") == 0)
		n = add_flags(flags, n, clang_flags, COUNT(clang_flags));
	else
		n = add_flags(flags, n, gcc_flags, COUNT(gcc_flags));
	if (c->native)
		n = add_flags(flags, n, native_flags, COUNT(native_flags));
	return n;
}

void compile_flags_text(const compiler *c, char *out, size_t size)
{
	const char *flags[MOST_FLAGS];
	const size_t n = flags_of(c, flags);

	out[0] = '\0';
	for (size_t i = 0; i < n; i++) {
		const size_t used = strlen(out);

		faults_text(out + used, size - used, "%s ", flags[i]);
	}
	faults_text(out + strlen(out), size - strlen(out), "-lm");
}

static bool make_folder(compile_job *job)
{
	const int problem = scratch_make(&job->folder);

	if (problem == 0)
		return true;
	job->status = faults_system(&job->error, EH_E_UNAVAILABLE, "mkdir", problem,
	                            "No folder for compiling can be made in %s; set TMPDIR to "
	                            "one that is writable", scratch_top());
	return false;
}

static bool write_source(compile_job *job, const char *text)
{
	const size_t size = strlen(text);
	size_t done = 0;
	int fd, problem = 0;

	fd = openat(job->folder.fd, "kernel.c", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		problem = errno;
	while (problem == 0 && done < size) {
		const ssize_t n = write(fd, text + done, size - done);

		if (n > 0)
			done += (size_t)n;
		else if (n < 0 && errno != EINTR)
			problem = errno;
	}
	if (fd >= 0 && close(fd) != 0 && problem == 0)
		problem = errno;
	if (problem == 0)
		return true;
	job->status = faults_system(&job->error, EH_E_UNAVAILABLE, "write", problem,
	                            "The kernel's source cannot be written in %.120s; free space "
	                            "there or set TMPDIR", scratch_top());
	return false;
}

static bool read_binary(compile_job *job)
{
	struct stat about;
	size_t done = 0;
	int fd = openat(job->folder.fd, "kernel.so", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return false;
	if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size <= 0 ||
	    (job->binary = malloc((size_t)about.st_size)) == NULL) {
		(void)close(fd);
		return false;
	}
	job->size = (size_t)about.st_size;
	while (done < job->size) {
		const ssize_t n = read(fd, (char *)job->binary + done, job->size - done);

		if (n > 0)
			done += (size_t)n;
		else if (n == 0 || errno != EINTR)
			break;
	}
	(void)close(fd);
	if (done == job->size)
		return true;
	free(job->binary);
	job->binary = NULL;
	job->size = 0;
	return false;
}

void compile_begin(compile_job *job, const host_state *s, const compiler *c, const char *text)
{
	const char *argv[MOST_FLAGS + 6];
	size_t n = 0;

	memset(job, 0, sizeof(*job));
	job->with = c;
	job->process.out = -1;
	job->folder.fd = -1;
	job->error.struct_size = sizeof(job->error);
	if (!make_folder(job) || !write_source(job, text))
		return;
	argv[n++] = c->path;
	n += flags_of(c, argv + n);
	argv[n++] = "-o";
	argv[n++] = "kernel.so";
	argv[n++] = "kernel.c";
	argv[n++] = "-lm";
	argv[n] = NULL;
	subprocess_start(&job->process, argv, job->folder.fd, s->cpu.may.mask, s->cpu.may.mask_size);
}

/* The line with the error, without the path before it. */
static void first_error(const char *log, char *out, size_t size)
{
	const char *at = NULL;
	const char *const words[] = { "fatal error: ", "error: ", "undefined reference", "cannot " };

	for (size_t i = 0; log != NULL && at == NULL && i < sizeof(words) / sizeof(words[0]); i++)
		at = strstr(log, words[i]);
	if (at == NULL)
		at = log != NULL ? log : "";
	faults_text(out, size, "%.*s", (int)strcspn(at, "\n"), at);
}

static void judge(compile_job *job)
{
	char how[96], what[200];

	if (job->status != EH_OK)
		return;
	if (subprocess_succeeded(&job->process)) {
		if (!read_binary(job))
			job->status = faults_set(&job->error, EH_E_BUILD,
			                         "%s ended well but left no shared object",
			                         job->with->path);
		return;
	}
	subprocess_describe(&job->process, how, sizeof(how));
	first_error(job->log, what, sizeof(what));
	if (job->process.timed_out)
		job->status = faults_set(&job->error, EH_E_TIMEOUT,
		                         "%.120s %s; --set host.compile-timeout=SECONDS gives it "
		                         "longer", job->with->path, how);
	else if (job->process.start_errno != 0)
		job->status = faults_set(&job->error, EH_E_UNAVAILABLE, "%.120s %s",
		                         job->with->path, how);
	else
		job->status = faults_set(&job->error, EH_E_BUILD, "%.96s %s%s%s", job->with->path,
		                         how, what[0] != '\0' ? ": " : "", what);
}

void compile_end(compile_job *jobs, size_t count, const host_state *s, uint64_t milliseconds)
{
	subprocess *list[MOST_COMPILERS] = { NULL };

	for (size_t i = 0; i < count; i++)
		list[i] = &jobs[i].process;
	subprocess_wait(list, count, milliseconds);
	for (size_t i = 0; i < count; i++) {
		compile_job *job = &jobs[i];

		job->log = job->process.text;
		job->process.text = NULL;
		judge(job);
		scratch_remove(&job->folder);
		if (job->status != EH_OK)
			state_log(s, EH_LOG_DEBUG, "%s: %s", job->with->id, job->error.message);
	}
}

void compile_free(compile_job *job)
{
	scratch_remove(&job->folder);
	subprocess_free(&job->process);
	free(job->binary);
	free(job->log);
	memset(job, 0, sizeof(*job));
	job->process.out = -1;
	job->folder.fd = -1;
}

char *compile_unit(const eh_source *source)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	bool good;

	if (f == NULL)
		return NULL;
	good = true;
	for (uint32_t i = 0; i < source->macro_count; i++)
		good = fprintf(f, "#define %s %s\n", source->macros[i].name,
		               source->macros[i].value != NULL ? source->macros[i].value : "") > 0 &&
		       good;
	good = fprintf(f, "#line 1 \"dialect.h\"\n%s\n#line 1 \"%s.k\"\n%s\n",
	               source->prelude != NULL ? source->prelude : "",
	               source->name != NULL ? source->name : "program", source->body) > 0 && good;
	if (fclose(f) != 0 || !good) {
		free(text);
		return NULL;
	}
	return text;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "compilers.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compile.h"
#include "faults.h"
#include "kernelcache.h"
#include "object.h"
#include "shared/subprocess.h"

enum { IDENTIFY_MS = 3000, TRIAL_MS = 5000 };

/* "gcc", "gcc-12", "clang-15", "cc": names that C compilers are installed under. */
static bool is_compiler_name(const char *name)
{
	static const char *const stems[] = { "gcc", "clang", "cc" };

	for (size_t i = 0; i < sizeof(stems) / sizeof(stems[0]); i++) {
		const size_t n = strlen(stems[i]);

		if (strncmp(name, stems[i], n) != 0)
			continue;
		if (name[n] == '\0')
			return true;
		if (name[n] != '-' || name[n + 1] == '\0')
			continue;
		if (strspn(name + n + 1, "0123456789.") == strlen(name + n + 1))
			return true;
	}
	return false;
}

/* Programs that stand in for compilers; the compiler behind them is found under its own name. */
static bool is_wrapper(const char *real)
{
	static const char *const names[] = { "ccache", "distcc", "sccache", "icecc", "colorgcc" };
	const char *base = strrchr(real, '/');

	base = base != NULL ? base + 1 : real;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(base, names[i]) == 0)
			return true;
	return false;
}

static bool known(const host_state *s, const char *real)
{
	for (size_t i = 0; i < s->compiler_count; i++)
		if (strcmp(s->compilers[i].real, real) == 0)
			return true;
	return false;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strverscmp((*a)->d_name, (*b)->d_name);
}

static int select_name(const struct dirent *e)
{
	return is_compiler_name(e->d_name);
}

/* Adds the compilers of one folder.  false when memory is exhausted. */
static bool scan_folder(host_state *s, const char *folder)
{
	struct dirent **entries = NULL;
	const int n = scandir(folder, &entries, select_name, by_name);
	bool good = true;

	for (int i = 0; i < n; i++) {
		char path[PATH_MAX], real[PATH_MAX];
		struct stat about;
		compiler *grown;

		if (good && s->compiler_count < MOST_COMPILERS &&
		    snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name) <
		            (int)sizeof(path) &&
		    realpath(path, real) != NULL && stat(real, &about) == 0 &&
		    S_ISREG(about.st_mode) && access(path, X_OK) == 0 && !is_wrapper(real) &&
		    !known(s, real)) {
			grown = realloc(s->compilers, (s->compiler_count + 1) * sizeof(*grown));
			if (grown == NULL) {
				good = false;
			} else {
				compiler *c = &grown[s->compiler_count++];

				s->compilers = grown;
				memset(c, 0, sizeof(*c));
				c->native = true;
				faults_text(c->path, sizeof(c->path), "%s", path);
				faults_text(c->real, sizeof(c->real), "%s", real);
				faults_text(c->stamp, sizeof(c->stamp), "%lld %lld.%09ld",
				            (long long)about.st_size,
				            (long long)about.st_mtim.tv_sec, about.st_mtim.tv_nsec);
			}
		}
		free(entries[i]);
	}
	free(entries);
	return good;
}

static bool scan_path(host_state *s)
{
	const char *path = getenv("PATH");

	while (path != NULL && *path != '\0') {
		const size_t n = strcspn(path, ":");
		char folder[PATH_MAX];

		/* Relative folders give another compiler in another place, so a record cannot name
		 * them. */
		if (path[0] == '/' && n < sizeof(folder)) {
			memcpy(folder, path, n);
			folder[n] = '\0';
			if (!scan_folder(s, folder))
				return false;
		}
		path += n;
		if (*path == ':')
			path++;
	}
	return true;
}

/* Copies the line that begins at `from`. */
static void copy_line(char *to, size_t size, const char *from)
{
	size_t n = strcspn(from, "\n");

	while (n > 0 && isspace((unsigned char)from[n - 1]))
		n--;
	faults_text(to, size, "%.*s", (int)n, from);
}

/* The line that holds `what`. */
static bool find_line(const char *output, const char *what, char *to, size_t size)
{
	const char *at = strstr(output, what);

	if (at == NULL)
		return false;
	while (at > output && at[-1] != '\n')
		at--;
	copy_line(to, size, at);
	return true;
}

static bool macro_number(const char *output, const char *name, unsigned *out)
{
	char wanted[64];
	const char *at;

	faults_text(wanted, sizeof(wanted), "#define %s ", name);
	at = strstr(output, wanted);
	if (at == NULL)
		return false;
	*out = (unsigned)strtoul(at + strlen(wanted), NULL, 10);
	return true;
}

/* The word after `before`, up to a blank or quote, unless it is "native". */
static bool copy_word_after(const char *output, const char *before, char *to, size_t size)
{
	for (const char *at = strstr(output, before); at != NULL; at = strstr(at, before)) {
		size_t n;

		at += strlen(before);
		n = strcspn(at, " \"'\n");
		if (n > 0 && strncmp(at, "native", n) != 0) {
			faults_text(to, size, "%.*s", (int)n, at);
			return true;
		}
	}
	return false;
}

bool compilers_identify(compiler *c, const char *output)
{
	const bool clang = macro_number(output, "__clang_major__", &c->number[0]);

	if (clang) {
		if (!macro_number(output, "__clang_minor__", &c->number[1]) ||
		    !macro_number(output, "__clang_patchlevel__", &c->number[2]) ||
		    !find_line(output, "clang version ", c->text, sizeof(c->text)))
			return false;
		(void)copy_word_after(output, "\"-target-cpu\" \"", c->target_cpu,
		                      sizeof(c->target_cpu));
		if (c->target_cpu[0] == '\0')
			(void)copy_word_after(output, "-target-cpu ", c->target_cpu,
			                      sizeof(c->target_cpu));
	} else {
		if (!macro_number(output, "__GNUC__", &c->number[0]) ||
		    !macro_number(output, "__GNUC_MINOR__", &c->number[1]) ||
		    !macro_number(output, "__GNUC_PATCHLEVEL__", &c->number[2]) ||
		    !find_line(output, "gcc version ", c->text, sizeof(c->text)))
			return false;
		if (!copy_word_after(output, "-march=", c->target_cpu, sizeof(c->target_cpu)))
			(void)copy_word_after(output, "-mcpu=", c->target_cpu,
			                      sizeof(c->target_cpu));
	}
	faults_text(c->kind, sizeof(c->kind), clang ? "clang" : "gcc");
	faults_text(c->version, sizeof(c->version), "%u.%u.%u", c->number[0], c->number[1],
	            c->number[2]);
	return true;
}

/* Takes compiler i off the list. */
static void drop(host_state *s, size_t i)
{
	s->compiler_count--;
	memmove(&s->compilers[i], &s->compilers[i + 1],
	        (s->compiler_count - i) * sizeof(*s->compilers));
}

/* Identifies all of them by what they print of themselves: what the cache has of it, and else they are
 * asked, all at once.  Drops those that do not answer. */
static bool ask_all(host_state *s)
{
	const size_t n = s->compiler_count;
	subprocess *processes = calloc(n > 0 ? n : 1, sizeof(*processes));
	char (*keys)[65] = calloc(n > 0 ? n : 1, sizeof(*keys));
	bool known_already[MOST_COMPILERS] = { false };
	subprocess *asked[MOST_COMPILERS] = { NULL };
	size_t asked_count = 0;
	const bool good = processes != NULL && keys != NULL;

	for (size_t i = 0; good && i < n; i++) {
		compiler *c = &s->compilers[i];
		const char *const argv[] = { c->path, "-v", "-E", "-dM",
#if defined(__aarch64__) || defined(__arm__) || defined(__powerpc__)
		                             "-mcpu=native",
#else
		                             "-march=native",
#endif
		                             "-x", "c", "/dev/null", NULL };
		char *answer;

		kernelcache_answer_key(s, c, argv, keys[i]);
		answer = kernelcache_answer(s, keys[i]);
		known_already[i] = answer != NULL && compilers_identify(c, answer);
		free(answer);
		if (known_already[i])
			continue;
		asked[asked_count++] = &processes[i];
		subprocess_start(&processes[i], argv, -1, s->cpu.may.mask, s->cpu.may.mask_size);
	}
	if (good)
		subprocess_wait(asked, asked_count, IDENTIFY_MS);
	for (size_t i = good ? n : 0; i-- > 0;) {
		const subprocess *p = &processes[i];
		char how[96];

		if (known_already[i])
			continue;
		/* A compiler that does not know the flag still prints its version: the trial
		 * decides. */
		if (p->text != NULL && !p->timed_out &&
		    compilers_identify(&s->compilers[i], p->text)) {
			if (subprocess_succeeded(p))
				kernelcache_keep_answer(s, keys[i], p->text);
			continue;
		}
		subprocess_describe(p, how, sizeof(how));
		if (subprocess_succeeded(p))
			state_note(s, "%s is neither GCC nor Clang and is not used.",
			           s->compilers[i].path);
		else
			state_note(s, "%s was asked for its version and %s: it is not used.",
			           s->compilers[i].path, how);
		drop(s, i);
	}
	for (size_t i = 0; good && i < n; i++)
		subprocess_free(&processes[i]);
	free(processes);
	free(keys);
	return good;
}

/* GCC before Clang, newest first, then in the order of PATH. */
static int by_rank(const void *a, const void *b)
{
	const compiler *x = a, *y = b;
	const int kind = strcmp(y->kind, x->kind);

	if (kind != 0)
		return kind;
	for (int i = 0; i < 3; i++)
		if (x->number[i] != y->number[i])
			return x->number[i] < y->number[i] ? 1 : -1;
	return strcmp(x->real, y->real);
}

static void name_all(host_state *s)
{
	if (s->compiler_count > 1)
		qsort(s->compilers, s->compiler_count, sizeof(*s->compilers), by_rank);
	for (size_t i = 0; i < s->compiler_count; i++) {
		compiler *c = &s->compilers[i];
		unsigned same = 1;

		for (size_t k = 0; k < i; k++)
			if (strcmp(s->compilers[k].kind, c->kind) == 0 &&
			    s->compilers[k].number[0] == c->number[0])
				same++;
		faults_text(c->id, sizeof(c->id), "%s-%u", c->kind, c->number[0]);
		if (same > 1)
			faults_text(c->id, sizeof(c->id), "%s-%u-%u", c->kind, c->number[0], same);
	}
}

/* ---- the trial: does compiling, linking, loading and half storage work? ------------------ */

static const char trial_text[] =
	"#include <stdint.h>\n"
	"void trial_entry(void **args, const int32_t groups[3], int64_t first, int64_t end);\n"
	"void trial_entry(void **args, const int32_t groups[3], int64_t first, int64_t end)\n"
	"{\n"
	"	const stored *in = *(const stored **)args[0];\n"
	"	stored *out = *(stored **)args[1];\n"
	"	for (int64_t i = first; i < end; i++)\n"
	"		out[i] = (stored)((float)in[i] * 3.0f + (float)groups[0]);\n"
	"}\n";

static const char half_text[] =
	"#if defined(__FLT16_MAX__)\n"
	"typedef _Float16 stored;\n"
	"#else\n"
	"typedef __fp16 stored;\n"
	"#endif\n";

static const char float_text[] = "typedef float stored;\n";

/* 1, 2, 3 and 1023 in the half format, and three times each plus 2: 3071 is not a half; the nearest
 * even half is 3072. */
static bool half_result(object_entry entry)
{
	uint16_t in[4] = { 0x3c00, 0x4000, 0x4200, 0x63fe }, out[4] = { 0 };
	static const uint16_t want[4] = { 0x4500, 0x4800, 0x4980, 0x6a00 };
	const int32_t groups[3] = { 2, 1, 1 };
	void *from = in, *to = out;
	void *args[2] = { &from, &to };

	entry(args, groups, 0, 4);
	return memcmp(out, want, sizeof(want)) == 0;
}

static bool float_result(object_entry entry)
{
	float in[4] = { 1, 2, 3, 1023 }, out[4] = { 0 };
	const int32_t groups[3] = { 2, 1, 1 };
	void *from = in, *to = out;
	void *args[2] = { &from, &to };

	entry(args, groups, 0, 4);
	return out[0] == 5 && out[1] == 8 && out[2] == 11 && out[3] == 3071;
}

/* Loads and runs; fills reason when it fails. */
static bool try_binary(compiler *c, bool half, const char *path, const void *binary, size_t size)
{
	object_entry entry;
	object o;
	bool good = false;

	if (!object_load(&o, path, binary, size, c->reason, sizeof(c->reason)))
		return false;
	entry = object_find(&o, "trial");
	if (entry != NULL)
		good = half ? half_result(entry) : float_result(entry);
	if (!good)
		faults_text(c->reason, sizeof(c->reason), "what %s compiles gives wrong results",
		            c->path);
	object_unload(&o);
	return good;
}

/* One round of trials, of the compilers that are not usable yet. */
static bool try_round(host_state *s, bool half, bool native)
{
	compile_job *jobs = calloc(s->compiler_count, sizeof(*jobs));
	char (*keys)[65] = calloc(s->compiler_count, sizeof(*keys));
	compiler *tried[MOST_COMPILERS];
	char text[1024], path[PATH_MAX];
	size_t n = 0;
	bool good = jobs != NULL && keys != NULL;

	faults_text(text, sizeof(text), "%s%s", half ? half_text : float_text, trial_text);
	for (size_t i = 0; good && i < s->compiler_count; i++) {
		compiler *c = &s->compilers[i];
		void *binary;
		size_t size;

		if (c->usable || c->hangs)
			continue;
		c->native = native;
		kernelcache_key(s, c, text, keys[n]);
		if (kernelcache_load(s, keys[n], &binary, &size, path)) {
			c->usable = try_binary(c, half, path, binary, size);
			c->half = c->usable && half;
			free(binary);
			continue;
		}
		tried[n] = c;
		compile_begin(&jobs[n++], s, c, text);
	}
	compile_end(jobs, n, s, TRIAL_MS);
	for (size_t i = 0; i < n; i++) {
		compiler *c = tried[i];
		const bool stored = jobs[i].status == EH_OK &&
		                    kernelcache_store(s, keys[i], jobs[i].binary, jobs[i].size,
		                                      path);

		if (jobs[i].status == EH_OK)
			c->usable = try_binary(c, half, stored ? path : NULL, jobs[i].binary,
			                       jobs[i].size);
		else
			faults_text(c->reason, sizeof(c->reason), "%.300s", jobs[i].error.message);
		c->half = c->usable && half;
		c->hangs = jobs[i].status == EH_E_TIMEOUT;
		compile_free(&jobs[i]);
	}
	free(jobs);
	free(keys);
	return good;
}

bool compilers_find(host_state *s)
{
	if (!scan_path(s) || !ask_all(s))
		return false;
	name_all(s);
	if (s->compiler_count == 0)
		return true;
	return try_round(s, true, true) && try_round(s, false, true) &&
	       try_round(s, true, false) && try_round(s, false, false);
}

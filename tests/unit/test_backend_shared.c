/* SPDX-License-Identifier: Apache-2.0 */
/* What the vendors' backends share (backends/shared). */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/files.h"
#include "executor/unrecorded.h"
#include "shared/binarycache.h"
#include "shared/checks.h"
#include "shared/failure.h"
#include "shared/scratch.h"
#include "shared/subprocess.h"
#include "shared/vendorcache.h"
#include "shared/vendorlib.h"
#include "shared/wording.h"

static eh_error error = ERROR_INIT;
static char logged[1024];

static void take_log(void *ctx, int level, const char *message)
{
	(void)ctx;
	(void)level;
	snprintf(logged, sizeof(logged), "%s", message);
}

static void hash(void *ctx, const void *data, size_t size, char hex[65])
{
	(void)ctx;
	digest_bytes(data, size, hex);
}

static const eh_host host = { .struct_size = sizeof(host), .log = take_log, .sha256 = hash };

/* ---- opening libraries --------------------------------------------------------------- */

typedef struct table {
	size_t (*length)(const char *text);
	int (*nobody)(void);
	int (*upper)(int c);
} table;

static void test_library_is_looked_for(void **state)
{
	vendorlib library;

	(void)state;
	assert_int_equal(vendorlib_open(&library, "The vendor's library", "libnone-a.so.2 libnone-b.so.1",
	                                NULL, "install the package vendor", &error), EH_E_UNAVAILABLE);
	assert_non_null(strstr(error.message, "libnone-a.so.2 libnone-b.so.1"));
	assert_non_null(strstr(error.message, "install the package vendor."));
	assert_null(library.handle);
	assert_int_equal(vendorlib_open(&library, "The C library", "libnone-a.so.2 libc.so.6", NULL,
	                                "install it", &error), EH_OK);
	assert_string_equal(library.name, "libc.so.6");
	assert_non_null(strstr(library.path, "/libc.so.6"));
	/* What the user set is the only one that is tried. */
	assert_int_equal(vendorlib_open(&library, "The C library", "libc.so.6", "/none/libmine.so",
	                                "install it", &error), EH_E_UNAVAILABLE);
	assert_non_null(strstr(error.message, "/none/libmine.so"));
}

static eh_status refuse_all(void *ctx, const char *path, eh_error *why)
{
	(void)ctx;
	snprintf(why->message, sizeof(why->message), "%s is not trusted", path);
	return EH_E_UNAVAILABLE;
}

static void test_library_in_a_folder(void **state)
{
	const eh_host strict = { .struct_size = sizeof(strict), .may_load = refuse_all };
	const char *place = getenv("T");
	char folder[2048], file[2200], loaded[PATH_MAX], way[PATH_MAX + 100], why[VENDORLIB_REASON] = "";
	vendorlib library;
	void *c = dlopen("libc.so.6", RTLD_NOW);

	(void)state;
	vendorlib_file_of(dlsym(c, "puts"), loaded, sizeof(loaded));
	snprintf(folder, sizeof(folder), "%.1800s/folder with blanks and a name of more than ninety-six "
	         "characters, as package managers for clusters make them", place != NULL ? place : ".");
	assert_true(mkdir(folder, 0700) == 0 || errno == EEXIST);
	snprintf(file, sizeof(file), "%s/libc.so.6", folder);
	(void)unlink(file);
	assert_int_equal(symlink(loaded, file), 0);
	assert_true(vendorlib_try(&library, NULL, folder, "libc.so.6", why));
	assert_string_equal(library.name, file);
	assert_true(vendorlib_try(&library, &host, folder, "libc.so.6", why));
	assert_string_equal(why, "");
	assert_false(vendorlib_try(&library, &strict, folder, "libnone.so.1", why));
	assert_string_equal(why, "");
	assert_false(vendorlib_try(&library, &strict, folder, "libc.so.6", why));
	assert_null(library.handle);
	assert_non_null(strstr(why, "libc.so.6 is not trusted"));
	/* The system's loader needs no permission; a path that cannot be one finds nothing. */
	assert_true(vendorlib_try(&library, &strict, NULL, "libc.so.6", why));
	memset(way, 'x', sizeof(way));
	way[0] = '/';
	way[sizeof(way) - 1] = '\0';
	assert_false(vendorlib_try(&library, &host, way, "libc.so.6", why));
	/* A name that is too long hides none behind it. */
	way[sizeof(way) - 1 - strlen(" libc.so.6")] = '\0';
	strcat(way, " libc.so.6");
	assert_int_equal(vendorlib_open(&library, "The C library", way, NULL, "-", &error), EH_OK);
	assert_int_equal(unlink(file), 0);
	assert_int_equal(rmdir(folder), 0);
	dlclose(c);
}

static void test_plain_names(void **state)
{
	static const char *const names[][2] = {
		{ "vdMemAlloc_v2|vdMemAlloc", "vdMemAlloc" }, { "vdFree", "vdFree" },
		{ "vdOpen_v12", "vdOpen" }, { "vd_very", "vd_very" }, { "vd_v", "vd_v" },
		{ "vdPropertiesR0600|vdProperties", "vdPropertiesR0600" }, { "vd_v2x|vd", "vd_v2x" },
	};
	char plain[40];

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		vendorlib_plain_name(names[i][0], plain, sizeof(plain));
		assert_string_equal(plain, names[i][1]);
	}
}

static void test_symbols_all_or_nothing(void **state)
{
	static const vendorlib_symbol good[] = {
		VENDORLIB_REQUIRED(table, length, "strlen_v2|strlen")
		VENDORLIB_OPTIONAL(table, nobody, "nobody_has_this")
	};
	static const vendorlib_symbol bad[] = {
		VENDORLIB_REQUIRED(table, length, "strlen")
		VENDORLIB_REQUIRED(table, nobody, "nobody_has_this")
		VENDORLIB_REQUIRED(table, upper, "toupper")
	};
	vendorlib library;
	table t;

	(void)state;
	memset(&t, 0xff, sizeof(t));
	assert_int_equal(vendorlib_open(&library, "The C library", "libc.so.6", NULL, "-", &error), EH_OK);
	assert_int_equal(vendorlib_resolve(&library, good, 2, &t, "update it", &error), EH_OK);
	assert_int_equal(t.length("four"), 4);
	assert_null(t.nobody);
	assert_int_equal(vendorlib_resolve(&library, bad, 3, &t, "update it", &error),
	                 EH_E_INCOMPATIBLE);
	assert_non_null(strstr(error.message, "has no nobody_has_this; update it."));
	assert_null(t.length);
	assert_null(t.upper);
}

/* ---- errors -------------------------------------------------------------------------- */

static void test_errors_stay_in_their_size(void **state)
{
	eh_error small;

	(void)state;
	memset(&small, 0x5a, sizeof(small));
	small.struct_size = offsetof(eh_error, message);
	assert_int_equal(failure_native(&small, EH_E_DEVICE, "vdWait", 700, "VD_LOST", "Reboot.",
	                                "Waiting failed"), EH_E_DEVICE);
	assert_int_equal(small.struct_size, offsetof(eh_error, message));
	assert_int_equal(small.code, EH_E_DEVICE);
	assert_string_equal(small.where, "vdWait");
	assert_int_equal(small.message[0], 0x5a);
	assert_int_equal(failure_native(&error, EH_E_DEVICE, "vdWait", 700, "VD_LOST", "Reboot.",
	                                "Waiting for %s failed", "it"), EH_E_DEVICE);
	assert_string_equal(error.message, "Waiting for it failed: vdWait returned VD_LOST (700). Reboot.");
	assert_int_equal(failure_set(NULL, EH_E_INTERNAL, "x", "y"), EH_E_INTERNAL);
}

/* ---- checks -------------------------------------------------------------------------- */

static void test_ranges(void **state)
{
	(void)state;
	assert_int_equal(checks_range("upload", 100, 96, 4, &error), EH_OK);
	assert_int_equal(checks_range("upload", 100, 97, 4, &error), EH_E_INVALID_ARGUMENT);
	assert_int_equal(checks_range("upload", 100, UINT64_MAX, 2, &error), EH_E_INVALID_ARGUMENT);
	assert_int_equal(checks_range("upload", 100, 2, UINT64_MAX, &error), EH_E_INVALID_ARGUMENT);
	assert_int_equal(checks_fill(100, 2, 4, &error), EH_E_INVALID_ARGUMENT);
	assert_int_equal(checks_fill(100, 4, 6, &error), EH_E_INVALID_ARGUMENT);
	assert_int_equal(checks_copy(true, 100, 0, 100, 50, 50, &error), EH_OK);
	assert_int_equal(checks_copy(true, 100, 0, 100, 49, 50, &error), EH_E_INVALID_ARGUMENT);
	assert_int_equal(checks_copy(false, 100, 0, 100, 49, 50, &error), EH_OK);
	assert_int_equal(checks_peers(false, EH_PEER_DIRECT, &error), EH_OK);
	assert_int_equal(checks_peers(true, EH_PEER_DIRECT, &error), EH_E_INVALID_ARGUMENT);
	assert_int_equal(checks_peers(false, 2, &error), EH_E_INVALID_ARGUMENT);
	assert_int_equal(checks_peer_copy(true, true, 100, 50, 100, 0, 50, &error), EH_OK);
	assert_int_equal(checks_peer_copy(true, true, 100, 51, 100, 0, 50, &error), EH_E_INVALID_ARGUMENT);
	assert_int_equal(checks_peer_copy(false, true, 100, 50, 100, 0, 50, &error), EH_E_INVALID_ARGUMENT);
	assert_int_equal(checks_peer_copy(true, false, 100, 50, 100, 0, 50, &error), EH_E_INVALID_ARGUMENT);
	assert_int_equal(checks_alloc("d", 0, 0, EH_MEMORY_PINNED, 1, &error), EH_E_UNSUPPORTED);
	assert_int_equal(checks_alloc("d", 0, 10, EH_MEMORY_DEVICE, 11, &error), EH_E_NO_MEMORY);
	assert_int_equal(checks_alloc("d", 0, 0, 9, 1, &error), EH_E_INVALID_ARGUMENT);
	assert_int_equal(checks_alloc("d", 0, 0, EH_MEMORY_DEVICE, 0, &error), EH_E_INVALID_ARGUMENT);
}

static void test_launches(void **state)
{
	const checks_limits limits = { .groups = { 1000, 65535, 65535 }, .group_size = { 1024, 1024, 64 },
		.group_items = 1024 };
	const uint32_t value = 1;
	eh_arg args[] = { { .data = &value, .size = 4 } };
	eh_launch l = { .struct_size = sizeof(l), .arg_count = 1, .groups = { 1000, 1, 1 },
		.group_size = { 512, 2, 1 }, .args = args };

	(void)state;
	assert_int_equal(checks_launch("k", 1, &limits, &l, &error), EH_OK);
	assert_int_equal(checks_launch("k", CHECKS_ANY_COUNT, &limits, &l, &error), EH_OK);
	assert_int_equal(checks_launch("k", 2, &limits, &l, &error), EH_E_INVALID_ARGUMENT);
	l.group_size[2] = 2;
	assert_int_equal(checks_launch("k", 1, &limits, &l, &error), EH_E_UNSUPPORTED);
	l.group_size[2] = 0;
	assert_int_equal(checks_launch("k", 1, &limits, &l, &error), EH_E_INVALID_ARGUMENT);
	l.group_size[2] = 1;
	l.groups[0] = 1001;
	assert_int_equal(checks_launch("k", 1, &limits, &l, &error), EH_E_UNSUPPORTED);
	l.groups[0] = 1;
	args[0].size = 3;
	assert_int_equal(checks_launch("k", 1, &limits, &l, &error), EH_E_INVALID_ARGUMENT);
}

/* ---- texts --------------------------------------------------------------------------- */

static void test_texts(void **state)
{
	const eh_macro macros[] = { { "A", "(1 + 2)" }, { "B", "\"x y\"" } };
	const eh_source source = { .struct_size = sizeof(source), .macro_count = 2, .prelude = "prelude",
		.body = "body", .macros = macros };
	char *text = wording_source(&source);
	eh_layer layer = { .struct_size = sizeof(layer) };
	char line[] = " \n two\tlines\n ", notes[40] = "", uuid[40];
	unsigned char bytes[16];

	(void)state;
	assert_string_equal(text, "#define A (1 + 2)\n#define B \"x y\"\nprelude\nbody\n");
	free(text);
	wording_tidy(line);
	assert_string_equal(line, "two lines");
	wording_detail(&layer, "a", "1");
	wording_detail(&layer, "none", "");
	wording_detail_number(&layer, "b", UINT64_MAX);
	assert_string_equal(layer.detail, "a=1; b=18446744073709551615");
	for (int i = 0; i < 60; i++)
		wording_detail(&layer, "words", "one two three");
	assert_true(strlen(layer.detail) < sizeof(layer.detail));
	wording_note(notes, sizeof(notes), "a first line of %d", 30);
	wording_note(notes, sizeof(notes), "a second that does not fit whole");
	wording_note(notes, sizeof(notes), "third");
	assert_string_equal(notes, "a first line of 30\nthird\n");
	for (int i = 0; i < 16; i++)
		bytes[i] = (unsigned char)(0x10 * i + i);
	wording_uuid(bytes, uuid, sizeof(uuid));
	assert_string_equal(uuid, "00112233-4455-6677-8899-aabbccddeeff");
}

/* What is not told is no fact, and says why; facts in a row share the reason. */
static void test_gaps(void **state)
{
	wording_gaps gaps = { "" };
	eh_layer layer = { .struct_size = sizeof(layer) };
	char log[80] = "";

	(void)state;
	wording_detail_gaps(&layer, &gaps);
	assert_string_equal(layer.detail, "");
	wording_gap(&gaps, "ecc", "vdAsk", "VD_NO", 7);
	wording_gap(&gaps, "mps", "vdAsk", "VD_NO", 7);
	wording_gap(&gaps, "uuid", "vdName", "VD_NO", 7);
	wording_detail(&layer, "a", "1");
	wording_detail_gaps(&layer, &gaps);
	assert_string_equal(layer.detail, "a=1; unknown=ecc, mps, because vdAsk returned VD_NO (7), and "
	                    "uuid, because vdName returned VD_NO (7)");
	for (int i = 0; i < 60; i++)
		wording_gap(&gaps, "a fact with a long name", i % 2 == 0 ? "vdAsk" : "vdName", "VD_NO", i);
	assert_true(strlen(gaps.text) < sizeof(gaps.text));
	wording_no_log("vdLog", NULL, -3, log, sizeof(log));
	assert_string_equal(log, "There is no log to show: vdLog returned an unknown code (-3).\n");
}

/* ---- child processes ----------------------------------------------------------------- */

static int answer_pid(void *context, int answer)
{
	const int value = *(int *)context;
	const pid_t pid = getpid();

	printf("said");
	fflush(stdout);
	if (value == 2)
		abort();
	if (value == 3)
		for (;;)
			pause();
	return subprocess_write(answer, &pid, sizeof(pid)) ? value : 99;
}

static void test_function_in_a_child(void **state)
{
	subprocess p;
	void *data;
	size_t size;
	int value = 0;
	pid_t pid;
	char text[128];

	(void)state;
	subprocess_call(&p, answer_pid, &value, 10000, &data, &size);
	assert_true(subprocess_succeeded(&p));
	assert_int_equal(size, sizeof(pid));
	memcpy(&pid, data, sizeof(pid));
	assert_int_not_equal(pid, getpid());
	assert_non_null(p.text);
	assert_string_equal(p.text, "said");
	free(data);
	subprocess_free(&p);
	value = 2;
	subprocess_call(&p, answer_pid, &value, 10000, &data, &size);
	assert_false(subprocess_succeeded(&p));
	assert_null(data);
	subprocess_describe(&p, text, sizeof(text));
	assert_non_null(strstr(text, "signal 6"));
	subprocess_free(&p);
	value = 3;
	subprocess_call(&p, answer_pid, &value, 50, &data, &size);
	assert_true(p.timed_out);
	assert_null(data);
	subprocess_free(&p);
	value = 5;
	subprocess_call(&p, answer_pid, &value, 10000, &data, &size);
	assert_false(subprocess_succeeded(&p));
	subprocess_describe(&p, text, sizeof(text));
	assert_string_equal(text, "ended with status 5");
	free(data);
	subprocess_free(&p);
}

/* The list of the core, one word for each variable. */
#define VARIABLE(patterns, reason)
#define PROGRAM(patterns, reason) patterns ", "
#define ENTRY(patterns, reason)
#define PIECES(objects, patterns)
static const char not_recorded[] =
#include "executor/unrecorded.def"
	;
#undef VARIABLE
#undef PROGRAM
#undef ENTRY
#undef PIECES

/* What a compiler does not get, and nothing else, is not recorded as a setting that it reads; what the
 * loader reads it gets. */
static void test_environment_of_compilers(void **state)
{
	static const char *const argv[] = { "/usr/bin/env", NULL };
	const char *const *withheld = subprocess_withheld;
	subprocess p, *const list[] = { &p };
	size_t size = 0;

	(void)state;
	for (size_t i = 0; withheld[i] != NULL; i++) {
		assert_int_equal(setenv(withheld[i], "/test-withheld", 1), 0);
		assert_non_null(unrecorded_reason(UNRECORDED_PROGRAM, withheld[i]));
		size += strlen(withheld[i]) + 2;
	}
	assert_int_equal(size, strlen(not_recorded));
	assert_int_equal(setenv("LD_LIBRARY_PATH", "/test-loader", 1), 0);
	subprocess_start(&p, argv, -1, NULL, 0);
	subprocess_wait(list, 1, 10000);
	for (size_t i = 0; withheld[i] != NULL; i++)
		unsetenv(withheld[i]);
	unsetenv("LD_LIBRARY_PATH");
	assert_true(subprocess_succeeded(&p));
	assert_non_null(strstr(p.text, "LC_ALL=C\n"));
	assert_null(strstr(p.text, "/test-withheld"));
	assert_non_null(strstr(p.text, "LD_LIBRARY_PATH=/test-loader\n"));
	subprocess_free(&p);
}

static bool is_alive(pid_t pid)
{
	char path[64], state = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	if (f == NULL)
		return false;
	if (fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
		state = 'X';
	(void)fclose(f);
	return state != 'Z' && state != 'X';
}

/* A compiler starts other programs.  None of them outlives the worker, however it dies. */
static void test_grandchildren_die_with_the_worker(void **state)
{
	static const char *const argv[] = { "/bin/sh", "-c", "sleep 1000 & echo $!; wait", NULL };
	const struct timespec pause = { .tv_nsec = 10000000 };
	int tell[2], grandchild = 0, left = 500;
	pid_t worker;

	(void)state;
	assert_int_equal(pipe(tell), 0);
	worker = fork();
	if (worker == 0) {
		subprocess p;

		subprocess_start(&p, argv, -1, NULL, 0);
		for (char c; p.out >= 0 && read(p.out, &c, 1) == 1;)
			(void)!write(tell[1], &c, 1);
		_exit(0);
	}
	for (char c = 0; c != '\n' && read(tell[0], &c, 1) == 1;)
		grandchild = c != '\n' ? 10 * grandchild + c - '0' : grandchild;
	assert_true(grandchild > 1 && is_alive(grandchild));
	assert_int_equal(kill(worker, SIGKILL), 0);
	assert_int_equal(waitpid(worker, NULL, 0), worker);
	while (is_alive(grandchild) && left-- > 0)
		(void)nanosleep(&pause, NULL);
	if (is_alive(grandchild)) {
		(void)kill(grandchild, SIGKILL);
		fail_msg("process %d lives", grandchild);
	}
	(void)close(tell[0]);
	(void)close(tell[1]);
}

/* ---- folders of compilers ------------------------------------------------------------ */

static bool is_there(const char *top, const char *name)
{
	char path[PATH_MAX];
	struct stat about;

	snprintf(path, sizeof(path), "%.2000s/%s", top, name);
	return lstat(path, &about) == 0;
}

static void test_folders_of_killed_processes(void **state)
{
	static const char planted[] = "evenhand-cc-0123456789abcdef";
	const char *place = getenv("T"), *before = getenv("TMPDIR");
	char top[2048], path[PATH_MAX], kept[PATH_MAX] = "", left[32];
	scratch own, next;
	int tell[2];
	pid_t pid;

	(void)state;
	if (before != NULL)
		snprintf(kept, sizeof(kept), "%s", before);
	snprintf(top, sizeof(top), "%.2000s/tmp-XXXXXX", place != NULL ? place : "/tmp");
	assert_non_null(mkdtemp(top));
	assert_int_equal(setenv("TMPDIR", top, 1), 0);
	assert_int_equal(scratch_make(&own), 0);
	assert_int_equal(pipe(tell), 0);
	pid = fork();
	if (pid == 0) {
		scratch s;
		int fd = scratch_make(&s) == 0 ? openat(s.fd, "kernel.c", O_WRONLY | O_CREAT, 0600) : -1;

		(void)!write(tell[1], s.name, sizeof(s.name));
		(void)close(fd);
		for (;;)
			(void)pause();
	}
	assert_int_equal(read(tell[0], left, sizeof(left)), sizeof(left));
	assert_int_equal(scratch_make(&next), 0);
	assert_true(is_there(top, left));
	scratch_remove(&next);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	/* A link with such a name is not followed, and what others may have put there is left. */
	snprintf(path, sizeof(path), "%.2000s/%s", top, planted);
	assert_int_equal(symlink(own.name, path), 0);
	assert_int_equal(scratch_make(&next), 0);
	assert_false(is_there(top, left));
	assert_true(is_there(top, own.name));
	assert_true(is_there(top, planted));
	scratch_remove(&next);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(chmod(path, 0777), 0);
	assert_int_equal(scratch_make(&next), 0);
	assert_true(is_there(top, planted));
	scratch_remove(&next);
	scratch_remove(&own);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(rmdir(top), 0);
	(void)close(tell[0]);
	(void)close(tell[1]);
	assert_int_equal(before != NULL ? setenv("TMPDIR", kept, 1) : unsetenv("TMPDIR"), 0);
}

/* ---- cache --------------------------------------------------------------------------- */

static void test_cache(void **state)
{
	const char *place = getenv("T");
	char folder[2048], path[PATH_MAX], left[PATH_MAX], key[65], other[65];
	binarycache cache = { .host = &host, .suffix = ".bin" };
	const char *const texts[] = { "one", "two" }, *const joined[] = { "onetwo", "" };
	void *binary = NULL;
	size_t size = 0;
	FILE *f;

	(void)state;
	snprintf(folder, sizeof(folder), "%.2000s/cache-XXXXXX", place != NULL ? place : ".");
	assert_non_null(mkdtemp(folder));
	binarycache_key(&host, texts, 2, key);
	binarycache_key(&host, joined, 2, other);
	assert_string_not_equal(key, other);
	assert_false(binarycache_store(&cache, key, "data", 4, path));
	cache.folder = folder;
	assert_false(binarycache_load(&cache, key, &binary, &size, path));
	assert_true(binarycache_store(&cache, key, "data", 4, path));
	/* What a killed process left half-written is used again. */
	snprintf(left, sizeof(left), "%.4000s.new", path);
	f = fopen(left, "w");
	assert_non_null(f);
	fputs("longer than the entry", f);
	fclose(f);
	assert_true(binarycache_store(&cache, key, "data", 4, path));
	assert_int_not_equal(access(left, F_OK), 0);
	assert_true(binarycache_load(&cache, key, &binary, &size, path));
	assert_int_equal(size, 4);
	assert_memory_equal(binary, "data", 4);
	free(binary);
	binary = NULL;
	f = fopen(path, "w");
	assert_non_null(f);
	fputs("evil", f);
	fclose(f);
	logged[0] = '\0';
	assert_false(binarycache_load(&cache, key, &binary, &size, path));
	assert_null(binary);
	assert_non_null(strstr(logged, "damaged"));
	assert_true(binarycache_store(&cache, key, "data", 4, path));
	assert_int_equal(chmod(path, 0666), 0);
	assert_false(binarycache_load(&cache, key, &binary, &size, path));
	assert_non_null(strstr(logged, "cannot be trusted"));
	unlink(path);
	snprintf(path, sizeof(path), "%s/%s.sha256", folder, key);
	unlink(path);
	assert_int_equal(rmdir(folder), 0);
}

/* ---- the vendors' caches ----------------------------------------------------------------------- */

static const char *cache_dir;

static const char *cache_option(void *ctx, const char *key)
{
	(void)ctx;
	return strcmp(key, "cache-dir") == 0 ? cache_dir : NULL;
}

static void test_vendors_caches_are_led(void **state)
{
	static const vendorcache led = { "vendor", "TEST_CACHE_DIR", "TEST_CACHE_OFF", "1" };
	static const vendorcache never = { NULL, "TEST_CACHE_DIR", "TEST_CACHE_OFF", "0" };
	const eh_host lending = { .struct_size = sizeof(lending), .option = cache_option };
	char parent[64], want[128];

	(void)state;
	snprintf(parent, sizeof(parent), "/tmp/evenhand-caches-%ld", (long)getpid());
	assert_int_equal(mkdir(parent, 0700), 0);
	snprintf(want, sizeof(want), "%s/vendor", parent);
	cache_dir = parent;
	assert_string_equal(vendorcache_lead(&lending, &led), "evenhand's");
	assert_string_equal(getenv("TEST_CACHE_DIR"), want);
	assert_null(getenv("TEST_CACHE_OFF"));
	/* What is set stays. */
	assert_string_equal(vendorcache_lead(&lending, &led), "the user's");
	assert_int_equal(setenv("TEST_CACHE_DIR", "/mine", 1), 0);
	cache_dir = NULL;
	assert_string_equal(vendorcache_lead(&lending, &never), "the user's");
	assert_string_equal(getenv("TEST_CACHE_DIR"), "/mine");
	unsetenv("TEST_CACHE_DIR");
	assert_int_equal(setenv("TEST_CACHE_OFF", "", 1), 0);
	assert_string_equal(vendorcache_lead(&lending, &led), "the user's");
	unsetenv("TEST_CACHE_OFF");
	assert_string_equal(vendorcache_lead(&lending, &led), "off");
	assert_string_equal(getenv("TEST_CACHE_OFF"), "1");
	assert_null(getenv("TEST_CACHE_DIR"));
	unsetenv("TEST_CACHE_OFF");
	cache_dir = parent;
	assert_string_equal(vendorcache_lead(&lending, &never), "off");
	assert_string_equal(getenv("TEST_CACHE_OFF"), "0");
	unsetenv("TEST_CACHE_OFF");
	/* A folder that cannot be made leaves the driver's as it is. */
	cache_dir = "/dev/null";
	assert_string_equal(vendorcache_lead(&lending, &led), "the driver's");
	assert_null(getenv("TEST_CACHE_DIR"));
	assert_int_equal(rmdir(want), 0);
	assert_int_equal(rmdir(parent), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_library_is_looked_for),
		cmocka_unit_test(test_library_in_a_folder),
		cmocka_unit_test(test_plain_names),
		cmocka_unit_test(test_symbols_all_or_nothing),
		cmocka_unit_test(test_errors_stay_in_their_size),
		cmocka_unit_test(test_ranges),
		cmocka_unit_test(test_launches),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_gaps),
		cmocka_unit_test(test_function_in_a_child),
		cmocka_unit_test(test_environment_of_compilers),
		cmocka_unit_test(test_grandchildren_die_with_the_worker),
		cmocka_unit_test(test_folders_of_killed_processes),
		cmocka_unit_test(test_cache),
		cmocka_unit_test(test_vendors_caches_are_led),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

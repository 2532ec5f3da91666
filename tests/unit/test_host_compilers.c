/* SPDX-License-Identifier: Apache-2.0 */
/* Which compilers the host backend finds on a PATH made for the purpose, and what it makes of those
 * that do not work. */
#include "host_place.h"

#include "base/digest.h"

static void one_compiler_under_many_names_is_one_device(void **state)
{
	const place *p = *state;
	eh_device_info info;
	eh_error error;
	session s;

	add_link(p, "gcc", p->real);
	add_link(p, "gcc-99", p->real);
	add_link(p, "cc", p->real);
	add_link(p, "gcc-ar", p->real);
	start(p, &s);
	assert_int_equal(count_devices(&s), 1);
	assert_int_equal(device(&s, 0, &info, &error), EH_OK);
	assert_true(strncmp(info.id, "gcc-", 4) == 0 || strncmp(info.id, "clang-", 6) == 0);
	assert_null(strstr(info.id, "99"));
	assert_non_null(strstr(info.platform, " on "));
	assert_true(info.compute_units >= 1);
	assert_int_equal(device(&s, 1, &info, &error), EH_E_INVALID_ARGUMENT);
	session_close(&s);
}

static void two_of_one_version_have_two_names(void **state)
{
	const place *p = *state;
	char *script = memory_format("exec %s \"$@\"", p->real);
	eh_device_info one, two;
	eh_error error;
	session s;

	add_link(p, "cc", p->real);
	add_script(p, "gcc", script);
	start(p, &s);
	assert_int_equal(count_devices(&s), 2);
	assert_int_equal(device(&s, 0, &one, &error), EH_OK);
	assert_int_equal(device(&s, 1, &two, &error), EH_OK);
	assert_string_not_equal(one.id, two.id);
	assert_int_equal(strncmp(one.id, two.id, strlen(one.id)), 0);
	session_close(&s);
	free(script);
}

/* The file of the cache that ends so; malloc'd. */
static char *cached(const place *p, const char *suffix)
{
	char *folder = memory_format("%s/cache%u", p->top, p->count), *found = NULL;
	DIR *d = opendir(folder);

	assert_non_null(d);
	for (const struct dirent *e = readdir(d); e != NULL; e = readdir(d)) {
		const size_t n = strlen(e->d_name), k = strlen(suffix);

		if (n > k && strcmp(e->d_name + n - k, suffix) == 0) {
			assert_null(found);
			found = path_join(folder, e->d_name);
		}
	}
	(void)closedir(d);
	free(folder);
	return found;
}

/* The next start believes what the cache has: here another version.  A script is asked each time, because
 * it stays the same when the compiler behind it is replaced. */
static void what_a_compiler_said_of_itself_is_kept(void **state)
{
	const place *p = *state;
	char *script = memory_format("exec %s \"$@\"", p->real), *said, *digest_path, *number, *answer;
	char hex[65], before[64];
	eh_device_info info;
	eh_error error = ERROR_INIT;
	size_t size;
	session s;

	add_script(p, "cc", script);
	start(p, &s);
	assert_int_equal(count_devices(&s), 1);
	session_close(&s);
	assert_null(cached(p, ".version"));

	add_link(p, "gcc", p->real);
	start(p, &s);
	assert_int_equal(count_devices(&s), 2);
	assert_int_equal(device(&s, 0, &info, &error), EH_OK);
	snprintf(before, sizeof(before), "%s", info.id);
	session_close(&s);
	said = cached(p, ".version");
	assert_non_null(said);
	assert_int_equal(file_read(said, &answer, &size, &error), EH_OK);
	number = strstr(answer, "#define __clang_major__ ");
	if (number == NULL)
		number = strstr(answer, "#define __GNUC__ ");
	assert_non_null(number);
	for (number = strrchr(strtok(number, "\n"), ' ') + 1; *number != '\0'; number++)
		*number = '7';
	*number = '\n';
	assert_int_equal(file_write(said, answer, size, &error), EH_OK);

	/* Without its digest it is not believed; the compiler is asked, and the answer kept again. */
	start(p, &s);
	assert_int_equal(count_devices(&s), 2);
	assert_int_equal(device(&s, 0, &info, &error), EH_OK);
	assert_string_equal(info.id, before);
	session_close(&s);

	assert_int_equal(file_write(said, answer, size, &error), EH_OK);
	digest_bytes(answer, size, hex);
	digest_path = memory_format("%.*s.sha256", (int)(strlen(said) - strlen(".version")), said);
	assert_int_equal(file_write(digest_path, hex, 64, &error), EH_OK);
	start(p, &s);
	assert_int_equal(count_devices(&s), 2);
	assert_int_equal(device(&s, 0, &info, &error), EH_OK);
	assert_non_null(strstr(info.id, "-7"));
	assert_int_equal(device(&s, 1, &info, &error), EH_OK);
	assert_string_equal(info.id, before);
	session_close(&s);
	free(digest_path);
	free(script);
	free(answer);
	free(said);
}

static void without_a_compiler_there_is_prebuilt(void **state)
{
	static const char hex[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
	const place *p = *state;
	const eh_source missing = { .struct_size = sizeof(missing), .name = "gemm", .prelude = "",
	                            .body = kernel, .digest = hex };
	char *library = memory_format("%s/library", p->top);
	char *folder = memory_format("%s/host-kernels", library);
	char *object = memory_format("%s/%s.so", folder, hex);
	char *source = memory_format("%s/seven.c", p->top), *origin, *command, said[4096];
	eh_program_info about = { .struct_size = sizeof(about) };
	eh_program *program;
	eh_device_info info;
	eh_error error = ERROR_INIT;
	eh_kernel *k;
	session s;

	assert_int_equal(dir_make(folder, &error), EH_OK);
	set_option("library-dir", library);
	start(p, &s);
	assert_int_equal(count_devices(&s), 1);
	assert_int_equal(device(&s, 0, &info, &error), EH_OK);
	assert_string_equal(info.id, "prebuilt");
	notes(&s, said);
	assert_non_null(strstr(said, "install gcc or clang"));
	assert_int_equal(session_open(&s, 0, &error), EH_OK);
	assert_int_equal(s.ops->program_build(s.device, &missing, &program, NULL, 0, &error),
	                 EH_E_UNSUPPORTED);
	assert_non_null(strstr(error.message, "\"gemm\""));
	assert_non_null(strstr(error.message, "install gcc or clang"));

	assert_int_equal(file_write(source, kernel, strlen(kernel), &error), EH_OK);
	command = memory_format("PATH='%s' '%s' -shared -fPIC -o '%s' '%s'", p->path, p->real, object,
	                        source);
	assert_int_equal(system(command), 0);
	assert_int_equal(s.ops->program_build(s.device, &missing, &program, NULL, 0, &error), EH_OK);
	assert_int_equal(s.ops->kernel_get(program, "seven", &k, &error), EH_OK);
	s.ops->program_destroy(program);
	assert_int_equal(file_write(object, "no object", 9, &error), EH_OK);
	assert_int_equal(s.ops->program_build(s.device, &missing, &program, NULL, 0, &error),
	                 EH_E_BUILD);
	session_close(&s);

	/* What they were compiled with is told when it is known. */
	assert_int_equal(system(command), 0);
	origin = path_join(folder, "compiler");
	assert_int_equal(file_write(origin, "version=gcc 1.2.3\nflags=-O9\n", 28, &error), EH_OK);
	start(p, &s);
	assert_int_equal(session_open(&s, 0, &error), EH_OK);
	assert_int_equal(s.ops->program_build(s.device, &missing, &program, NULL, 0, &error), EH_OK);
	assert_int_equal(s.ops->program_info(program, &about, NULL), EH_OK);
	assert_string_equal(about.compiler_version, "gcc 1.2.3");
	assert_string_equal(about.flags, "-O9");
	s.ops->program_destroy(program);
	session_close(&s);
	free(library);
	free(folder);
	free(object);
	free(source);
	free(origin);
	free(command);
}

static void what_is_no_compiler_is_a_note(void **state)
{
	const place *p = *state;
	char said[4096];
	uint64_t began;
	session s;

	add_link(p, "gcc", p->real);
	add_script(p, "cc", "echo hello");
	add_script(p, "clang", "echo 'gcc version 1' >&2; exit 3");
	add_script(p, "gcc-5", "kill -9 $$");
	add_script(p, "gcc-6", "sleep 1000");
	add_script(p, "gcc-7", "sleep 1000 & sleep 1000 & echo started");
	began = clock_now_ns();
	start(p, &s);
	/* All are asked at once, and none of them for long. */
	assert_true(clock_now_ns() - began < UINT64_C(9000000000));
	assert_int_equal(count_devices(&s), 1);
	notes(&s, said);
	assert_non_null(strstr(said, "/cc is neither GCC nor Clang"));
	assert_non_null(strstr(said, "/clang was asked for its version and ended with status 3"));
	assert_non_null(strstr(said, "/gcc-5 was asked for its version and was killed by signal 9"));
	assert_non_null(strstr(said, "/gcc-6 was asked for its version and did not finish in time"));
	session_close(&s);
}

static void a_broken_compiler_is_listed_with_the_reason(void **state)
{
	const place *p = *state;
	char *script = memory_format("case \"$*\" in *-dM*) exec %s \"$@\";; esac\n"
	                             "echo 'kernel.c:1: fatal error: stdint.h is not there' >&2\nexit 1",
	                             p->real);
	eh_device_info info;
	eh_error error;
	session s;

	add_script(p, "gcc", script);
	start(p, &s);
	/* And the prebuilt kernels serve instead. */
	assert_int_equal(count_devices(&s), 2);
	assert_int_equal(device(&s, 0, &info, &error), EH_E_UNAVAILABLE);
	assert_non_null(strstr(error.message, "stdint.h is not there"));
	assert_non_null(strstr(error.message, "libc6-dev"));
	assert_true(info.id[0] != '\0' && info.name[0] != '\0');
	assert_int_equal(session_open(&s, 0, &error), EH_E_UNAVAILABLE);
	assert_int_equal(device(&s, 1, &info, &error), EH_OK);
	assert_string_equal(info.id, "prebuilt");
	session_close(&s);
	free(script);
}

static void one_that_hangs_over_the_trial_is_given_up(void **state)
{
	const place *p = *state;
	char *script = memory_format("case \"$*\" in *-dM*) exec %s \"$@\";; esac\nsleep 1000",
	                             p->real);
	const uint64_t began = clock_now_ns();
	eh_device_info info;
	eh_error error;
	session s;

	add_script(p, "gcc", script);
	start(p, &s);
	assert_true(clock_now_ns() - began < UINT64_C(12000000000));
	assert_int_equal(device(&s, 0, &info, &error), EH_E_UNAVAILABLE);
	assert_non_null(strstr(error.message, "did not finish"));
	session_close(&s);
	free(script);
}

static void a_liar_is_found_out(void **state)
{
	const place *p = *state;
	/* Another constant than the source asks for. */
	char *script = memory_format("case \"$*\" in *-dM*) exec %s \"$@\";; esac\n"
	                             "sed -i s/3.0f/4.0f/ kernel.c\nexec %s \"$@\"",
	                             p->real, p->real);
	eh_device_info info;
	eh_error error;
	session s;

	add_script(p, "gcc", script);
	start(p, &s);
	assert_int_equal(device(&s, 0, &info, &error), EH_E_UNAVAILABLE);
	assert_non_null(strstr(error.message, "wrong results"));
	session_close(&s);
	free(script);
}

/* A compiler that is sound until the kernel comes. */
static void treacherous(const place *p, const char *then)
{
	char *script = memory_format("if [ -f kernel.c ] && grep -q seven kernel.c; then %s; fi\n"
	                             "exec %s \"$@\"", then, p->real);

	add_script(p, "gcc", script);
	free(script);
}

static eh_status build_fails(const place *p, eh_error *error)
{
	const eh_source source = { .struct_size = sizeof(source), .name = "seven", .prelude = "",
	                           .body = kernel };
	eh_program *program;
	eh_status status;
	session s;

	start(p, &s);
	*error = (eh_error)ERROR_INIT;
	if (session_open(&s, 0, error) != EH_OK)
		fail_msg("%s", error->message);
	status = s.ops->program_build(s.device, &source, &program, NULL, 0, error);
	session_close(&s);
	return status;
}

static void a_compiler_that_hangs_is_stopped(void **state)
{
	const place *p = *state;
	const uint64_t began = clock_now_ns();
	eh_error error;

	treacherous(p, "sleep 1000");
	set_option("compile-timeout", "1");
	assert_int_equal(build_fails(p, &error), EH_E_TIMEOUT);
	assert_non_null(strstr(error.message, "compile-timeout"));
	assert_true(clock_now_ns() - began < UINT64_C(10000000000));
	set_option("compile-timeout", "60");
}

static void a_compiler_that_dies_is_told(void **state)
{
	const place *p = *state;
	eh_error error;

	treacherous(p, "kill -11 $$");
	assert_int_equal(build_fails(p, &error), EH_E_BUILD);
	assert_non_null(strstr(error.message, "killed by signal 11"));
}

static void a_compiler_that_leaves_nothing_is_told(void **state)
{
	const place *p = *state;
	eh_error error;

	treacherous(p, "exit 0");
	assert_int_equal(build_fails(p, &error), EH_E_BUILD);
	assert_non_null(strstr(error.message, "no shared object"));
}

static void settings_are_checked(void **state)
{
	static const char *const bad[] = { "0", "-1", "two", "1x", "99999999", "" };
	const place *p = *state;
	eh_error error = ERROR_INIT;
	eh_device_info info;
	session s;

	add_link(p, "gcc", p->real);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		set_option("threads", bad[i]);
		assert_int_equal(session_start(&s, p->plugin, &error), EH_E_INVALID_ARGUMENT);
		assert_non_null(strstr(error.message, "host.threads"));
	}
	set_option("threads", "1");
	start(p, &s);
	assert_int_equal(device(&s, 0, &info, &error), EH_OK);
	assert_int_equal(info.compute_units, 1);
	assert_false(build_and_run(&s, kernel));
	session_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PLACE_TEST(one_compiler_under_many_names_is_one_device),
		PLACE_TEST(two_of_one_version_have_two_names),
		PLACE_TEST(what_a_compiler_said_of_itself_is_kept),
		PLACE_TEST(without_a_compiler_there_is_prebuilt),
		PLACE_TEST(what_is_no_compiler_is_a_note),
		PLACE_TEST(a_broken_compiler_is_listed_with_the_reason),
		PLACE_TEST(one_that_hangs_over_the_trial_is_given_up),
		PLACE_TEST(a_liar_is_found_out),
		PLACE_TEST(a_compiler_that_hangs_is_stopped),
		PLACE_TEST(a_compiler_that_dies_is_told),
		PLACE_TEST(a_compiler_that_leaves_nothing_is_told),
		PLACE_TEST(settings_are_checked),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("host compilers", tests, make_place, free_place);
}

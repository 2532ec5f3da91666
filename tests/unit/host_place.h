/* SPDX-License-Identifier: Apache-2.0 */
/* For the tests of the host backend: a PATH and a cache of their own, and a kernel to build. */
#ifndef UNIT_HOST_PLACE_H
#define UNIT_HOST_PLACE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "plugin/host.h"
#include "plugin/session.h"

static const char kernel[] =
	"#include <stdint.h>\n"
	"void seven_entry(void **a, const int32_t *g, int64_t first, int64_t end);\n"
	"void seven_entry(void **a, const int32_t *g, int64_t first, int64_t end)\n"
	"{ for (int64_t i = first; i < end; i++) (*(int32_t **)a[0])[i] = 7; }\n";

typedef struct place {
	char *top;     /* private folder of this test program                                   */
	char *bin;     /* of the current test, the whole PATH                                   */
	char *real;    /* a C compiler that works                                               */
	char *path;    /* what PATH was                                                         */
	char *plugin;
	unsigned count;
} place;

static inline char *find_program(const char *path, const char *name)
{
	char *list = memory_text(path), *rest = list, *folder, *found = NULL;

	while (found == NULL && (folder = strsep(&rest, ":")) != NULL) {
		found = path_join(folder, name);
		if (access(found, X_OK) != 0) {
			free(found);
			found = NULL;
		}
	}
	free(list);
	return found;
}

static inline int make_place(void **state)
{
	const char *given = getenv("T"), *build = getenv("BUILD");
	place *p = memory_get(sizeof(*p));
	char pattern[] = "/tmp/evenhand-test-XXXXXX";

	p->top = memory_text(given != NULL && given[0] != '\0' ? given : mkdtemp(pattern));
	p->path = memory_text(getenv("PATH"));
	p->plugin = memory_format("%s/lib/evenhand/backends/host.so", build != NULL ? build : ".");
	p->real = find_program(p->path, "gcc");
	if (p->real == NULL)
		p->real = find_program(p->path, "clang");
	*state = p;
	return p->real != NULL ? 0 : -1;
}

static inline int free_place(void **state)
{
	place *p = *state;

	free(p->top);
	free(p->path);
	free(p->plugin);
	free(p->real);
	free(p);
	return 0;
}

static inline void set_option(const char *key, const char *value)
{
	char *setting = memory_format("host.%s=%s", key, value);
	eh_error error = ERROR_INIT;

	if (host_option_set(setting, &error) != EH_OK)
		fail_msg("%s", error.message);
	free(setting);
}

static inline void add_link(const place *p, const char *name, const char *target)
{
	char *path = path_join(p->bin, name);

	assert_int_equal(symlink(target, path), 0);
	free(path);
}

/* Each test has a PATH without compilers but with the tools that they and the scripts here call,
 * and an empty cache. */
static inline int begin(void **state)
{
	static const char *const tools[] = { "as", "ld", "sleep", "grep", "sed" };
	place *p = *state;
	eh_error error = ERROR_INIT;
	char *cache;

	p->bin = memory_format("%s/bin%u", p->top, ++p->count);
	cache = memory_format("%s/cache%u", p->top, p->count);
	if (dir_make(p->bin, &error) != EH_OK || dir_make(cache, &error) != EH_OK ||
	    chmod(cache, 0700) != 0 || setenv("PATH", p->bin, 1) != 0)
		return -1;
	for (size_t i = 0; i < sizeof(tools) / sizeof(tools[0]); i++) {
		char *tool = find_program(p->path, tools[i]);

		if (tool == NULL)
			return -1;
		add_link(p, tools[i], tool);
		free(tool);
	}
	set_option("cache-dir", cache);
	free(cache);
	return 0;
}

static inline int end(void **state)
{
	place *p = *state;

	free(p->bin);
	return setenv("PATH", p->path, 1);
}

static inline void add_script(const place *p, const char *name, const char *body)
{
	char *path = path_join(p->bin, name), *lines = memory_format("#!/bin/sh\n%s\n", body);
	eh_error error = ERROR_INIT;

	if (file_write(path, lines, strlen(lines), &error) != EH_OK)
		fail_msg("%s", error.message);
	assert_int_equal(chmod(path, 0755), 0);
	free(path);
	free(lines);
}

static inline void start(const place *p, session *s)
{
	eh_error error = ERROR_INIT;

	if (session_start(s, p->plugin, &error) != EH_OK)
		fail_msg("%s", error.message);
}

static inline uint32_t count_devices(const session *s)
{
	uint32_t count = 0;

	assert_int_equal(s->ops->device_count(s->self, &count, NULL), EH_OK);
	return count;
}

static inline eh_status device(const session *s, uint32_t index, eh_device_info *info,
                               eh_error *error)
{
	*info = (eh_device_info){ .struct_size = sizeof(*info) };
	*error = (eh_error)ERROR_INIT;
	return s->ops->device_info(s->self, index, info, error);
}

static inline void notes(const session *s, char out[4096])
{
	s->ops->notes(s->self, out, 4096);
}

/* Builds the kernel on device 0, runs it, and says whether it came from the cache. */
static inline bool build_and_run(session *s, const char *body)
{
	const eh_source source = { .struct_size = sizeof(source), .name = "seven", .prelude = "",
	                           .body = body };
	const eh_launch l0 = { .struct_size = sizeof(l0), .arg_count = 1, .groups = { 100, 1, 1 },
	                       .group_size = { 1, 1, 1 } };
	eh_program_info info = { .struct_size = sizeof(info) };
	eh_error error = ERROR_INIT;
	eh_launch l = l0;
	eh_program *program = NULL;
	eh_kernel *k = NULL;
	eh_buffer *out = NULL;
	eh_arg arg = { 0 };
	const int32_t *at;

	if (s->device == NULL && session_open(s, 0, &error) != EH_OK)
		fail_msg("%s", error.message);
	if (s->ops->program_build(s->device, &source, &program, NULL, 0, &error) != EH_OK ||
	    s->ops->kernel_get(program, "seven", &k, &error) != EH_OK ||
	    s->ops->buffer_alloc(s->device, EH_MEMORY_SHARED, 400, &out, &error) != EH_OK)
		fail_msg("%s", error.message);
	arg.buffer = out;
	l.args = &arg;
	assert_int_equal(s->ops->launch(s->queue, k, &l, NULL), EH_OK);
	at = s->ops->buffer_host_pointer(out);
	for (int i = 0; i < 100; i++)
		assert_int_equal(at[i], 7);
	assert_int_equal(s->ops->program_info(program, &info, NULL), EH_OK);
	assert_string_equal(info.binary_kind, "elf");
	assert_memory_equal(info.binary, "\177ELF", 4);
	s->ops->buffer_free(out);
	s->ops->program_destroy(program);
	return info.from_cache == 1;
}

#define PLACE_TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

#endif

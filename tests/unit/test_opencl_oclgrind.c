/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The OpenCL backend and the project's kernels under Oclgrind, which simulates a device and finds
 * wrong calls, races and accesses outside of buffers: none in ours, and the ones planted here.
 * Every test runs in a process of its own, whose findings are its standard error.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/error.h"
#include "base/files.h"
#include "measure/prepared.h"
#include "plugin/plugin.h"
#include "protocol/plan.h"

static char icd_path[4200], log_path[4200], *backend_path;

/* ---- in the child: everything ends the process with a status --------------------------------- */

static session s;
static eh_error error = ERROR_INIT;

static void must(eh_status status, const char *what)
{
	if (status == EH_OK)
		return;
	fprintf(stderr, "%s: %s: %s\n", what, error_status_name(status), error.message);
	exit(1);
}

static void open_device(void)
{
	must(session_start(&s, backend_path, &error), "start");
	must(session_open(&s, 0, &error), "open");
	if (strcmp(s.info.id, "oclgrind-0") != 0 || (s.info.caps & EH_CAP_SIMULATED) == 0) {
		fprintf(stderr, "not a simulated oclgrind-0: %s\n", s.info.id);
		exit(1);
	}
}

static const char planted[] =
	"__kernel __attribute__((reqd_work_group_size(16, 1, 1))) void t_good(__global uint *a)\n"
	"{ __local uint t[16]; uint i = get_local_id(0); t[i] = i;\n"
	"  barrier(CLK_LOCAL_MEM_FENCE); a[i] = t[15 - i]; }\n"
	"__kernel __attribute__((reqd_work_group_size(16, 1, 1))) void t_race(__global uint *a)\n"
	"{ __local uint t[16]; uint i = get_local_id(0); t[i] = i; a[i] = t[15 - i]; }\n"
	"__kernel __attribute__((reqd_work_group_size(16, 1, 1))) void t_bounds(__global uint *a)\n"
	"{ a[get_global_id(0) + 250] = 1; }\n";

/* Launches a planted kernel on a buffer of 256 words. */
static void run_planted(const char *name, uint32_t group_size)
{
	const eh_source source = { .struct_size = sizeof(source), .name = "planted", .prelude = "",
		.body = planted, .digest = "" };
	eh_arg arg = { .buffer = NULL };
	const eh_launch launch = { .struct_size = sizeof(launch), .arg_count = 1,
		.groups = { 1, 1, 1 }, .group_size = { group_size, 1, 1 }, .args = &arg };
	eh_program *program = NULL;
	eh_kernel *kernel = NULL;
	eh_mark *mark = NULL;
	eh_status status;
	open_device();
	must(s.ops->program_build(s.device, &source, &program, NULL, 0, &error), "program_build");
	must(s.ops->kernel_get(program, name, &kernel, &error), "kernel_get");
	must(s.ops->buffer_alloc(s.device, EH_MEMORY_DEVICE, 1024, &arg.buffer, &error),
	    "buffer_alloc");
	must(s.ops->fill(s.queue, arg.buffer, 0, 1024, 0, &error), "fill");
	must(s.ops->mark_create(s.device, EH_TIMED, &mark, &error), "mark_create");
	status = s.ops->launch(s.queue, kernel, &launch, &error);
	if (group_size == 16)
		must(status, "launch");
	must(s.ops->mark_record(s.queue, mark, &error), "mark_record");
	must(s.ops->mark_wait(mark, &error), "mark_wait");
	must(s.ops->queue_wait(s.queue, &error), "queue_wait");
	s.ops->mark_destroy(mark);
	s.ops->buffer_free(arg.buffer);
	s.ops->program_destroy(program);
	session_close(&s);
}

/* Every memory kind, copy and mark once. */
static void run_copies(void)
{
	static const uint32_t kinds[] = { EH_MEMORY_DEVICE, EH_MEMORY_PINNED };
	uint32_t words[64] = { 1, 2, 3 }, back[64];
	eh_mark *from = NULL, *to = NULL;
	eh_buffer *a = NULL, *b = NULL;
	uint64_t ns;
	open_device();
	must(s.ops->mark_create(s.device, EH_TIMED, &from, &error), "mark_create");
	must(s.ops->mark_create(s.device, EH_TIMED, &to, &error), "mark_create");
	for (size_t i = 0; i < 4; i++) {
		must(s.ops->buffer_alloc(s.device, kinds[i % 2], 256, &a, &error), "buffer_alloc");
		must(s.ops->buffer_alloc(s.device, kinds[i / 2], 256, &b, &error), "buffer_alloc");
		must(s.ops->mark_record(s.queue, from, &error), "mark_record");
		must(s.ops->upload(s.queue, a, 0, words, 256, &error), "upload");
		must(s.ops->fill(s.queue, a, 128, 128, 7, &error), "fill");
		must(s.ops->copy(s.queue, b, 0, a, 0, 256, &error), "copy");
		must(s.ops->download(s.queue, back, b, 0, 256, &error), "download");
		must(s.ops->mark_record(s.queue, to, &error), "mark_record");
		must(s.ops->mark_wait(to, &error), "mark_wait");
		must(s.ops->mark_elapsed(from, to, &ns, &error), "mark_elapsed");
		must(s.ops->queue_wait(s.queue, &error), "queue_wait");
		if (memcmp(words, back, 128) != 0 || back[32] != 7 || back[63] != 7) {
			fprintf(stderr, "a copy is wrong\n");
			exit(1);
		}
		s.ops->buffer_free(a);
		s.ops->buffer_free(b);
	}
	s.ops->mark_destroy(from);
	s.ops->mark_destroy(to);
	session_close(&s);
}

static void must_pass(const eh_check *check, const char *id, const char *when)
{
	if (check->passed)
		return;
	fprintf(stderr, "%s: wrong %s: %.190s\n", id, when, check->detail);
	exit(1);
}

/* The whole life of a case, as workload.h has it.  0 when the device cannot run it, else 1. */
static unsigned run_case(const plan_case *c)
{
	eh_check check = { .struct_size = sizeof(check) };
	char *why = prepared_unsupported(&s, &c->work);
	const prepared_choice choice = { 0 };
	prepared p;
	if (why != NULL) {
		free(why);
		return 0;
	}
	must(prepared_open(&p, &s, c->workload, &c->values, &c->work, &choice, NULL, &error), c->id);
	if (c->workload->selftest != NULL) {
		must(c->workload->selftest(p.states[0], &check, &error), c->id);
		must_pass(&check, c->id, "in its own test");
	}
	for (uint32_t variant = 0; variant < 2; variant++) {
		const uint64_t iteration = variant;
		if (variant > 0)
			must(c->workload->vary(p.states[0], variant, &error), c->id);
		must(c->workload->poison(p.states[0], &error), c->id);
		must(c->workload->enqueue(p.states[0], iteration, &error), c->id);
		must(s.ops->queue_wait(p.bench.queue, &error), c->id);
		check.struct_size = sizeof(check);
		must(c->workload->check(p.states[0], iteration, &check, &error), c->id);
		must_pass(&check, c->id, variant > 0 ? "after its data changed" : "at first");
	}
	prepared_close(&p);
	return 1;
}

static void run_workload(const char *sections)
{
	static const char head[] = "[protocol]\nname = small\nversion = 1\nintent = one of each\n"
		"executions = 1\nseed = 3\n[measure]\n";
	char body[4000];
	protocol *read = NULL;
	plan *planned = NULL;
	unsigned ran = 0;
	snprintf(body, sizeof(body), "%s%s", head, sections);
	must(protocol_parse(body, strlen(body), "small.ini", &read, &error), "protocol");
	must(plan_make(read, plugin_find_workload, NULL, &planned, &error), "plan");
	open_device();
	for (size_t i = 0; i < planned->case_count; i++)
		ran += run_case(&planned->cases[i]);
	if (ran < planned->case_count) {
		fprintf(stderr, "only %u of %zu cases ran\n", ran, planned->case_count);
		exit(1);
	}
	session_close(&s);
	plan_free(planned);
	protocol_free(read);
}

/* ---- in the parent ---------------------------------------------------------------------- */

typedef struct job {
	const char *kernel;  /* a planted one, or NULL                                          */
	uint32_t group_size;
	const char *cases;   /* sections of a protocol, or NULL: the copies                     */
} job;

/* Runs the job under Oclgrind; *findings is what it wrote, malloc'd.  True when it ended well. */
static bool run_child(const job *j, char **findings)
{
	int status = 0;
	size_t size;
	pid_t child;
	unlink(log_path);
	fflush(NULL);
	child = fork();
	if (child == 0) {
		const int out = open(log_path, O_WRONLY | O_CREAT | O_APPEND, 0600);
		/* cmocka's handlers would go on with the next test. */
		signal(SIGSEGV, SIG_DFL);
		signal(SIGABRT, SIG_DFL);
		/* Wrong calls are told on standard error only. */
		if (out < 0 || dup2(out, STDERR_FILENO) < 0)
			_exit(2);
		setenv("OCL_ICD_VENDORS", icd_path, 1);
		setenv("OCLGRIND_CHECK_API", "1", 1);
		setenv("OCLGRIND_DATA_RACES", "1", 1);
		/* Of a group; it has half as much otherwise. */
		setenv("OCLGRIND_LOCAL_MEM_SIZE", "65536", 1);
		setenv("OCLGRIND_MAX_ERRORS", "20", 1);
		if (j->kernel != NULL)
			run_planted(j->kernel, j->group_size);
		else if (j->cases != NULL)
			run_workload(j->cases);
		else
			run_copies();
		exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return false;
	*findings = NULL;
	if (!file_exists(log_path))
		*findings = strdup("");
	else if (file_read(log_path, findings, &size, &error) != EH_OK)
		return false;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void check_clean(const char *cases)
{
	const job j = { .cases = cases };
	char *findings = NULL;
	const bool well = run_child(&j, &findings);
	if (!well || findings == NULL || findings[0] != '\0')
		fail_msg("%s%.1500s", well ? "" : "ended badly; ", findings != NULL ? findings : "");
	free(findings);
}

static void check_planted(const char *kernel, uint32_t group_size, const char *finding)
{
	const job j = { .kernel = kernel, .group_size = group_size };
	char *findings = NULL;
	assert_true(run_child(&j, &findings));
	assert_non_null(findings);
	if (finding == NULL ? findings[0] != '\0' : strstr(findings, finding) == NULL)
		fail_msg("expected \"%s\", found \"%.1500s\"", finding != NULL ? finding : "", findings);
	free(findings);
}

static void test_a_good_kernel_is_clean(void **state)
{
	(void)state;
	check_planted("t_good", 16, NULL);
}

static void test_a_race_is_found(void **state)
{
	(void)state;
	check_planted("t_race", 16, "data race");
}

static void test_a_write_outside_is_found(void **state)
{
	(void)state;
	check_planted("t_bounds", 16, "Invalid write of size 4");
}

static void test_a_wrong_call_is_found(void **state)
{
	(void)state;
	check_planted("t_good", 8, "CL_INVALID_WORK_GROUP_SIZE");
}

static void test_copies_are_clean(void **state)
{
	(void)state;
	check_clean(NULL);
}

static void test_stream_is_clean(void **state)
{
	(void)state;
	check_clean("[case s]\nworkload = stream\noperation = copy, mul, add, triad, dot, read, fill\n"
	    "precision = f32, f64\nbytes = 8KiB\n"
	    "[case h]\nworkload = stream\noperation = triad, dot\nprecision = f16, bf16\nbytes = 2KiB\n");
}

static void test_launch_is_clean(void **state)
{
	(void)state;
	check_clean("[case l]\nworkload = launch\nmode = round-trip, enqueue\narguments = 0, 16\n");
}

static void test_xfer_is_clean(void **state)
{
	(void)state;
	check_clean("[case x]\nworkload = xfer\ndirection = h2d, d2h, d2d, bidirectional, duplex\n"
	    "memory = pinned, pageable\nbytes = 4, 4100\n");
}

static void test_fma_is_clean(void **state)
{
	(void)state;
	check_clean("[case f]\nworkload = fma\nprecision = f32, f64\nwidth = 1, 4\nchains = 2\n"
	    "rounds = 2\ngroups = 2\n");
}

static void test_gemm_is_clean(void **state)
{
	(void)state;
	check_clean("[case g]\nworkload = gemm\nprecision = f32, f64\nm = 32\nn = 32\nk = 16\nrows = 2\n"
	    "width = 2\nvectors = 1\ndepth = 8\n");
}

/* Tails of rows alone, and of N and K too. */
static void test_moe_is_clean(void **state)
{
	(void)state;
	check_clean("[case m]\nworkload = moe\nprecision = bf16\ntokens = 9\nn = 32, 33\nk = 16, 17\n"
	    "experts = 4\nskew = zipf\nexponent = 2\nrows = 2\nwidth = 2\nvectors = 1\ndepth = 8\n");
}

/* Of both modes, with tails of rows, queries, keys, K and N, and more than one tile of keys, K and N. */
static void test_block_is_clean(void **state)
{
	(void)state;
	check_clean("[case d]\nworkload = block\nlayers = 1\nhidden = 24\nintermediate = 16\nheads = 2\n"
	    "kv-heads = 1\nbatch = 2\ncontext = 40\nsplit = 32\n"
	    "[case p]\nworkload = block\nmode = prefill\nlayers = 1\nhidden = 24\nintermediate = 16\n"
	    "heads = 2\nkv-heads = 1\nbatch = 2\ntokens = 9\ncontext = 30\nvocabulary = 8\n");
}

static const char *find_icd(void)
{
	static const char *const places[] = {
		"/usr/lib/oclgrind/liboclgrind-rt-icd.so", "/usr/lib64/oclgrind/liboclgrind-rt-icd.so",
		"/usr/local/lib/oclgrind/liboclgrind-rt-icd.so",
		"/usr/local/lib/liboclgrind-rt-icd.so",
	};
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (file_exists(places[i]))
			return places[i];
	return NULL;
}

/*
 * Workloads and kernel texts are found beside the running program: goes on as a copy of itself in
 * a prefix under `folder` that leads to the build's.  Returns only when that cannot be made.
 */
static void move_into_prefix(const char *folder, const char *build, char **argv)
{
	static const char *const shared[] = { "lib", "share" };
	char *prefix = path_join(folder, "prefix"), *bin = path_join(prefix, "bin");
	char *copy = path_join(bin, "test"), *program = NULL;
	size_t size;
	bool made = dir_make(bin, &error) == EH_OK;
	for (size_t i = 0; i < 2 && made; i++) {
		char *to = path_join(build, shared[i]), *from = path_join(prefix, shared[i]);
		unlink(from);
		made = symlink(to, from) == 0;
		free(to);
		free(from);
	}
	if (made && file_read("/proc/self/exe", &program, &size, &error) == EH_OK &&
	    file_write(copy, program, size, &error) == EH_OK && chmod(copy, 0700) == 0 &&
	    setenv("EVENHAND_TEST_FOLDER", folder, 1) == 0)
		execv(copy, argv);
	free(program);
	free(copy);
	free(bin);
	free(prefix);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_good_kernel_is_clean),
		cmocka_unit_test(test_a_race_is_found),
		cmocka_unit_test(test_a_write_outside_is_found),
		cmocka_unit_test(test_a_wrong_call_is_found),
		cmocka_unit_test(test_copies_are_clean),
		cmocka_unit_test(test_stream_is_clean),
		cmocka_unit_test(test_launch_is_clean),
		cmocka_unit_test(test_xfer_is_clean),
		cmocka_unit_test(test_fma_is_clean),
		cmocka_unit_test(test_gemm_is_clean),
		cmocka_unit_test(test_moe_is_clean),
		cmocka_unit_test(test_block_is_clean),
	};
	const char *build = getenv("BUILD"), *icd = find_icd();
	const char *folder = getenv("EVENHAND_TEST_FOLDER");
	char made[] = "/tmp/evenhand-test-XXXXXX", line[4200];
	backend_path = path_join(build != NULL ? build : ".", "lib/evenhand/backends/opencl.so");
	if (icd == NULL || !file_exists(backend_path)) {
		printf("ok 1 - oclgrind # SKIP %s\n1..1\n", icd == NULL ? "oclgrind is not installed (package oclgrind)" :
		    "the OpenCL backend is not built");
		return 0;
	}
	(void)argc;
	if (folder == NULL) {
		folder = getenv("T") != NULL ? getenv("T") : mkdtemp(made);
		if (folder != NULL)
			move_into_prefix(folder, build != NULL ? build : ".", argv);
		printf("not ok 1 - a prefix for the test cannot be made: %s\n1..1\n", error.message);
		return 1;
	}
	snprintf(icd_path, sizeof(icd_path), "%s/oclgrind.icd", folder);
	snprintf(log_path, sizeof(log_path), "%s/findings", folder);
	snprintf(line, sizeof(line), "%s\n", icd);
	if (file_write(icd_path, line, strlen(line), &error) != EH_OK) {
		printf("not ok 1 - %s\n1..1\n", error.message);
		return 1;
	}
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

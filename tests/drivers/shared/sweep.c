/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes every call that a backend makes to its vendor's library fail once, one by one, and looks at
 * what the backend makes of it.
 *
 *   sweep BACKEND.so DIALECT CACHE LIBRARY CODE [TOLERATED...]
 *
 * EVENHAND_SWEEP_KEY=VALUE in the environment is the backend's setting KEY; EVENHAND_SWEEP_ONLY is a list of
 * words by which the functions begin that fail, blank-separated; with EVENHAND_SWEEP_NO_PRODUCTS no library of
 * products is asked.
 * BACKEND.so is the shipped backend, LIBRARY the name under which it opened the test driver (which
 * the environment puts in its way), DIALECT the prelude of kernels, CACHE a folder for binaries.
 * One small job runs once to list the calls, then once for each of them, in a process of its own,
 * with that call answering CODE.  Right is: one clear error (a status, the vendor's call, a
 * sentence), no crash, no hang, nothing left alive in the driver.  Wrong is a wrong result without
 * an error.  A job that ends well although a call failed is right for TOLERATED functions only, and
 * only when the call is named in what the backend says: a layer, a note, the core's log, the build
 * log.  What fails while everything is closed has nobody to tell.  Prints TAP.
 */
#include <dlfcn.h>
#include <openssl/sha.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "evenhand/backend.h"
#include "evenhand/extensions.h"

enum { SIDE = 8, ONE = 0x3f80, EIGHT = 0x4100 /* in bf16 */ };
enum { MOST_DIGESTED = 1 << 20 };
enum { ITEMS = 256, BYTES = ITEMS * 4, FACTOR = 3, ADDEND = 7, FILL = 5, MOST = 512, SECONDS = 30 };

static const char body[] =
	"EH_KERNEL(64, 1, 1) sweep_affine(EH_GLOBAL eh_u32 *out, EH_GLOBAL const eh_u32 *in, eh_u32 n)\n"
	"{\n\tEH_LOCAL_AT(eh_u32, own, 64, 0);\n"
	"\tEH_ITEMS(64, 1, 1)\n\t\teh_u32 i = (eh_u32)EH_GLOBAL_ID(64);\n\t\tif (i < n) {\n"
	"\t\t\town[EH_LID(0)] = in[i] * 3u;\n\t\t\tout[i] = own[EH_LID(0)] + 7u;\n\t\t}\n\tEH_END\n}\n"
	"EH_ENTRY(sweep_affine, (EH_GLOBAL eh_u32 *, EH_GLOBAL const eh_u32 *, eh_u32))\n";

typedef enum verdict { RIGHT, FAILED, WRONG } verdict;

typedef struct outcome {
	verdict verdict;
	eh_error error;
	uint64_t live;
	bool named;      /* the call that fails, in what the backend says                       */
	char text[400];
} outcome;

static const char *cache, *library;
static char *dialect;
static char failing[64]; /* the call that fails, without its version; "" = none            */
static bool named;

static void hear(const char *said)
{
	named = named || (failing[0] != '\0' && strstr(said, failing) != NULL);
}

/* ---- what the core lends ---- */

static void lent_log(void *ctx, int level, const char *message)
{
	(void)ctx;
	(void)level;
	hear(message);
}

static uint64_t lent_now(void *ctx)
{
	struct timespec t = { 0, 0 };

	(void)ctx;
	(void)clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

static const char *lent_option(void *ctx, const char *key)
{
	char name[80];

	(void)ctx;
	snprintf(name, sizeof(name), "EVENHAND_SWEEP_%s", key);
	if (getenv(name) != NULL)
		return getenv(name);
	return strcmp(key, "cache-dir") == 0 ? cache : NULL;
}

/* Of a compiler's 100 MB the end is enough here: hundreds of jobs ask for the digest of the same files. */
static void lent_sha256(void *ctx, const void *data, size_t size, char hex[65])
{
	const size_t some = size < MOST_DIGESTED ? size : MOST_DIGESTED;
	unsigned char sum[SHA256_DIGEST_LENGTH];

	(void)ctx;
	(void)SHA256((const unsigned char *)data + (size - some), some, sum);
	for (size_t i = 0; i < sizeof(sum); i++)
		snprintf(hex + 2 * i, 3, "%02x", sum[i]);
}

/* ---- the job ---- */

typedef struct job {
	const eh_backend_ops *ops;
	void *self;
	eh_device *device;
	eh_buffer *in, *out, *pinned;
	eh_queue *queue;
	eh_program *program;
	eh_kernel *kernel;
	eh_mark *from, *to;
	const eh_graph_ops *graphs;
	eh_graph *graph;
	const eh_gemm_ops *products;
	eh_gemm_plan *plan;
	eh_buffer *workspace;
	eh_error error;
} job;

#define TRY(call) do { if ((call) != EH_OK) return FAILED; } while (0)

static verdict open_all(job *j)
{
	eh_device_info info = { .struct_size = sizeof(info) };
	eh_error *e = &j->error;
	uint32_t count = 0;
	char notes[4096] = "";

	if (EH_HAS(j->ops, eh_backend_ops, notes))
		j->ops->notes(j->self, notes, sizeof(notes));
	hear(notes);
	TRY(j->ops->device_count(j->self, &count, e));
	if (count == 0)
		return WRONG;
	TRY(j->ops->device_info(j->self, 0, &info, e));
	TRY(j->ops->device_open(j->self, 0, &j->device, e));
	if (EH_HAS(j->ops, eh_backend_ops, device_layer)) {
		eh_layer layer = { .struct_size = sizeof(layer) };
		eh_error end = { .struct_size = sizeof(end) };

		for (uint32_t i = 0; j->ops->device_layer(j->device, i, &layer, &end) == EH_OK; i++) {
			layer.struct_size = sizeof(layer);
			hear(layer.detail);
		}
		if (end.code != EH_E_INVALID_ARGUMENT) {
			j->error = end;
			return FAILED;
		}
	}
	TRY(j->ops->buffer_alloc(j->device, EH_MEMORY_DEVICE, BYTES, &j->in, e));
	TRY(j->ops->buffer_alloc(j->device, EH_MEMORY_DEVICE, BYTES, &j->out, e));
	if (info.caps & EH_CAP_PINNED)
		TRY(j->ops->buffer_alloc(j->device, EH_MEMORY_PINNED, BYTES, &j->pinned, e));
	TRY(j->ops->queue_create(j->device, EH_TIMED, &j->queue, e));
	TRY(j->ops->mark_create(j->device, EH_TIMED, &j->from, e));
	TRY(j->ops->mark_create(j->device, EH_TIMED, &j->to, e));
	return RIGHT;
}

static verdict build(job *j)
{
	const eh_source source = { .struct_size = sizeof(source), .name = "sweep", .prelude = dialect,
		.body = body,
		.digest = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef" };
	eh_program_info program = { .struct_size = sizeof(program) };
	eh_kernel_info kernel = { .struct_size = sizeof(kernel) };
	char log[2000] = "";

	TRY(j->ops->program_build(j->device, &source, &j->program, log, sizeof(log), &j->error));
	hear(log);
	if (EH_HAS(j->ops, eh_backend_ops, program_info))
		TRY(j->ops->program_info(j->program, &program, &j->error));
	TRY(j->ops->kernel_get(j->program, "sweep_affine", &j->kernel, &j->error));
	if (EH_HAS(j->ops, eh_backend_ops, kernel_info))
		TRY(j->ops->kernel_info(j->kernel, &kernel, &j->error));
	return RIGHT;
}

static eh_status launch(job *j)
{
	static const uint32_t n = ITEMS;
	const eh_arg args[] = { { .buffer = j->out }, { .buffer = j->in },
		                { .data = &n, .size = sizeof(n) } };
	const eh_launch shape = { .struct_size = sizeof(shape), .arg_count = 3, .args = args,
		.groups = { ITEMS / 64, 1, 1 }, .group_size = { 64, 1, 1 }, .local_bytes = 64 * sizeof(uint32_t) };

	return j->ops->launch(j->queue, j->kernel, &shape, &j->error);
}

static bool is_right(const uint32_t *got, const uint32_t *in)
{
	for (uint32_t i = 0; i < ITEMS; i++)
		if (got[i] != in[i] * FACTOR + ADDEND)
			return false;
	return true;
}

static verdict compute(job *j)
{
	static uint32_t in[ITEMS], got[ITEMS];
	eh_error *e = &j->error;
	uint32_t passed = 0;
	uint64_t ns = 0;

	for (uint32_t i = 0; i < ITEMS; i++)
		in[i] = i * 2654435761u;
	memset(got, 0xee, sizeof(got));
	TRY(j->ops->fill(j->queue, j->out, 0, BYTES, FILL, e));
	TRY(j->ops->upload(j->queue, j->out, 0, in, BYTES, e));
	TRY(j->ops->copy(j->queue, j->in, 0, j->out, 0, BYTES, e));
	TRY(j->ops->mark_record(j->queue, j->from, e));
	TRY(launch(j));
	TRY(j->ops->mark_record(j->queue, j->to, e));
	if (EH_HAS(j->ops, eh_backend_ops, queue_flush))
		TRY(j->ops->queue_flush(j->queue, e));
	if (EH_HAS(j->ops, eh_backend_ops, mark_passed))
		TRY(j->ops->mark_passed(j->to, &passed, e));
	TRY(j->ops->mark_wait(j->to, e));
	TRY(j->ops->mark_elapsed(j->from, j->to, &ns, e));
	TRY(j->ops->download(j->queue, got, j->out, 0, BYTES, e));
	TRY(j->ops->queue_wait(j->queue, e));
	return is_right(got, in) ? RIGHT : WRONG;
}

static verdict record(job *j)
{
	static uint32_t got[ITEMS], in[ITEMS];
	eh_error *e = &j->error;

	if (!EH_HAS(j->ops, eh_backend_ops, extension))
		return RIGHT;
	j->graphs = j->ops->extension(j->self, EH_GRAPH_NAME);
	if (j->graphs == NULL || j->graphs->available(j->device, e) == EH_E_UNSUPPORTED)
		return RIGHT;
	for (uint32_t i = 0; i < ITEMS; i++)
		in[i] = FILL;
	TRY(j->graphs->begin(j->queue, e));
	if (j->ops->fill(j->queue, j->in, 0, BYTES, FILL, e) != EH_OK || launch(j) != EH_OK) {
		eh_error other = { .struct_size = sizeof(other) };

		(void)j->graphs->end(j->queue, NULL, &other);
		return FAILED;
	}
	TRY(j->graphs->end(j->queue, &j->graph, e));
	TRY(j->graphs->launch(j->queue, j->graph, e));
	TRY(j->ops->download(j->queue, got, j->out, 0, BYTES, e));
	TRY(j->ops->queue_wait(j->queue, e));
	return is_right(got, in) ? RIGHT : WRONG;
}

/* A product of SIDE x SIDE, of `in` with itself into `out`, where the backend has a library for it: with
 * an accumulator wider than C, two products in a batch, and a workspace. */
static verdict multiply(job *j)
{
	static const eh_gemm g = { .struct_size = sizeof(g), .m = SIDE, .n = SIDE, .k = SIDE, .lda = SIDE,
		.ldb = SIDE, .ldc = SIDE, .batch = 2, .stride_a = SIDE * SIDE, .stride_b = SIDE * SIDE,
		.stride_c = SIDE * SIDE, .alpha = 1, .type_a = "bf16", .type_b = "bf16", .type_c = "bf16",
		.accumulate = "f32", .workspace_limit = 1 << 20 };
	static uint16_t in[2 * SIDE * SIDE], got[2 * SIDE * SIDE];
	eh_gemm_operands o = { .struct_size = sizeof(o) };
	eh_layer layer = { .struct_size = sizeof(layer) };
	eh_error *e = &j->error;
	uint64_t bytes = 0;

	if (getenv("EVENHAND_SWEEP_NO_PRODUCTS") == NULL && EH_HAS(j->ops, eh_backend_ops, extension))
		j->products = j->ops->extension(j->self, EH_GEMM_NAME);
	if (j->products == NULL)
		return RIGHT;
	for (size_t i = 0; i < sizeof(in) / sizeof(in[0]); i++)
		in[i] = ONE;
	TRY(j->products->prepare(j->device, &g, &j->plan, &bytes, e));
	if (bytes > 0)
		TRY(j->ops->buffer_alloc(j->device, EH_MEMORY_DEVICE, bytes, &j->workspace, e));
	o.a = o.b = j->in;
	o.c = j->out;
	o.workspace = j->workspace;
	TRY(j->ops->upload(j->queue, j->in, 0, in, sizeof(in), e));
	TRY(j->products->enqueue(j->queue, j->plan, &o, e));
	TRY(j->ops->download(j->queue, got, j->out, 0, sizeof(got), e));
	TRY(j->ops->queue_wait(j->queue, e));
	TRY(j->products->layer(j->plan, &layer, e));
	hear(layer.detail);
	for (size_t i = 0; i < sizeof(got) / sizeof(got[0]); i++)
		if (got[i] != EIGHT)
			return WRONG;
	return RIGHT;
}

static void close_all(job *j)
{
	const eh_backend_ops *o = j->ops;
	eh_error end = { .struct_size = sizeof(end) };
	const char *calls = getenv("EVENHAND_TEST_CALLS");
	FILE *file = calls == NULL ? NULL : fopen(calls, "a");

	/* Where closing begins in the list of calls. */
	if (file != NULL) {
		(void)fputs("--\n", file);
		(void)fclose(file);
	}
	/* What was enqueued before the error uses what is destroyed now. */
	if (j->queue != NULL)
		(void)o->queue_wait(j->queue, &end);
	if (j->graph != NULL)
		j->graphs->destroy(j->graph);
	if (j->plan != NULL)
		j->products->destroy(j->plan);
	o->mark_destroy(j->to);
	o->mark_destroy(j->from);
	o->program_destroy(j->program);
	o->queue_destroy(j->queue);
	o->buffer_free(j->workspace);
	o->buffer_free(j->pinned);
	o->buffer_free(j->out);
	o->buffer_free(j->in);
	if (j->device != NULL)
		o->device_close(j->device);
	o->stop(j->self);
}

static uint64_t left_alive(char *text, size_t size)
{
	void *driver = dlopen(library, RTLD_NOW | RTLD_NOLOAD);
	size_t (*live)(char *, size_t);
	void *found = driver == NULL ? NULL : dlsym(driver, "evenhand_test_live");

	if (found == NULL)
		return 0;
	memcpy(&live, &found, sizeof(found));
	return live(text, size);
}

static void run_job(const char *path, outcome *o)
{
	static const eh_host host = { .struct_size = sizeof(host), .abi_major = EH_ABI_MAJOR,
		.abi_minor = EH_ABI_MINOR, .log = lent_log, .now_ns = lent_now,
		.option = lent_option, .sha256 = lent_sha256 };
	void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	void *found = object == NULL ? NULL : dlsym(object, EH_BACKEND_ENTRY_NAME);
	job j = { .error.struct_size = sizeof(eh_error) };
	eh_backend_entry entry;

	if (found == NULL) {
		snprintf(o->text, sizeof(o->text), "%s", dlerror());
		o->verdict = WRONG;
		return;
	}
	memcpy(&entry, &found, sizeof(found));
	j.ops = entry()->ops;
	o->verdict = FAILED;
	if (j.ops->start(&host, &j.self, &j.error) == EH_OK) {
		o->verdict = open_all(&j);
		if (o->verdict == RIGHT)
			o->verdict = build(&j);
		if (o->verdict == RIGHT)
			o->verdict = compute(&j);
		if (o->verdict == RIGHT)
			o->verdict = record(&j);
		if (o->verdict == RIGHT)
			o->verdict = multiply(&j);
		o->error = j.error;
		close_all(&j);
	}
	o->error = j.error;
	o->named = named;
	o->live = left_alive(o->text, sizeof(o->text));
}

/* "cuMemAlloc_v2@1=unknown" is said as cuMemAlloc. */
static void name_of(const char *fault)
{
	const char *version;

	snprintf(failing, sizeof(failing), "%.*s", (int)strcspn(fault, "@"), fault);
	version = strrchr(failing, '_');
	if (version != NULL && version[1] == 'v' && strspn(version + 2, "0123456789") > 0)
		failing[version - failing] = '\0';
}

/* The job in a process of its own; false when that did not end by itself. */
static bool run_apart(const char *path, const char *fault, const char *calls, outcome *o, int *status)
{
	int ends[2];
	pid_t child;
	ssize_t got;

	memset(o, 0, sizeof(*o));
	if (pipe(ends) != 0)
		return false;
	(void)fflush(stdout);
	child = fork();
	if (child == 0) {
		(void)alarm(SECONDS);
		if (fault != NULL) {
			(void)setenv("EVENHAND_TEST_FAULT", fault, 1);
			name_of(fault);
		}
		if (calls != NULL)
			(void)setenv("EVENHAND_TEST_CALLS", calls, 1);
		run_job(path, o);
		_exit(write(ends[1], o, sizeof(*o)) == (ssize_t)sizeof(*o) ? 0 : 99);
	}
	(void)close(ends[1]);
	got = read(ends[0], o, sizeof(*o));
	(void)close(ends[0]);
	if (child < 0 || waitpid(child, status, 0) != child)
		return false;
	return got == (ssize_t)sizeof(*o) && WIFEXITED(*status) && WEXITSTATUS(*status) == 0;
}

/* ---- the sweep ---- */

typedef struct function {
	char name[64];
	unsigned calls;
	unsigned working; /* of them, before everything is closed                              */
} function;

static size_t read_calls(const char *path, function list[MOST])
{
	FILE *file = fopen(path, "r");
	char line[64];
	size_t count = 0;
	bool closing = false;

	if (file == NULL)
		return 0;
	while (fgets(line, sizeof(line), file) != NULL) {
		size_t i = 0;

		line[strcspn(line, "\n")] = '\0';
		if (strcmp(line, "--") == 0) {
			closing = true;
			continue;
		}
		/* A note is no call. */
		if (strchr(line, ' ') != NULL)
			continue;
		while (i < count && strcmp(list[i].name, line) != 0)
			i++;
		if (i == MOST)
			break;
		if (i == count)
			memcpy(list[count++].name, line, sizeof(line));
		list[i].calls++;
		list[i].working += !closing;
	}
	(void)fclose(file);
	return count;
}

static bool ends_things(const char *name)
{
	static const char *const words[] = { "Free", "Destroy", "_destroy", "Release", "Unload", "Close" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(name, words[i]) != NULL)
			return true;
	return false;
}

static bool tolerated(const char *name, int count, char **list)
{
	for (int i = 0; i < count; i++)
		if (strcmp(list[i], name) == 0)
			return true;
	return ends_things(name);
}

static bool asked_for(const char *name)
{
	const char *only = getenv("EVENHAND_SWEEP_ONLY");
	size_t length;

	for (; only != NULL; only += length + strspn(only + length, " ")) {
		length = strcspn(only, " ");
		if (length == 0)
			return false;
		if (strncmp(name, only, length) == 0)
			return true;
	}
	return true;
}

static char *read_all(const char *path)
{
	FILE *file = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;
	ssize_t got = file == NULL ? -1 : getdelim(&text, &size, '\0', file);

	if (file != NULL)
		(void)fclose(file);
	return got < 0 ? NULL : text;
}

/* One failure of one call; what is wrong with how it went, NULL = nothing. */
static const char *judge(const function *f, const outcome *o, bool ended, bool working, bool may)
{
	if (!ended)
		return "the process crashed or hung";
	if (o->verdict == WRONG)
		return "a wrong result came without an error";
	if (o->verdict == RIGHT && working && !may)
		return "the error was not reported";
	if (o->verdict == RIGHT && working && !o->named && !ends_things(f->name))
		return "nothing says that it failed";
	if (o->verdict == FAILED && (o->error.code >= EH_OK || o->error.message[0] == '\0' ||
	                             o->error.where[0] == '\0'))
		return "the error says too little";
	if (o->live != 0 && !ends_things(f->name))
		return "something is left alive in the driver";
	return NULL;
}

int main(int argc, char **argv)
{
	static function list[MOST];
	char calls[] = "/tmp/evenhand-sweep-XXXXXX", fault[128];
	size_t count, bad = 0, tests = 1, runs = 0;
	outcome o;
	int status = 0, file;
	bool ended;

	if (argc < 6) {
		fprintf(stderr, "usage: sweep BACKEND.so DIALECT CACHE LIBRARY CODE [TOLERATED...]\n");
		return 2;
	}
	cache = argv[3];
	library = argv[4];
	dialect = read_all(argv[2]);
	file = mkstemp(calls);
	if (dialect == NULL || file < 0)
		return 2;
	(void)close(file);
	/* The first fills the cache of binaries, so that the second makes the calls that all others do. */
	(void)run_apart(argv[1], NULL, NULL, &o, &status);
	ended = run_apart(argv[1], NULL, calls, &o, &status);
	count = read_calls(calls, list);
	(void)unlink(calls);
	printf("%s 1 - the job runs without a fault, and makes calls\n",
	       ended && o.verdict == RIGHT && o.live == 0 && count > 0 ? "ok" : "not ok");
	if (!ended || o.verdict != RIGHT || o.live != 0 || count == 0) {
		printf("# %s %s: %s\n1..1\n", o.error.where, o.error.message, o.text);
		return 1;
	}
	for (size_t i = 0; i < count; i++) {
		const bool may = tolerated(list[i].name, argc - 6, argv + 6);
		const char *what = NULL;

		if (!asked_for(list[i].name))
			continue;
		for (unsigned n = 1; n <= list[i].calls; n++, runs++) {
			const char *said;

			snprintf(fault, sizeof(fault), "%.63s@%u=%.31s", list[i].name, n, argv[5]);
			ended = run_apart(argv[1], fault, NULL, &o, &status);
			said = judge(&list[i], &o, ended, n <= list[i].working, may);
			if (said == NULL)
				continue;
			what = said;
			printf("# %s: %s; %d %s: %s; %s\n", fault, said, (int)o.error.code, o.error.where,
			       o.error.message, o.text);
		}
		bad += what != NULL;
		printf("%s %zu - %s fails, each of %u times\n", what == NULL ? "ok" : "not ok", ++tests,
		       list[i].name, list[i].calls);
	}
	printf("# %zu functions, %zu failures\n1..%zu\n", count, runs, tests);
	free(dialect);
	return bad == 0 ? 0 : 1;
}

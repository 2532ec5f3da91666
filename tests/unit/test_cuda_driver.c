/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the test driver of CUDA is there to find: a missing barrier, a missing wait, an access out
 * of bounds, memory of the device in the host's hands; and the faults that it can be told to have.
 * Every test runs in a process of its own with a driver of its own.
 */
#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "skipping.h"

typedef unsigned long long device_address;

enum { SUCCESS = 0, INVALID = 1, OUT_OF_MEMORY = 2, NOT_READY = 600, ILLEGAL = 700, FAILED = 719,
	MISALIGNED = 716, PEER_ALREADY = 704, NO_BINARY = 209, WRONG_PTX = 218, DYNAMIC_MOST = 8, ITEMS = 64, BYTES = ITEMS * 4,
	FAILURE = 9 };

static char library[4096];

static struct {
	int (*init)(unsigned);
	int (*retain)(void **, int);
	int (*release)(int);
	int (*current)(void *);
	int (*alloc)(device_address *, size_t);
	int (*free_)(device_address);
	int (*up)(device_address, const void *, size_t, void *);
	int (*down)(void *, device_address, size_t, void *);
	int (*down_now)(void *, device_address, size_t);
	int (*load)(void **, const void *, unsigned, int *, void **);
	int (*unload)(void *);
	int (*function)(void **, void *, const char *);
	int (*set)(void *, int, int);
	int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
	              void **, void **);
	int (*stream)(void **, unsigned);
	int (*wait)(void *);
	int (*query)(void *);
	int (*event)(void **, unsigned);
	int (*record)(void *, void *);
	int (*event_wait)(void *);
	int (*elapsed)(float *, void *, void *);
	int (*begin)(void *, int);
	int (*end)(void *, void **);
	int (*make)(void **, void *, unsigned long long);
	int (*run)(void *, void *);
	int (*peer)(void *, unsigned);
	size_t (*live)(char *, size_t);
} cu;

static void *module, *context;

/* Ends the child: the test sees the line. */
#define WANT(condition) do { if (!(condition)) { \
	fprintf(stderr, "line %d: %s\n", __LINE__, #condition); _exit(FAILURE); } } while (0)

static const char kernels[] =
	".version 8.0\n.target sm_80\n.address_size 64\n.extern .shared .align 16 .b8 more[];\n"
#define KERNEL(name, text) \
	".visible .entry " name "(.param .u64 p)\n.maxntid 64, 1, 1\n{\n" \
	".reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>; .shared .align 4 .b8 s[256];\n" \
	"ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2;\n" \
	"mov.u64 %rd4, s; add.u64 %rd5, %rd4, %rd2;\n" text "\nret;\n}\n"
	KERNEL("number", "st.global.u32 [%rd3], %r1;")
	KERNEL("twice", "ld.global.u32 %r2, [%rd3]; add.u32 %r2, %r2, %r2; st.global.u32 [%rd3], %r2;")
	/* Every thread reads what its neighbour wrote, above or below. */
#define NEIGHBOUR(step, barrier) \
	"st.shared.u32 [%rd5], %r1; " barrier " add.u32 %r2, %r1, " step "; and.b32 %r2, %r2, 63;\n" \
	"mul.wide.u32 %rd6, %r2, 4; add.u64 %rd6, %rd4, %rd6; ld.shared.u32 %r3, [%rd6]; st.global.u32 [%rd3], %r3;"
	KERNEL("above", NEIGHBOUR("1", "bar.sync 0;")) KERNEL("above_wrong", NEIGHBOUR("1", ""))
	KERNEL("below", NEIGHBOUR("63", "bar.sync 0;")) KERNEL("below_wrong", NEIGHBOUR("63", ""))
	/* A sum over a tree with a barrier in the loop. */
	KERNEL("tree", "st.shared.u32 [%rd5], %r1; mov.u32 %r4, 32; again: bar.sync 0; setp.ge.u32 %p1, %r1, %r4;\n"
	       "@%p1 bra idle; mul.wide.u32 %rd6, %r4, 4; add.u64 %rd6, %rd5, %rd6; ld.shared.u32 %r5, [%rd6];\n"
	       "ld.shared.u32 %r6, [%rd5]; add.u32 %r6, %r6, %r5; st.shared.u32 [%rd5], %r6; idle: shr.u32 %r4, %r4, 1;\n"
	       "setp.ne.u32 %p2, %r4, 0; @%p2 bra again; bar.sync 0; ld.shared.u32 %r7, [s]; st.global.u32 [%rd3], %r7;")
	KERNEL("beyond", "st.global.u32 [%rd3+4], %r1;") KERNEL("before", "ld.global.u32 %r2, [%rd3+-4];")
	KERNEL("beyond_shared", "st.shared.u32 [%rd5+4], %r1;") KERNEL("crooked", "st.global.u32 [%rd3+2], %r1;")
	/* Through the last bytes of the 200 KiB that the launch asks for. */
	KERNEL("asks", "mov.u64 %rd4, more; add.u64 %rd5, %rd4, %rd2; st.shared.u32 [%rd5+204544], %r1; bar.sync 0;\n"
	       "ld.shared.u32 %r3, [%rd5+204544]; st.global.u32 [%rd3], %r3;")
	KERNEL("wild", "mov.u64 %rd6, 4096; ld.global.u32 %r2, [%rd6];");

static void start(void)
{
	static const struct {
		const char *name;
		void *place;
	} names[] = {
		{ "cuInit", &cu.init }, { "cuDevicePrimaryCtxRetain", &cu.retain },
		{ "cuDevicePrimaryCtxRelease_v2", &cu.release }, { "cuCtxSetCurrent", &cu.current },
		{ "cuMemAlloc_v2", &cu.alloc }, { "cuMemFree_v2", &cu.free_ },
		{ "cuMemcpyHtoDAsync_v2", &cu.up }, { "cuMemcpyDtoHAsync_v2", &cu.down },
		{ "cuMemcpyDtoH_v2", &cu.down_now }, { "cuModuleLoadDataEx", &cu.load },
		{ "cuModuleUnload", &cu.unload }, { "cuModuleGetFunction", &cu.function },
		{ "cuFuncSetAttribute", &cu.set },
		{ "cuLaunchKernel", &cu.launch }, { "cuStreamCreate", &cu.stream },
		{ "cuStreamSynchronize", &cu.wait }, { "cuStreamQuery", &cu.query },
		{ "cuEventCreate", &cu.event }, { "cuEventRecord", &cu.record },
		{ "cuEventSynchronize", &cu.event_wait }, { "cuEventElapsedTime_v2", &cu.elapsed },
		{ "cuStreamBeginCapture_v2", &cu.begin }, { "cuStreamEndCapture", &cu.end },
		{ "cuGraphInstantiateWithFlags", &cu.make }, { "cuGraphLaunch", &cu.run },
		{ "cuCtxEnablePeerAccess", &cu.peer }, { "evenhand_test_live", &cu.live },
	};
	void *driver = dlopen(library, RTLD_NOW);

	WANT(driver != NULL);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		void *found = dlsym(driver, names[i].name);

		WANT(found != NULL);
		memcpy(names[i].place, &found, sizeof(found));
	}
	WANT(cu.init(0) == SUCCESS && cu.retain(&context, 0) == SUCCESS && cu.current(context) == SUCCESS);
	WANT(cu.load(&module, kernels, 0, NULL, NULL) == SUCCESS);
}

static int launch(const char *name, device_address *at, void *stream)
{
	void *function = NULL, *parameters[] = { at };

	WANT(cu.function(&function, module, name) == SUCCESS);
	return cu.launch(function, 1, 1, 1, ITEMS, 1, 1, 0, stream, parameters, NULL);
}

static device_address memory(void)
{
	device_address at = 0;

	WANT(cu.alloc(&at, BYTES) == SUCCESS);
	return at;
}

/* Launches twice, for one order of threads may hide it; how many items were wrong. */
static unsigned wrong_items(const char *name, unsigned step, bool sum)
{
	device_address at = memory();
	unsigned wrong = 0;

	for (int i = 0; i < 2; i++) {
		uint32_t got[ITEMS];

		WANT(launch(name, &at, NULL) == SUCCESS);
		WANT(cu.down_now(got, at, BYTES) == SUCCESS);
		for (unsigned k = 0; k < ITEMS; k++)
			wrong += got[k] != (sum ? ITEMS * (ITEMS - 1) / 2 : (k + step) % ITEMS);
	}
	WANT(cu.free_(at) == SUCCESS);
	return wrong;
}

static void barriers(void)
{
	start();
	WANT(wrong_items("above", 1, false) == 0);
	WANT(wrong_items("below", ITEMS - 1, false) == 0);
	WANT(wrong_items("tree", 0, true) == 0);
	WANT(wrong_items("above_wrong", 1, false) >= ITEMS - 1);
	WANT(wrong_items("below_wrong", ITEMS - 1, false) >= ITEMS - 1);
}

static void waits(void)
{
	device_address at;
	uint32_t got[ITEMS];
	void *stream = NULL;

	start();
	at = memory();
	WANT(cu.stream(&stream, 1) == SUCCESS);
	memset(got, 0x11, sizeof(got));
	WANT(launch("number", &at, stream) == SUCCESS && cu.down(got, at, BYTES, stream) == SUCCESS);
	for (unsigned i = 0; i < ITEMS; i++)
		WANT(got[i] == 0x11111111);
	/* The legacy stream does not wait for a stream that does not block. */
	WANT(cu.down_now(got, at, BYTES) == SUCCESS && got[5] != 5);
	WANT(cu.query(stream) == NOT_READY);
	WANT(cu.wait(stream) == SUCCESS && got[5] == 5 && cu.query(stream) == SUCCESS);
}

static void legacy_stream(void)
{
	device_address at;
	uint32_t got[ITEMS];
	void *stream = NULL;

	start();
	at = memory();
	WANT(cu.stream(&stream, 0) == SUCCESS);
	WANT(launch("number", &at, stream) == SUCCESS && launch("twice", &at, NULL) == SUCCESS);
	WANT(launch("twice", &at, stream) == SUCCESS);
	WANT(cu.down_now(got, at, BYTES) == SUCCESS && got[5] == 20);
}

static void out_of_bounds(const char *name, int code)
{
	device_address at, other = 0;
	uint32_t got[ITEMS];

	start();
	at = memory();
	WANT(launch(name, &at, NULL) == SUCCESS);
	WANT(cu.wait(NULL) == code);
	/* And it stays: the context is dead. */
	WANT(cu.wait(NULL) == code && cu.alloc(&other, BYTES) == code);
	WANT(cu.down_now(got, at, BYTES) == code);
}

static void beyond(void) { out_of_bounds("beyond", ILLEGAL); }
static void before(void) { out_of_bounds("before", ILLEGAL); }
static void beyond_shared(void) { out_of_bounds("beyond_shared", ILLEGAL); }
static void crooked(void) { out_of_bounds("crooked", MISALIGNED); }
static void wild(void) { out_of_bounds("wild", ILLEGAL); }

static void asked_shared(void)
{
	const int bytes = 200 << 10, all = (227 << 10) - 256;
	void *function = NULL, *parameters[1];
	device_address at;
	uint32_t got[ITEMS];

	start();
	at = memory();
	parameters[0] = &at;
#define ASK(bytes) cu.launch(function, 1, 1, 1, ITEMS, 1, 1, (unsigned)(bytes), NULL, parameters, NULL)
	WANT(cu.function(&function, module, "asks") == SUCCESS);
	WANT(ASK(bytes) == INVALID && ASK((48 << 10) - 255) == INVALID);
	WANT(cu.set(function, DYNAMIC_MOST, all + 1) == INVALID && cu.set(function, DYNAMIC_MOST, -1) == INVALID);
	WANT(cu.set(function, DYNAMIC_MOST, all) == SUCCESS);
	WANT(cu.set(function, DYNAMIC_MOST, bytes) == SUCCESS && ASK(bytes + 1) == INVALID);
	WANT(ASK(bytes) == SUCCESS && cu.down_now(got, at, BYTES) == SUCCESS);
	for (unsigned i = 0; i < ITEMS; i++)
		WANT(got[i] == i);
	WANT(ASK(bytes - 4) == SUCCESS && cu.wait(NULL) == ILLEGAL);
}

static void too_much_static(void)
{
	static const char large[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
		".visible .entry k()\n{\n.shared .align 4 .b8 s[49156];\nret;\n}\n";
	char log[400] = "";
	int options[] = { 5, 6 };
	void *values[] = { log, (void *)(uintptr_t)sizeof(log) }, *loaded = NULL;

	start();
	WANT(cu.load(&loaded, large, 2, options, values) == WRONG_PTX);
	WANT(strstr(log, "'k' uses too much shared data (0xc004 bytes, 0xc000 max)") != NULL);
}

static void copies(void)
{
	device_address at;
	char bytes[BYTES + 1] = "";

	start();
	at = memory();
	WANT(cu.up(at, bytes, BYTES + 1, NULL) == INVALID && cu.up(at + 1, bytes, BYTES, NULL) == INVALID);
	WANT(cu.free_(at + 4) == INVALID && cu.free_(at) == SUCCESS && cu.free_(at) == INVALID);
}

static void dereference(void)
{
	device_address at;

	start();
	at = memory();
	*(volatile char *)(uintptr_t)at = 1;
}

static void graphs(void)
{
	device_address at;
	uint32_t got[ITEMS];
	void *stream = NULL, *graph = NULL, *exec = NULL;

	start();
	at = memory();
	WANT(cu.stream(&stream, 1) == SUCCESS && launch("number", &at, stream) == SUCCESS);
	WANT(cu.begin(stream, 0) == SUCCESS && launch("twice", &at, stream) == SUCCESS);
	WANT(launch("twice", &at, stream) == SUCCESS && cu.end(stream, &graph) == SUCCESS);
	WANT(cu.make(&exec, graph, 0) == SUCCESS && cu.run(exec, stream) == SUCCESS);
	WANT(cu.run(exec, stream) == SUCCESS && cu.down(got, at, BYTES, stream) == SUCCESS);
	WANT(cu.wait(stream) == SUCCESS && got[3] == 48);
}

static void peers(void)
{
	device_address at;
	void *other = NULL;

	start();
	at = memory();
	WANT(cu.retain(&other, 1) == SUCCESS && cu.current(other) == SUCCESS);
	WANT(cu.load(&module, kernels, 0, NULL, NULL) == SUCCESS);
	WANT(cu.peer(context, 0) == SUCCESS && cu.peer(context, 0) == PEER_ALREADY);
	WANT(launch("number", &at, NULL) == SUCCESS && cu.wait(NULL) == SUCCESS);
	WANT(cu.release(1) == SUCCESS && cu.retain(&other, 1) == SUCCESS);
	WANT(cu.load(&module, kernels, 0, NULL, NULL) == SUCCESS);
	WANT(launch("number", &at, NULL) == SUCCESS && cu.wait(NULL) == ILLEGAL);
}

static void images(void)
{
	void *other = NULL;

	start();
	WANT(cu.load(&other, "\177ELF...", 0, NULL, NULL) == NO_BINARY);
	WANT(cu.load(&other, "what is this", 0, NULL, NULL) == 200);
	WANT(cu.load(&other, ".version 8.0\n.target sm_120\n", 0, NULL, NULL) == 218);
	WANT(cu.load(&other, ".version 99.0\n.target sm_80\n", 0, NULL, NULL) == 222);
}

static void fault_nth_call(void)
{
	device_address at = 0;

	start();
	WANT(cu.alloc(&at, BYTES) == SUCCESS && cu.alloc(&at, BYTES) == OUT_OF_MEMORY);
	WANT(cu.alloc(&at, BYTES) == SUCCESS);
}

static void fault_memory(void)
{
	device_address at = 0;

	start();
	WANT(cu.alloc(&at, 800) == SUCCESS && cu.alloc(&at, 800) == OUT_OF_MEMORY);
}

static void fault_lost(void)
{
	device_address at;

	start();
	at = memory();
	WANT(launch("number", &at, NULL) == SUCCESS && cu.wait(NULL) == SUCCESS);
	WANT(launch("number", &at, NULL) == SUCCESS && cu.wait(NULL) == FAILED && cu.wait(NULL) == FAILED);
}

/* early, stale and wrong: no error, and not what was asked for. */
static void fault_silent(void)
{
	device_address at;
	uint32_t got[ITEMS];
	unsigned wrong = 0;
	void *stream = NULL;

	start();
	at = memory();
	memset(got, 0x11, sizeof(got));
	WANT(cu.stream(&stream, 1) == SUCCESS && launch("number", &at, stream) == SUCCESS);
	WANT(cu.down(got, at, BYTES, stream) == SUCCESS && cu.wait(stream) == SUCCESS);
	for (unsigned i = 0; i < ITEMS; i++)
		wrong += got[i] != i;
	WANT(wrong > 0);
}

static void fault_clock(void)
{
	device_address at;
	void *from = NULL, *to = NULL;
	float ms = 0;

	start();
	at = memory();
	WANT(cu.event(&from, 0) == SUCCESS && cu.event(&to, 0) == SUCCESS && cu.record(from, NULL) == SUCCESS);
	WANT(launch("number", &at, NULL) == SUCCESS && cu.record(to, NULL) == SUCCESS);
	WANT(cu.elapsed(&ms, from, to) == NOT_READY && cu.event_wait(to) == SUCCESS);
	WANT(cu.elapsed(&ms, from, to) == SUCCESS);
	if (getenv("WANT_MS") != NULL)
		WANT(ms > (float)atof(getenv("WANT_MS")) * 0.99f && ms < (float)atof(getenv("WANT_MS")) * 1.2f);
	else
		WANT(ms > 0 && ms < 60000);
}

static void fault_clock_one(void) { (void)setenv("WANT_MS", "0.000001", 1); fault_clock(); }
static void fault_clock_jump(void) { (void)setenv("WANT_MS", "3600000", 1); fault_clock(); }

static void fault_waits(void)
{
	device_address at;

	start();
	(void)alarm(1);
	at = memory();
	WANT(launch("number", &at, NULL) == SUCCESS);
	(void)cu.wait(NULL);
}

typedef struct scenario {
	const char *name, *fault;
	void (*body)(void);
	int signal, status; /* with which the child ends                                      */
} scenario;

static const scenario scenarios[] = {
	{ "a missing barrier is found, above and below", NULL, barriers, 0, 0 },
	{ "a missing wait is found", NULL, waits, 0, 0 },
	{ "the legacy stream waits and is waited for", NULL, legacy_stream, 0, 0 },
	{ "a store beyond the end", NULL, beyond, 0, 0 },
	{ "a load before the begin", NULL, before, 0, 0 },
	{ "a store beyond shared memory", NULL, beyond_shared, 0, 0 },
	{ "shared memory that a launch asks for", NULL, asked_shared, 0, 0 },
	{ "more static shared memory than there is", NULL, too_much_static, 0, 0 },
	{ "a misaligned store", NULL, crooked, 0, 0 },
	{ "a load from anywhere", NULL, wild, 0, 0 },
	{ "copies stay in their blocks", NULL, copies, 0, 0 },
	{ "the host cannot touch device memory", NULL, dereference, SIGSEGV, 0 },
	{ "graphs run in order, as often as launched", NULL, graphs, 0, 0 },
	{ "peer access must be enabled", NULL, peers, 0, 0 },
	{ "images that are no PTX are refused", NULL, images, 0, 0 },
	{ "the n-th call fails", "cuMemAlloc_v2@2=oom", fault_nth_call, 0, 0 },
	{ "memory is limited", "memory=1000", fault_memory, 0, 0 },
	{ "the device is lost and stays lost", "lost@2", fault_lost, 0, 0 },
	{ "a wait returns early", "early", fault_silent, 0, 0 },
	{ "a command does nothing", "stale@1", fault_silent, 0, 0 },
	{ "a command leaves a wrong bit", "wrong@1", fault_silent, 0, 0 },
	{ "the clock tells the time", NULL, fault_clock, 0, 0 },
	{ "the clock says 1 ns", "clock=one", fault_clock_one, 0, 0 },
	{ "the clock jumps", "clock@2+=jump", fault_clock_jump, 0, 0 },
	{ "the device is slow", "slow=2000000", fault_waits, SIGALRM, 0 },
	{ "the device hangs", "hang", fault_waits, SIGALRM, 0 },
	{ "a call hangs", "cuStreamSynchronize=hang", fault_waits, SIGALRM, 0 },
	{ "a call crashes", "cuStreamSynchronize=crash", fault_waits, SIGABRT, 0 },
	{ "a mistyped fault ends the process", "lsot@3", copies, 0, 70 },
	{ "a mistyped code ends the process", "cuInit=omo", copies, 0, 70 },
};

static void run_scenario(void **state)
{
	const scenario *s = *state;
	int status = 0;
	pid_t child;

	if (library[0] == '\0')
		skip_because(NO_CUDA_DRIVER);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		(void)signal(SIGSEGV, SIG_DFL);
		(void)signal(SIGABRT, SIG_DFL);
		if (s->fault != NULL)
			(void)setenv("EVENHAND_TEST_FAULT", s->fault, 1);
		s->body();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	if (s->signal != 0) {
		/* A sanitizer reports the fault itself and ends with a status. */
		assert_true((WIFSIGNALED(status) && WTERMSIG(status) == s->signal) ||
		            (s->signal == SIGSEGV && WIFEXITED(status) && WEXITSTATUS(status) == 1));
	} else {
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), s->status);
	}
}

int main(void)
{
	enum { COUNT = sizeof(scenarios) / sizeof(scenarios[0]) };
	static struct CMUnitTest tests[COUNT];
	static scenario states[COUNT];
	const char *build = getenv("BUILD");
	char cache[4096];

	if (build != NULL) {
		snprintf(library, sizeof(library), "%s/tests/drivers/cuda/libcuda.so.1", build);
		snprintf(cache, sizeof(cache), "%s/tests/drivers/cuda/cache", build);
		if (access(library, R_OK) != 0 || setenv("EVENHAND_TEST_CACHE", cache, 1) != 0)
			library[0] = '\0';
	}
	memcpy(states, scenarios, sizeof(states));
	for (size_t i = 0; i < COUNT; i++)
		tests[i] = (struct CMUnitTest){ .name = states[i].name, .test_func = run_scenario,
			                        .initial_state = &states[i] };
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuBLASLt called directly: what the rows of the vendor's tier are held against on a GPU.  Nothing of
 * evenhand runs in here but its declarations of the two libraries.
 * usage: cublaslt LIBRARY [TYPE SIZE...]     TYPE: f32, f16, bf16, e4m3
 *        cublaslt libcublasLt.so.13 bf16 8192
 * Without a type it only tries to start.
 * A and B are SIZE x SIZE and lie along k, C has the type of A (of e4m3: bf16), sums are f32, numbers are
 * normally distributed, and the library's first usable algorithm is taken, with 64 MiB of workspace.  Each line:
 * type, size, algorithm, then of 5 turns of half a second the least, the median and the most TFLOP/s.
 * Exit code: 0, or 1 with a sentence.
 */
#include <dlfcn.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../backends/cuda/cublaslt_abi.h"
#include "../../backends/cuda/cuda_abi.h"

enum { TURNS = 5, TURN_MS = 500, PATTERN = 1 << 16, WORKSPACE = 64 << 20 /* as workloads/library.h */, OFFERS = 8 };

#define FIELD(field, names, arguments) cublasStatus_t(*field) arguments;
static struct { CUBLASLT_FUNCTIONS(FIELD) } lt;
#undef FIELD
#define FIELD(field, names, arguments) CUresult(CUDAAPI *field) arguments;
static struct { CUDA_REQUIRED(FIELD) } cu;
#undef FIELD

static const struct type {
	const char *name;
	cudaDataType_t in, out;
	size_t bytes, out_bytes;
} types[] = {
	{ "f32", CUDA_R_32F, CUDA_R_32F, 4, 4 },     { "f16", CUDA_R_16F, CUDA_R_16F, 2, 2 },
	{ "bf16", CUDA_R_16BF, CUDA_R_16BF, 2, 2 },  { "e4m3", CUDA_R_8F_E4M3, CUDA_R_16BF, 1, 2 },
};

static void stop(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	fputs("cublaslt: ", stderr);
	vfprintf(stderr, format, list);
	fputc('\n', stderr);
	va_end(list);
	exit(1);
}

static void need(int code, const char *what)
{
	if (code != 0)
		stop("%s returned %d", what, code);
}
#define NEED(call) need((int)(call), #call)

/* The first of names, which bars separate. */
static void *find(void *library, const char *names)
{
	char name[64];
	void *found = NULL;

	while (found == NULL && *names != '\0') {
		const size_t length = strcspn(names, "|");

		snprintf(name, sizeof(name), "%.*s", (int)length, names);
		found = dlsym(library, name);
		names += length + (names[length] == '|');
	}
	if (found == NULL)
		stop("a library lacks %s", name);
	return found;
}

static void *open_library(const char *name)
{
	void *library = dlopen(name, RTLD_NOW);

	if (library == NULL)
		stop("%s", dlerror());
	return library;
}

static double uniform(void)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005u + 1442695040888963407u;
	return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

/* The code of the nearest element; subnormals are 0. */
static uint32_t code_of(const struct type *t, double x)
{
	const float f = (float)x;
	uint32_t bits;
	int exponent = 0;
	double fraction;

	memcpy(&bits, &f, sizeof(bits));
	if (t->in == CUDA_R_32F)
		return bits;
	if (t->in == CUDA_R_16BF)
		return (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
	fraction = frexp(fabs(x), &exponent) * 2 - 1;
	if (t->in == CUDA_R_16F)
		return exponent < -13 ? 0
		                      : ((bits >> 31) << 15) + ((uint32_t)(exponent + 14) << 10) +
		                                (uint32_t)lrint(fraction * 1024);
	return exponent < -5 ? 0
	                     : ((bits >> 31) << 7) + ((uint32_t)(exponent + 6) << 3) +
	                               (uint32_t)lrint(fraction * 8);
}

/* A matrix of size x size on the device, of a pattern that does not repeat in step with its rows. */
static CUdeviceptr matrix(const struct type *t, size_t size)
{
	const size_t count = size * size;
	unsigned char *codes = malloc(count * t->bytes);
	uint32_t *pattern = malloc(PATTERN * sizeof(*pattern));
	CUdeviceptr address = 0;

	if (codes == NULL || pattern == NULL)
		stop("no memory is left for %zu x %zu", size, size);
	for (size_t i = 0; i < PATTERN; i++)
		pattern[i] = code_of(t, sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform()));
	for (size_t i = 0; i < count; i++)
		memcpy(codes + i * t->bytes, &pattern[(i * 2654435761u >> 7) % PATTERN], t->bytes);
	NEED(cu.mem_alloc(&address, count * t->bytes));
	NEED(cu.memcpy_up(address, codes, count * t->bytes, NULL));
	NEED(cu.stream_wait(NULL));
	free(pattern);
	free(codes);
	return address;
}

static int by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void measure(cublasLtHandle_t handle, const struct type *t, size_t size)
{
	const int32_t turned = CUBLAS_OP_T;
	const float alpha = 1, beta = 0;
	const size_t workspace_bytes = WORKSPACE;
	const CUdeviceptr a = matrix(t, size), b = matrix(t, size);
	CUdeviceptr c = 0, workspace = 0;
	cublasLtMatmulDesc_t desc;
	cublasLtMatrixLayout_t in, out;
	cublasLtMatmulPreference_t preference;
	cublasLtMatmulHeuristicResult_t offers[OFFERS], *first = offers;
	CUevent from, to;
	double rates[TURNS];
	float ms = 0;
	int count = 0, repeats = 1, id = -1;

	NEED(cu.mem_alloc(&c, size * size * t->out_bytes));
	NEED(cu.mem_alloc(&workspace, WORKSPACE));
	NEED(lt.desc_create(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
	NEED(lt.desc_set(desc, CUBLASLT_MATMUL_DESC_TRANSA, &turned, sizeof(turned)));
	NEED(lt.layout_create(&in, t->in, size, size, (int64_t)size));
	NEED(lt.layout_create(&out, t->out, size, size, (int64_t)size));
	NEED(lt.preference_create(&preference));
	NEED(lt.preference_set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace_bytes,
	                       sizeof(workspace_bytes)));
	NEED(lt.heuristic(handle, desc, in, in, out, out, preference, OFFERS, offers, &count));
	while (first < offers + count && first->state != CUBLAS_STATUS_SUCCESS)
		first++;
	if (first == offers + count)
		stop("no algorithm is offered for %s %zu", t->name, size);
	NEED(lt.configuration(&first->algo, CUBLASLT_ALGO_CONFIG_ID, &id, sizeof(id), NULL));
	NEED(cu.event_create(&from, 0));
	NEED(cu.event_create(&to, 0));
	for (int turn = -2; turn < TURNS; turn++) { /* the first loads the kernel, the second counts */
		if (turn == -1)
			repeats = 4;
		NEED(cu.event_record(from, NULL));
		for (int i = 0; i < repeats; i++)
			NEED(lt.matmul(handle, desc, &alpha, (const void *)(uintptr_t)b, in, (const void *)(uintptr_t)a, in,
			               &beta, (const void *)(uintptr_t)c, out, (void *)(uintptr_t)c, out, &first->algo,
			               (void *)(uintptr_t)workspace, WORKSPACE, NULL));
		NEED(cu.event_record(to, NULL));
		NEED(cu.event_wait(to));
		NEED(cu.event_elapsed(&ms, from, to));
		if (turn == -1)
			repeats = 1 + (int)(TURN_MS * 4 / (ms > 0.01f ? ms : 0.01f));
		if (turn >= 0)
			rates[turn] = 2.0 * (double)size * (double)size * (double)size * repeats / (ms * 1e-3) / 1e12;
	}
	qsort(rates, TURNS, sizeof(rates[0]), by_size);
	printf("%s %zu: algorithm %d, %.1f %.1f %.1f TFLOP/s, %d products a turn\n", t->name, size, id, rates[0],
	       rates[TURNS / 2], rates[TURNS - 1], repeats);
	fflush(stdout);
	NEED(lt.preference_destroy(preference));
	NEED(lt.layout_destroy(out));
	NEED(lt.layout_destroy(in));
	NEED(lt.desc_destroy(desc));
	NEED(cu.event_destroy(to));
	NEED(cu.event_destroy(from));
	NEED(cu.mem_free(workspace));
	NEED(cu.mem_free(c));
	NEED(cu.mem_free(b));
	NEED(cu.mem_free(a));
}

int main(int argc, char **argv)
{
	cublasLtHandle_t handle;
	CUcontext context;
	CUdevice device;
	void *library;

	if (argc < 2 || argc % 2 != 0)
		stop("usage: cublaslt LIBRARY [TYPE SIZE...]");
	library = open_library("libcuda.so.1");
#define FIND(field, names, arguments) *(void **)&cu.field = find(library, names);
	CUDA_REQUIRED(FIND)
#undef FIND
	library = open_library(argv[1]);
#define FIND(field, names, arguments) *(void **)&lt.field = find(library, names);
	CUBLASLT_FUNCTIONS(FIND)
#undef FIND
	NEED(cu.init(0));
	NEED(cu.device_get(&device, 0));
	NEED(cu.context_retain(&context, device));
	NEED(cu.enter(context));
	NEED(lt.create(&handle));
	for (int i = 2; i < argc; i += 2) {
		const struct type *t = types;
		const size_t size = strtoul(argv[i + 1], NULL, 10);

		while (t < types + sizeof(types) / sizeof(types[0]) && strcmp(t->name, argv[i]) != 0)
			t++;
		if (t == types + sizeof(types) / sizeof(types[0]) || size < 16 || size > 65536 || size % 16 != 0)
			stop("%s %s: types are f32, f16, bf16, e4m3, sizes multiples of 16 up to 65536", argv[i], argv[i + 1]);
		measure(handle, t, size);
	}
	NEED(lt.destroy(handle));
	NEED(cu.context_release(device));
	return 0;
}

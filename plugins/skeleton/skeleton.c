/* SPDX-License-Identifier: Apache-2.0 */
/*
 * skeleton - a whole backend of evenhand, small enough to read in one sitting.
 *
 * It makes one device of this machine's processor: one thread, everything done at once when it is
 * asked for.  It is correct and complete (`evenhand plugin check` passes, `evenhand run quick --on
 * skeleton` measures with it) and slow.  Copy the folder, set NAME in its Makefile, and replace the
 * parts piece by piece: what stands between "---- yours" lines is what an accelerator's API does.
 *
 * The contract is evenhand/backend.h; read its comments next to this file.  What CUDA, HIP, OpenCL
 * and Level Zero put into each slot is written down in backend-abi.md, installed beside this folder.
 */
#include "evenhand/backend_helper.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compile.h"

/*
 * The handles.  evenhand passes around pointers to them and never looks inside, so put in
 * whatever your API needs: a CUdevice and its CUcontext, a cl_mem, a ze_event_handle_t.
 */
typedef struct skeleton {
	const eh_host *host; /* outlives us: it may be kept                                    */
	const char *compiler, *scratch;
	char version[128];
} skeleton;

struct eh_device {
	skeleton *self;
};
struct eh_queue {
	eh_device *device;
	int timed;
};
struct eh_buffer {
	unsigned char *data;
	uint64_t bytes;
	uint32_t kind;
};
struct eh_mark {
	eh_device *device;
	const eh_queue *queue; /* where it was recorded last */
	int timed;
	uint64_t ns;
};
/* The signature of kernels in the dialect's host branch: dialect.h, EH_ENTRY. */
typedef void (*skeleton_entry)(void **args, const int32_t groups[3], int64_t first, int64_t end);
struct eh_kernel {
	eh_kernel *next;
	skeleton_entry entry;
};
struct eh_program {
	skeleton *self;
	compiled code;
	eh_kernel *kernels;
};

/* Structs and errors of the caller are filled by eh_give and eh_fail (evenhand/backend_helper.h):
 * the caller's struct_size may be smaller than ours, or larger. */
static eh_status skeleton_no_memory(eh_error *error, const char *where)
{
	return eh_fail(error, EH_E_NO_MEMORY, where, "this process has no memory left");
}

/* ---- start and stop ---------------------------------------------------------------------- */

/*
 * ---- yours: open the vendor's library here, with dlopen and its versioned name ("libcuda.so.1"),
 * never by linking it: then your backend also loads on a machine without the driver, where it
 * answers EH_E_UNAVAILABLE and says what to install.
 */
static eh_status skeleton_start(const eh_host *host, void **self, eh_error *error)
{
	skeleton *s = calloc(1, sizeof(*s));

	if (s == NULL)
		return skeleton_no_memory(error, "start");
	s->host = host;
	/* Set by `--set skeleton.compiler=clang`. */
	s->compiler = host->option(host->ctx, "compiler");
	if (s->compiler == NULL)
		s->compiler = "cc";
	s->scratch = host->option(host->ctx, "cache-dir");
	if (s->scratch == NULL)
		s->scratch = getenv("TMPDIR");
	if (s->scratch == NULL)
		s->scratch = "/tmp";
	compile_version(s->compiler, s->scratch, s->version, sizeof(s->version));
	if (s->version[0] == '\0') {
		eh_status status =
			eh_fail(error, EH_E_UNAVAILABLE, "start",
		                      "the compiler '%s' does not "
		                      "run here: install a C compiler, or name one by --set "
		                      SKELETON_NAME ".compiler=NAME",
		                      s->compiler);

		free(s);
		return status;
	}
	*self = s; /* outputs are written only on success */
	return EH_OK;
}

static void skeleton_stop(void *self)
{
	free(self);
}

/* ---- devices ------------------------------------------------------------------------------ */

/* Counting and describing devices is cheap: it makes no context. */
static eh_status skeleton_device_count(void *self, uint32_t *count, eh_error *error)
{
	(void)self;
	(void)error;
	*count = 1;
	return EH_OK;
}

static uint64_t skeleton_memory_bytes(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

	return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 0;
}

static void skeleton_processor_name(char *out, size_t size)
{
	FILE *f = fopen("/proc/cpuinfo", "r");
	char line[256];

	snprintf(out, size, "processor");
	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		char *colon = strchr(line, ':');

		if (strncmp(line, "model name", 10) != 0 || colon == NULL)
			continue;
		line[strcspn(line, "\n")] = '\0';
		snprintf(out, size, "%.100s", colon + 2);
		break;
	}
	if (f != NULL)
		fclose(f);
}

/*
 * ---- yours: fill what you know and leave the rest 0 (numa_node: -1): a wrong number is worse than
 * none.  Promise in caps only what holds: plugin check looks, and a run skips what is not there.
 * Without EH_CAP_DEVICE_TIME the core times by the host's clock.
 */
static eh_status skeleton_device_info(void *self, uint32_t index, eh_device_info *info,
                                      eh_error *error)
{
	eh_device_info whole = {
		.type = EH_DEVICE_CPU,
		.caps = EH_CAP_PINNED | EH_CAP_SHARED | EH_CAP_FP64 | EH_CAP_FP16_STORE |
		        EH_CAP_BF16_STORE | EH_CAP_ATOMIC64,
		.memory_bytes = skeleton_memory_bytes(),
		.timer_resolution_ns = 1,
		.compute_units = 1,
		.max_group_items = 1024,
		.max_group_size = { 1024, 1024, 1024 },
		.local_memory_bytes = 64 << 10,
		.numa_node = -1,
		.id = "cpu", /* stays the same from run to run: users select devices by it */
		.platform = "one thread, compiled by cc",
	};

	(void)self;
	if (index > 0)
		return eh_fail(error, EH_E_INVALID_ARGUMENT, "device_info",
		                     "there is one device, number 0");
	skeleton_processor_name(whole.name, sizeof(whole.name));
	eh_give(info, &whole, sizeof(whole));
	return EH_OK;
}

static eh_status skeleton_device_open(void *self, uint32_t index, eh_device **device,
                                      eh_error *error)
{
	eh_device *d;

	if (index > 0)
		return eh_fail(error, EH_E_INVALID_ARGUMENT, "device_open",
		                     "there is one device, number 0");
	d = calloc(1, sizeof(*d));
	if (d == NULL)
		return skeleton_no_memory(error, "device_open");
	d->self = self;
	*device = d;
	return EH_OK;
}

static void skeleton_device_close(eh_device *device)
{
	free(device);
}

/*
 * The stack below and above the device, layer by layer: driver, runtime, compiler, with version
 * and file.  It goes into every result, and is why two results can be told apart.
 */
static eh_status skeleton_device_layer(eh_device *device, uint32_t index, eh_layer *layer,
                                       eh_error *error)
{
	eh_layer whole = { .kind = EH_LAYER_COMPILER, .source = EH_SOURCE_QUERIED };

	if (index > 0)
		return eh_fail(error, EH_E_INVALID_ARGUMENT, "device_layer",
		                     "there is one layer");
	snprintf(whole.name, sizeof(whole.name), "%s", device->self->compiler);
	snprintf(whole.version, sizeof(whole.version), "%s", device->self->version);
	snprintf(whole.detail, sizeof(whole.detail), "flags=%s", COMPILE_FLAGS);
	/* ---- yours: whole.maker, where people would not guess it from the name. */
	eh_give(layer, &whole, sizeof(whole));
	return EH_OK;
}

/* ---- buffers ------------------------------------------------------------------------------- */

/* ---- yours: cuMemAlloc, clCreateBuffer, zeMemAllocDevice; for EH_MEMORY_PINNED cuMemAllocHost. */
static eh_status skeleton_buffer_alloc(eh_device *device, uint32_t kind, uint64_t bytes,
                                       eh_buffer **buffer, eh_error *error)
{
	const uint64_t memory = skeleton_memory_bytes();
	eh_buffer *b;

	(void)device;
	if (kind < EH_MEMORY_DEVICE || kind > EH_MEMORY_SHARED)
		return eh_fail(error, EH_E_UNSUPPORTED, "buffer_alloc",
		                     "memory of kind %u is not offered", kind);
	if (bytes == 0)
		return eh_fail(error, EH_E_INVALID_ARGUMENT, "buffer_alloc",
		                     "a buffer has at least one byte");
	/* aligned_alloc may succeed beyond the machine's memory; the process would be killed
	 * later. */
	if (bytes > SIZE_MAX - 4096 || (memory > 0 && bytes > memory))
		return eh_fail(error, EH_E_NO_MEMORY, "buffer_alloc",
		                     "%llu bytes are more than this machine has",
		                     (unsigned long long)bytes);
	b = calloc(1, sizeof(*b));
	if (b == NULL)
		return skeleton_no_memory(error, "buffer_alloc");
	b->data = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
	if (b->data == NULL) {
		free(b);
		return skeleton_no_memory(error, "buffer_alloc");
	}
	b->bytes = bytes;
	b->kind = kind;
	*buffer = b;
	return EH_OK;
}

static void skeleton_buffer_free(eh_buffer *buffer)
{
	if (buffer == NULL) /* as for every destroy function */
		return;
	free(buffer->data);
	free(buffer);
}

static void *skeleton_buffer_host_pointer(eh_buffer *buffer)
{
	return buffer->kind == EH_MEMORY_DEVICE ? NULL : buffer->data;
}

/* ---- queues ---------------------------------------------------------------------------------- */
/*
 * Commands of one queue take effect in the order in which they were enqueued.  This queue is the
 * simplest one there is: a command is done when its function returns.  An asynchronous API
 * enqueues and returns, sets EH_CAP_ASYNC, and then queue_wait must really wait: results
 * are only believed when it does.
 */
static eh_status skeleton_queue_create(eh_device *device, uint32_t flags, eh_queue **queue,
                                       eh_error *error)
{
	eh_queue *q;

	if ((flags & ~(uint32_t)(EH_TIMED | EH_COPIES)) != 0)
		return eh_fail(error, EH_E_INVALID_ARGUMENT, "queue_create", "unknown flags");
	q = calloc(1, sizeof(*q));
	if (q == NULL)
		return skeleton_no_memory(error, "queue_create");
	q->device = device;
	q->timed = (flags & EH_TIMED) != 0;
	*queue = q;
	return EH_OK;
}

static void skeleton_queue_destroy(eh_queue *queue)
{
	free(queue);
}

static eh_status skeleton_queue_wait(eh_queue *queue, eh_error *error)
{
	(void)queue;
	(void)error;
	return EH_OK;
}

/* A range check costs little and turns a crash into a message. */
static eh_status skeleton_inside(const eh_buffer *buffer, uint64_t offset, uint64_t bytes,
                                 const char *where, eh_error *error)
{
	if (offset <= buffer->bytes && bytes <= buffer->bytes - offset)
		return EH_OK;
	return eh_fail(error, EH_E_INVALID_ARGUMENT, where,
	                     "%llu bytes at %llu lie beyond a buffer of %llu",
	                     (unsigned long long)bytes, (unsigned long long)offset,
	                     (unsigned long long)buffer->bytes);
}

static eh_status skeleton_fill(eh_queue *queue, eh_buffer *buffer, uint64_t offset, uint64_t bytes,
                               uint32_t pattern, eh_error *error)
{
	eh_status status = skeleton_inside(buffer, offset, bytes, "fill", error);

	(void)queue;
	if (status == EH_OK && bytes % 4 != 0)
		return eh_fail(error, EH_E_INVALID_ARGUMENT, "fill",
		                     "the size of a fill is a multiple of 4");
	for (uint64_t at = 0; status == EH_OK && at < bytes; at += 4)
		memcpy(buffer->data + offset + at, &pattern, 4);
	return status;
}

static eh_status skeleton_copy(eh_queue *queue, eh_buffer *to, uint64_t to_offset, eh_buffer *from,
                               uint64_t from_offset, uint64_t bytes, eh_error *error)
{
	eh_status status = skeleton_inside(to, to_offset, bytes, "copy", error);

	(void)queue;
	if (status == EH_OK)
		status = skeleton_inside(from, from_offset, bytes, "copy", error);
	if (status == EH_OK)
		memcpy(to->data + to_offset, from->data + from_offset, bytes);
	return status;
}

static eh_status skeleton_upload(eh_queue *queue, eh_buffer *to, uint64_t offset, const void *from,
                                 uint64_t bytes, eh_error *error)
{
	eh_status status = skeleton_inside(to, offset, bytes, "upload", error);

	(void)queue;
	if (status == EH_OK)
		memcpy(to->data + offset, from, bytes);
	return status;
}

static eh_status skeleton_download(eh_queue *queue, void *to, eh_buffer *from, uint64_t offset,
                                   uint64_t bytes, eh_error *error)
{
	eh_status status = skeleton_inside(from, offset, bytes, "download", error);

	(void)queue;
	if (status == EH_OK)
		memcpy(to, from->data + offset, bytes);
	return status;
}

/* ---- programs and kernels -----------------------------------------------------------------------
 */

/*
 * ---- yours: hand macros, prelude and body to your stack's compiler.  For CUDA C, HIP and OpenCL C
 * the prelude works as it is: it looks at the compiler's own macros.  For another
 * language use a prelude of your own in place of source->prelude, and say so in
 * eh_program_info.flags.  source->digest is a key for a cache of compiled programs; keep them in
 * the folder that the option "cache-dir" names (NULL: no caching), and then report from_cache.
 */
static eh_status skeleton_program_build(eh_device *device, const eh_source *source,
                                        eh_program **program, char *log, size_t log_size,
                                        eh_error *error)
{
	skeleton *s = device->self;
	char why[300] = "";
	eh_program *p;
	eh_status status;

	if (log != NULL && log_size > 0)
		log[0] = '\0';
	p = calloc(1, sizeof(*p));
	if (p == NULL)
		return skeleton_no_memory(error, "program_build");
	p->self = s;
	status = compile_source(s->compiler, s->scratch, source, &p->code, log, log_size, why,
	                        sizeof(why));
	if (status != EH_OK) {
		free(p);
		return eh_fail(error, status, s->compiler, "%s", why);
	}
	*program = p;
	return EH_OK;
}

static void skeleton_program_destroy(eh_program *program)
{
	if (program == NULL)
		return;
	while (program->kernels != NULL) { /* kernels go with their program */
		eh_kernel *next = program->kernels->next;

		free(program->kernels);
		program->kernels = next;
	}
	compile_free(&program->code);
	free(program);
}

/* The pointers in it stay valid until the program is destroyed. */
static eh_status skeleton_program_info(eh_program *program, eh_program_info *info, eh_error *error)
{
	eh_program_info whole = {
		.flags = COMPILE_FLAGS,
		.target = "native",
		.binary_kind = "elf",
		.binary = program->code.binary,
		.binary_size = program->code.binary_size,
	};

	(void)error;
	snprintf(whole.compiler, sizeof(whole.compiler), "%s", program->self->compiler);
	snprintf(whole.compiler_version, sizeof(whole.compiler_version), "%s",
	         program->self->version);
	eh_give(info, &whole, sizeof(whole));
	return EH_OK;
}

static eh_status skeleton_kernel_get(eh_program *program, const char *name, eh_kernel **kernel,
                                     eh_error *error)
{
	char symbol[256];
	eh_kernel *k;
	void *found;

	if (snprintf(symbol, sizeof(symbol), "%s_entry", name) >= (int)sizeof(symbol) ||
	    (found = dlsym(program->code.handle, symbol)) == NULL)
		return eh_fail(error, EH_E_INVALID_ARGUMENT, "kernel_get",
		                     "the program has no kernel '%.100s'", name);
	k = calloc(1, sizeof(*k));
	if (k == NULL)
		return skeleton_no_memory(error, "kernel_get");
	memcpy(&k->entry, &found, sizeof(k->entry));
	k->next = program->kernels;
	program->kernels = k;
	*kernel = k;
	return EH_OK;
}

/*
 * ---- yours: cuLaunchKernel, clSetKernelArg and clEnqueueNDRangeKernel,
 * zeCommandListAppendLaunchKernel. launch->args may be gone when this returns: copy what is needed
 * later.
 */
static eh_status skeleton_launch(eh_queue *queue, eh_kernel *kernel, const eh_launch *launch,
                                 eh_error *error)
{
	int32_t groups[3];
	void *args[32];
	int64_t total = 1;

	(void)queue;
	if (launch->arg_count > sizeof(args) / sizeof(args[0]))
		return eh_fail(error, EH_E_UNSUPPORTED, "launch",
		                     "a kernel has at most 32 arguments here");
	for (int d = 0; d < 3; d++) {
		if (launch->groups[d] < 1 || launch->groups[d] > INT32_MAX ||
		    launch->groups[d] > INT64_MAX / total)
			return eh_fail(error, EH_E_INVALID_ARGUMENT, "launch",
			                     "%u groups in dimension %d", launch->groups[d], d);
		groups[d] = (int32_t)launch->groups[d];
		total *= groups[d];
	}
	for (uint32_t i = 0; i < launch->arg_count; i++) {
		const eh_arg *arg = &launch->args[i];

		/* The dialect wants a pointer to the value; a buffer's value is its address. */
		args[i] = arg->buffer != NULL ? (void *)&arg->buffer->data
		                              : (void *)(uintptr_t)arg->data;
	}
	kernel->entry(args, groups, 0, total);
	return EH_OK;
}

/* ---- marks: points in a queue, with a time
 * ------------------------------------------------------- */

static eh_status skeleton_mark_create(eh_device *device, uint32_t flags, eh_mark **mark,
                                      eh_error *error)
{
	eh_mark *m;

	if ((flags & ~(uint32_t)EH_TIMED) != 0)
		return eh_fail(error, EH_E_INVALID_ARGUMENT, "mark_create", "unknown flags");
	m = calloc(1, sizeof(*m));
	if (m == NULL)
		return skeleton_no_memory(error, "mark_create");
	m->device = device;
	m->timed = (flags & EH_TIMED) != 0;
	*mark = m;
	return EH_OK;
}

static void skeleton_mark_destroy(eh_mark *mark)
{
	free(mark);
}

/* Everything before it is done already, so the mark passes now.  ---- yours: cuEventRecord, the
 * event of clEnqueueMarkerWithWaitList, zeCommandListAppendWriteGlobalTimestamp. */
static eh_status skeleton_mark_record(eh_queue *queue, eh_mark *mark, eh_error *error)
{
	const eh_host *host = queue->device->self->host;

	(void)error;
	mark->queue = queue;
	mark->ns = host->now_ns(host->ctx);
	return EH_OK;
}

static eh_status skeleton_mark_wait(eh_mark *mark, eh_error *error)
{
	(void)mark;
	(void)error;
	return EH_OK;
}

static eh_status skeleton_mark_elapsed(eh_mark *from, eh_mark *to, uint64_t *ns, eh_error *error)
{
	if (from->queue == NULL || from->queue != to->queue || !from->queue->timed ||
	    !from->timed || !to->timed)
		return eh_fail(error, EH_E_INVALID_ARGUMENT, "mark_elapsed",
		                     "two timed marks of one timed queue have a time between them");
	if (to->ns < from->ns)
		return eh_fail(error, EH_E_INVALID_ARGUMENT, "mark_elapsed",
		                     "the marks are in the wrong order");
	*ns = to->ns - from->ns;
	return EH_OK;
}

/* ---- the table, the identity block, the one exported function
 * --------------------------------------- */

static const eh_backend_ops skeleton_ops = {
	.struct_size = sizeof(eh_backend_ops),
	.start = skeleton_start,
	.stop = skeleton_stop,
	.device_count = skeleton_device_count,
	.device_info = skeleton_device_info,
	.device_open = skeleton_device_open,
	.device_close = skeleton_device_close,
	.device_layer = skeleton_device_layer,
	.buffer_alloc = skeleton_buffer_alloc,
	.buffer_free = skeleton_buffer_free,
	.buffer_host_pointer = skeleton_buffer_host_pointer,
	.queue_create = skeleton_queue_create,
	.queue_destroy = skeleton_queue_destroy,
	.queue_wait = skeleton_queue_wait,
	.fill = skeleton_fill,
	.copy = skeleton_copy,
	.upload = skeleton_upload,
	.download = skeleton_download,
	.program_build = skeleton_program_build,
	.program_destroy = skeleton_program_destroy,
	.program_info = skeleton_program_info,
	.kernel_get = skeleton_kernel_get,
	.launch = skeleton_launch,
	.mark_create = skeleton_mark_create,
	.mark_destroy = skeleton_mark_destroy,
	.mark_record = skeleton_mark_record,
	.mark_wait = skeleton_mark_wait,
	.mark_elapsed = skeleton_mark_elapsed,
	/* Not provided, which is allowed for what backend.h marks [O]: notes, queue_flush,
	 * kernel_info, extension. */
};

static const eh_backend skeleton_backend = {
	.magic = EH_BACKEND_MAGIC,
	.struct_size = sizeof(eh_backend),
	.abi_major = EH_ABI_MAJOR,
	.abi_minor = EH_ABI_MINOR,
	.pointer_bytes = sizeof(void *),
	.name = SKELETON_NAME, /* the file is called SKELETON_NAME.so */
	.title = "A backend to start from: one thread, the C compiler",
	.version = "1.0",
	.license = "Apache-2.0",
	.ops = &skeleton_ops,
};

EH_EXPORT const eh_backend *eh_backend_entry_v1(void)
{
	return &skeleton_backend;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * skeleton - a whole backend of evenhand, small enough to read in one sitting.
 *
 * It makes one device of this machine's processor.  As on an accelerator, commands are enqueued and
 * run later: each queue has a thread of its own (queue.c).  It is correct and complete (`evenhand
 * plugin check` passes, `evenhand run quick --on skeleton` measures with it) and slow.  Copy the
 * folder, set NAME in its Makefile, and replace the parts piece by piece: a comment that begins with
 * "---- yours" says what an accelerator's API does there.
 *
 * The contract is evenhand/backend.h; read its comments next to this file.  What CUDA, HIP, OpenCL
 * and Level Zero put into each slot is written down in backend-abi.md, installed beside this folder.
 */
#include "evenhand/backend_helper.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compile.h"
#include "queue.h"

/*
 * The handles; those of devices, queues and marks are in queue.h.  evenhand passes around pointers
 * to them and never looks inside, so put in whatever your API needs: a CUdevice and its CUcontext,
 * a cl_mem, a ze_event_handle_t.
 */
typedef struct skeleton {
	const eh_host *host; /* outlives us: it may be kept                                    */
	const char *compiler, *scratch;
	char version[128];
} skeleton;

struct eh_buffer {
	unsigned char *data;
	uint64_t bytes;
	uint32_t kind;
};
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
		.caps = EH_CAP_ASYNC | EH_CAP_PINNED | EH_CAP_SHARED | EH_CAP_FP64 |
		        EH_CAP_FP16_STORE | EH_CAP_BF16_STORE | EH_CAP_ATOMIC64,
		.memory_bytes = skeleton_memory_bytes(),
		.timer_resolution_ns = 1,
		.compute_units = 1,
		.max_group_items = 1024,
		.max_group_size = { 1024, 1024, 1024 },
		.local_memory_bytes = 64 << 10,
		.numa_node = -1,
		.id = "cpu", /* stays the same from run to run: users select devices by it */
		.platform = "one thread a queue, compiled by cc",
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
	d->host = d->self->host;
	pthread_mutex_init(&d->lock, NULL);
	pthread_cond_init(&d->reached, NULL);
	*device = d;
	return EH_OK;
}

static void skeleton_device_close(eh_device *device)
{
	if (device == NULL) /* as for every destroy function */
		return;
	pthread_cond_destroy(&device->reached);
	pthread_mutex_destroy(&device->lock);
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
	if (buffer == NULL)
		return;
	free(buffer->data);
	free(buffer);
}

static void *skeleton_buffer_host_pointer(eh_buffer *buffer)
{
	return buffer->kind == EH_MEMORY_DEVICE ? NULL : buffer->data;
}

/* ---- commands on memory --------------------------------------------------------------------- */
/*
 * A slot looks at its arguments, enqueues a command and returns; run_... is called later, in the
 * queue's thread.  A mistake of the caller is found at once.  What goes wrong later is the next
 * wait's to tell: queue_wait, mark_wait or mark_passed.
 *
 * ---- yours: cuMemcpyHtoDAsync, clEnqueueWriteBuffer, zeCommandListAppendMemoryCopy.  Your API runs
 * the commands, and what it reports late is what your waits return.
 */
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

static eh_status run_fill(eh_queue *queue, const command *self, eh_error *error)
{
	(void)queue;
	(void)error;
	for (uint64_t at = 0; at < self->fill.bytes; at += 4)
		memcpy((unsigned char *)self->fill.to + at, &self->fill.pattern, 4);
	return EH_OK;
}

static eh_status skeleton_fill(eh_queue *queue, eh_buffer *buffer, uint64_t offset, uint64_t bytes,
                               uint32_t pattern, eh_error *error)
{
	const eh_status status = skeleton_inside(buffer, offset, bytes, "fill", error);

	if (status != EH_OK)
		return status;
	if (bytes % 4 != 0)
		return eh_fail(error, EH_E_INVALID_ARGUMENT, "fill",
		                     "the size of a fill is a multiple of 4");
	queue_add(queue, &(command){ .run = run_fill,
	                             .fill = { buffer->data + offset, bytes, pattern } });
	return EH_OK;
}

static eh_status run_move(eh_queue *queue, const command *self, eh_error *error)
{
	(void)queue;
	(void)error;
	memcpy(self->move.to, self->move.from, self->move.bytes);
	return EH_OK;
}

static eh_status skeleton_move(eh_queue *queue, void *to, const void *from, uint64_t bytes)
{
	queue_add(queue, &(command){ .run = run_move, .move = { to, from, bytes } });
	return EH_OK;
}

static eh_status skeleton_copy(eh_queue *queue, eh_buffer *to, uint64_t to_offset, eh_buffer *from,
                               uint64_t from_offset, uint64_t bytes, eh_error *error)
{
	eh_status status = skeleton_inside(to, to_offset, bytes, "copy", error);

	if (status == EH_OK)
		status = skeleton_inside(from, from_offset, bytes, "copy", error);
	return status != EH_OK ? status : skeleton_move(queue, to->data + to_offset,
	                                                from->data + from_offset, bytes);
}

/* The host's memory stays as it is until the queue was waited for, so nothing is copied here. */
static eh_status skeleton_upload(eh_queue *queue, eh_buffer *to, uint64_t offset, const void *from,
                                 uint64_t bytes, eh_error *error)
{
	const eh_status status = skeleton_inside(to, offset, bytes, "upload", error);

	return status != EH_OK ? status : skeleton_move(queue, to->data + offset, from, bytes);
}

static eh_status skeleton_download(eh_queue *queue, void *to, eh_buffer *from, uint64_t offset,
                                   uint64_t bytes, eh_error *error)
{
	const eh_status status = skeleton_inside(from, offset, bytes, "download", error);

	return status != EH_OK ? status : skeleton_move(queue, to, from->data + offset, bytes);
}

/* ---- programs and kernels ------------------------------------------------------------------- */

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

/* The dialect wants a pointer to each value; a buffer's value is its address. */
static eh_status run_launch(eh_queue *queue, const command *self, eh_error *error)
{
	const int32_t *groups = self->launch.groups;
	void *args[LAUNCH_ARGS];

	(void)queue;
	(void)error;
	for (uint32_t i = 0; i < self->launch.arg_count; i++)
		args[i] = (void *)(uintptr_t)&self->launch.values[i];
	self->launch.entry(args, groups, 0, (int64_t)groups[0] * groups[1] * groups[2]);
	return EH_OK;
}

/*
 * ---- yours: cuLaunchKernel, clSetKernelArg and clEnqueueNDRangeKernel,
 * zeCommandListAppendLaunchKernel.  launch->args may be gone when this returns: the command takes
 * the values along.
 */
static eh_status skeleton_launch(eh_queue *queue, eh_kernel *kernel, const eh_launch *launch,
                                 eh_error *error)
{
	command c = { .run = run_launch, .launch = { .entry = kernel->entry } };
	int64_t total = 1;

	if (launch->arg_count > LAUNCH_ARGS)
		return eh_fail(error, EH_E_INVALID_ARGUMENT, "launch",
		                     "a kernel has at most %d arguments", LAUNCH_ARGS);
	for (int d = 0; d < 3; d++) {
		if (launch->groups[d] < 1 || launch->groups[d] > INT32_MAX ||
		    launch->groups[d] > INT64_MAX / total)
			return eh_fail(error, EH_E_INVALID_ARGUMENT, "launch",
			                     "%u groups in dimension %d", launch->groups[d], d);
		c.launch.groups[d] = (int32_t)launch->groups[d];
		total *= launch->groups[d];
	}
	for (uint32_t i = 0; i < launch->arg_count; i++) {
		const eh_arg *arg = &launch->args[i];

		if (arg->buffer == NULL && arg->size > sizeof(c.launch.values[i]))
			return eh_fail(error, EH_E_INVALID_ARGUMENT, "launch",
			                     "argument %u has %u bytes", i, arg->size);
		if (arg->buffer != NULL)
			c.launch.values[i] = (uintptr_t)arg->buffer->data;
		else
			memcpy(&c.launch.values[i], arg->data, arg->size);
	}
	c.launch.arg_count = launch->arg_count;
	queue_add(queue, &c);
	return EH_OK;
}

/* ---- the table, the identity block, the one exported function ------------------------------- */

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
	.queue_create = queue_create,
	.queue_destroy = queue_destroy,
	.queue_wait = queue_wait,
	.fill = skeleton_fill,
	.copy = skeleton_copy,
	.upload = skeleton_upload,
	.download = skeleton_download,
	.program_build = skeleton_program_build,
	.program_destroy = skeleton_program_destroy,
	.program_info = skeleton_program_info,
	.kernel_get = skeleton_kernel_get,
	.launch = skeleton_launch,
	.mark_create = mark_create,
	.mark_destroy = mark_destroy,
	.mark_record = mark_record,
	.mark_wait = mark_wait,
	.mark_elapsed = mark_elapsed,
	.mark_passed = mark_passed,
	.queue_wait_mark = queue_wait_mark,
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
	.title = "A backend to start from: one thread a queue, the C compiler",
	.version = "1.0",
	.license = "Apache-2.0",
	.ops = &skeleton_ops,
};

EH_EXPORT const eh_backend *eh_backend_entry_v1(void)
{
	return &skeleton_backend;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * saboteur - another backend with one slot sabotaged, to see that the conformance suite names it.
 *
 * The file of the backend is in EVENHAND_SABOTAGED, the sabotage in SABOTAGE:
 *   clock-back     the time between marks is negative now and then
 *   clock-clamp    the clock of the marks steps back now and then, and negative times are made 0
 *   leak-SLOT      each call of device_open, buffer_alloc, queue_create, mark_create, launch,
 *                  kernel_get or program_build leaves 40 bytes behind
 *   leak-file      each queue leaves a file open         leak-thread   ... a thread running
 *   status         queue_wait returns 42 for once
 *   hang           fill does not return                  crash         fill ends in SIGSEGV
 *   rounding       start changes the rounding mode       flush         queue_create flushes subnormals
 *   locale         program_build changes the locale      stop-rounding stop changes the rounding mode
 *   exit           stop ends the process with status 0   daemon        start leaves a process behind
 *   scribble       queue_create writes to descriptors that it did not open
 *   close          queue_create closes them
 *   endless        device_count counts 10^9 devices
 *   latin1         the device's name is not UTF-8        escape        a layer's version has an ESC
 *   error-escape   so has the message of an error        info-escape   and program_info's compiler
 *   fast-math      kernels are compiled with -Ofast
 *   hasty          waits for short launches do not wait
 *   faint          start ends in SIGKILL from its FIRST-th to its LAST-th call, over processes: the
 *                  calls are counted by the bytes of the file SABOTAGE_STARTS, SABOTAGE_FAINTS is
 *                  FIRST-LAST
 *   threaded       none: launches run in another thread, and waits wait
 *   delayed        none: every third download takes 4 ms more, as on a busy machine
 */
#include "evenhand/backend.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__SSE__)
#include <xmmintrin.h>
#endif

static struct {
	const eh_backend_ops *ops; /* of the sabotaged backend                                */
	const eh_host *host;
	unsigned calls;            /* of the sabotaged slot                                   */
} saboteur;

static const char *saboteur_word(void)
{
	const char *word = getenv("SABOTAGE");

	return word != NULL ? word : "";
}

static int sabotage_is(const char *word)
{
	return strcmp(saboteur_word(), word) == 0;
}

/* ---- clocks ---------------------------------------------------------------------------------- */

static eh_status saboteur_mark_elapsed(eh_mark *from, eh_mark *to, uint64_t *ns, eh_error *error)
{
	eh_status status = saboteur.ops->mark_elapsed(from, to, ns, error);

	if (status != EH_OK || ++saboteur.calls % 211 != 0)
		return status;
	*ns = sabotage_is("clock-back") ? (uint64_t)-800 : 0;
	return EH_OK;
}

/* The mark passed, and its time is 50 us before its neighbours'. */
static eh_mark *early_mark;

static eh_status clamp_mark_record(eh_queue *queue, eh_mark *mark, eh_error *error)
{
	if (early_mark == mark)
		early_mark = NULL;
	if (++saboteur.calls % 211 == 0)
		early_mark = mark;
	return saboteur.ops->mark_record(queue, mark, error);
}

static eh_status clamp_mark_elapsed(eh_mark *from, eh_mark *to, uint64_t *ns, eh_error *error)
{
	const uint64_t step = 50000;
	eh_status status = saboteur.ops->mark_elapsed(from, to, ns, error);

	if (status == EH_OK && from == early_mark)
		*ns += step;
	else if (status == EH_OK && to == early_mark)
		*ns = *ns > step ? *ns - step : 0;
	return status;
}

/* ---- leaks ----------------------------------------------------------------------------------- */

static void leak(void)
{
	static void *volatile last;

	last = malloc(40);
	memset(last, 1, 40);
}

#define LEAKING(slot, params, args)                                                          \
	static eh_status leaking_##slot params                                               \
	{                                                                                    \
		leak();                                                                      \
		return saboteur.ops->slot args;                                              \
	}
LEAKING(device_open, (void *self, uint32_t index, eh_device **device, eh_error *error),
        (self, index, device, error))
LEAKING(buffer_alloc,
        (eh_device *device, uint32_t kind, uint64_t bytes, eh_buffer **buffer, eh_error *error),
        (device, kind, bytes, buffer, error))
LEAKING(queue_create, (eh_device *device, uint32_t flags, eh_queue **queue, eh_error *error),
        (device, flags, queue, error))
LEAKING(mark_create, (eh_device *device, uint32_t flags, eh_mark **mark, eh_error *error),
        (device, flags, mark, error))
LEAKING(launch, (eh_queue *queue, eh_kernel *kernel, const eh_launch *launch, eh_error *error),
        (queue, kernel, launch, error))
LEAKING(kernel_get, (eh_program *program, const char *name, eh_kernel **kernel, eh_error *error),
        (program, name, kernel, error))

/* Of a program the binary: 16 KiB. */
static eh_status leaking_program_build(eh_device *device, const eh_source *source,
                                       eh_program **program, char *log, size_t log_size,
                                       eh_error *error)
{
	for (int i = 0; i < 400; i++)
		leak();
	return saboteur.ops->program_build(device, source, program, log, log_size, error);
}

static void *sleeper_main(void *context)
{
	(void)context;
	for (;;)
		pause();
	return NULL;
}

static eh_status leaking_queue(eh_device *device, uint32_t flags, eh_queue **queue,
                               eh_error *error)
{
	pthread_t thread;

	if (sabotage_is("leak-file"))
		(void)open("/dev/null", O_RDONLY | O_CLOEXEC);
	else if (pthread_create(&thread, NULL, sleeper_main, NULL) == 0)
		pthread_detach(thread);
	return saboteur.ops->queue_create(device, flags, queue, error);
}

/* ---- what a call leaves behind --------------------------------------------------------------- */

static eh_status delayed_download(eh_queue *queue, void *to, eh_buffer *from, uint64_t offset,
                                  uint64_t bytes, eh_error *error)
{
	if (++saboteur.calls % 3 == 0)
		usleep(4000);
	return saboteur.ops->download(queue, to, from, offset, bytes, error);
}

static eh_status odd_queue_wait(eh_queue *queue, eh_error *error)
{
	return ++saboteur.calls == 20 ? 42 : saboteur.ops->queue_wait(queue, error);
}

static eh_status bad_fill(eh_queue *queue, eh_buffer *buffer, uint64_t offset, uint64_t bytes,
                          uint32_t pattern, eh_error *error)
{
	if (sabotage_is("hang"))
		for (;;)
			pause();
	signal(SIGSEGV, SIG_DFL);
	raise(SIGSEGV);
	return saboteur.ops->fill(queue, buffer, offset, bytes, pattern, error);
}

static void leave_daemon(void)
{
	pid_t child = fork();

	if (child == 0) {
		setsid();
		if (fork() == 0) {
			execlp("sleep", "sleep", "30", (char *)NULL);
			_exit(127);
		}
		_exit(0);
	}
	while (child > 0 && waitpid(child, NULL, 0) < 0)
		;
}

static eh_status faint_start(const eh_host *host, void **self, eh_error *error)
{
	const char *file = getenv("SABOTAGE_STARTS"), *when = getenv("SABOTAGE_FAINTS");
	FILE *starts = file != NULL ? fopen(file, "a") : NULL;
	unsigned first = 1, last = 0;

	if (starts != NULL && fputc('x', starts) == 'x' && fflush(starts) == 0 && when != NULL &&
	    sscanf(when, "%u-%u", &first, &last) == 2 && ftell(starts) >= first && ftell(starts) <= last)
		raise(SIGKILL);
	if (starts != NULL)
		fclose(starts);
	return saboteur.ops->start(host, self, error);
}

static eh_status odd_start(const eh_host *host, void **self, eh_error *error)
{
	eh_status status = saboteur.ops->start(host, self, error);

	if (sabotage_is("rounding"))
		fesetround(FE_UPWARD);
	else
		leave_daemon();
	return status;
}

static void odd_stop(void *self)
{
	if (sabotage_is("exit"))
		_exit(0);
	saboteur.ops->stop(self);
	fesetround(FE_DOWNWARD);
}

static eh_status odd_program_build(eh_device *device, const eh_source *source,
                                   eh_program **program, char *log, size_t log_size,
                                   eh_error *error)
{
	eh_status status = saboteur.ops->program_build(device, source, program, log, log_size, error);

	setlocale(LC_ALL, "C.UTF-8");
	return status;
}

static eh_status odd_queue_create(eh_device *device, uint32_t flags, eh_queue **queue,
                                  eh_error *error)
{
	eh_status status = saboteur.ops->queue_create(device, flags, queue, error);

#if defined(__SSE__)
	if (sabotage_is("flush"))
		_mm_setcsr(_mm_getcsr() | 0x8000);
#endif
	for (int fd = 3; fd < 64; fd++) {
		if (sabotage_is("scribble"))
			(void)!write(fd, "all well\n", fd % 2 ? 9 : 8);
		else if (sabotage_is("close"))
			(void)close(fd);
	}
	return status;
}

/* ---- answers --------------------------------------------------------------------------------- */

static eh_status odd_device_count(void *self, uint32_t *count, eh_error *error)
{
	eh_status status = saboteur.ops->device_count(self, count, error);

	*count = 1000000000;
	return status;
}

static eh_status odd_device_info(void *self, uint32_t index, eh_device_info *info, eh_error *error)
{
	eh_status status = saboteur.ops->device_info(self, index, info, error);

	if (sabotage_is("latin1") && EH_ROOM(info->struct_size, eh_device_info, name))
		snprintf(info->name, sizeof(info->name), "Beschleuniger \xfcnd mehr");
	if (sabotage_is("error-escape") && status != EH_OK && error != NULL &&
	    EH_ROOM(error->struct_size, eh_error, message))
		snprintf(error->message, sizeof(error->message), "\033[31mthere is no such device");
	return status;
}

/* Its worker can measure everything, and not describe its stack. */
static eh_status mute_device_layer(eh_device *device, uint32_t index, eh_layer *layer, eh_error *error)
{
	(void)device;
	(void)index;
	(void)layer;
	(void)error;
	raise(SIGKILL);
	return EH_E_UNSUPPORTED;
}

static eh_status odd_device_layer(eh_device *device, uint32_t index, eh_layer *layer,
                                  eh_error *error)
{
	eh_status status = saboteur.ops->device_layer(device, index, layer, error);

	if (status == EH_OK && EH_ROOM(layer->struct_size, eh_layer, version))
		snprintf(layer->version, sizeof(layer->version), "\033[31m1.0");
	return status;
}

static eh_status odd_program_info(eh_program *program, eh_program_info *info, eh_error *error)
{
	eh_status status = saboteur.ops->program_info(program, info, error);

	snprintf(info->compiler, sizeof(info->compiler), "\033[31mcc");
	return status;
}

static eh_status fast_program_build(eh_device *device, const eh_source *source,
                                    eh_program **program, char *log, size_t log_size,
                                    eh_error *error)
{
	eh_source fast = *source;
	char *prelude = NULL, *text = NULL, hex[65];
	eh_status status;

	if (asprintf(&prelude, "#pragma GCC optimize(\"Ofast\")\n%s", source->prelude) < 0 ||
	    asprintf(&text, "%s%s", prelude, source->digest) < 0)
		return EH_E_NO_MEMORY;
	saboteur.host->sha256(saboteur.host->ctx, text, strlen(text), hex);
	fast.prelude = prelude;
	fast.digest = hex;
	status = saboteur.ops->program_build(device, &fast, program, log, log_size, error);
	free(text);
	free(prelude);
	return status;
}

static eh_status keep_host(const eh_host *host, void **self, eh_error *error)
{
	saboteur.host = host;
	return saboteur.ops->start(host, self, error);
}

/* ---- launches in a thread of their own: one at a time ---------------------------------------- */

static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	pthread_t thread;
	int pending, ending;
	eh_queue *queue;
	eh_kernel *kernel;
	eh_launch launch;
	eh_arg args[20];
	uint64_t data[20];
} runner = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

static void *runner_main(void *context)
{
	(void)context;
	pthread_mutex_lock(&runner.lock);
	while (!runner.ending) {
		if (!runner.pending) {
			pthread_cond_wait(&runner.changed, &runner.lock);
			continue;
		}
		pthread_mutex_unlock(&runner.lock);
		if (sabotage_is("hasty"))
			usleep(300); /* or a busy machine runs the work before the wait is called */
		saboteur.ops->launch(runner.queue, runner.kernel, &runner.launch, NULL);
		saboteur.ops->queue_wait(runner.queue, NULL);
		pthread_mutex_lock(&runner.lock);
		runner.pending = 0;
		pthread_cond_broadcast(&runner.changed);
	}
	pthread_mutex_unlock(&runner.lock);
	return NULL;
}

static void runner_drain(void)
{
	pthread_mutex_lock(&runner.lock);
	while (runner.pending)
		pthread_cond_wait(&runner.changed, &runner.lock);
	pthread_mutex_unlock(&runner.lock);
}

static eh_status runner_start(const eh_host *host, void **self, eh_error *error)
{
	eh_status status = saboteur.ops->start(host, self, error);

	if (status == EH_OK)
		pthread_create(&runner.thread, NULL, runner_main, NULL);
	return status;
}

static void runner_stop(void *self)
{
	runner_drain();
	pthread_mutex_lock(&runner.lock);
	runner.ending = 1;
	pthread_cond_broadcast(&runner.changed);
	pthread_mutex_unlock(&runner.lock);
	pthread_join(runner.thread, NULL);
	saboteur.ops->stop(self);
}

static eh_status runner_launch(eh_queue *queue, eh_kernel *kernel, const eh_launch *launch,
                               eh_error *error)
{
	(void)error;
	runner_drain();
	pthread_mutex_lock(&runner.lock);
	runner.queue = queue;
	runner.kernel = kernel;
	runner.launch = *launch;
	runner.launch.args = runner.args;
	for (uint32_t i = 0; i < launch->arg_count; i++) {
		runner.args[i] = launch->args[i];
		if (launch->args[i].buffer != NULL)
			continue;
		memcpy(&runner.data[i], launch->args[i].data, launch->args[i].size);
		runner.args[i].data = &runner.data[i];
	}
	runner.pending = 1;
	pthread_cond_broadcast(&runner.changed);
	pthread_mutex_unlock(&runner.lock);
	return EH_OK;
}

/* Whether the kernel is asked for few rounds of what it does: cf_spin's second argument. */
static int runner_is_short(void)
{
	uint32_t rounds;

	if (runner.launch.arg_count != 2 || runner.args[1].buffer != NULL || runner.args[1].size != 4)
		return 0;
	memcpy(&rounds, &runner.data[1], sizeof(rounds));
	return rounds < 2048;
}

static eh_status runner_queue_wait(eh_queue *queue, eh_error *error)
{
	int skip;

	pthread_mutex_lock(&runner.lock);
	skip = sabotage_is("hasty") && runner.pending && runner_is_short();
	pthread_mutex_unlock(&runner.lock);
	if (skip)
		return EH_OK;
	runner_drain();
	return saboteur.ops->queue_wait(queue, error);
}

#define DRAINING(type, slot, params, args)                                                   \
	static type runner_##slot params                                                     \
	{                                                                                    \
		runner_drain();                                                              \
		return saboteur.ops->slot args;                                              \
	}
DRAINING(eh_status, mark_record, (eh_queue *queue, eh_mark *mark, eh_error *error),
         (queue, mark, error))
DRAINING(eh_status, upload, (eh_queue *queue, eh_buffer *to, uint64_t offset, const void *from,
                             uint64_t bytes, eh_error *error),
         (queue, to, offset, from, bytes, error))
DRAINING(eh_status, download, (eh_queue *queue, void *to, eh_buffer *from, uint64_t offset,
                               uint64_t bytes, eh_error *error),
         (queue, to, from, offset, bytes, error))
DRAINING(eh_status, fill, (eh_queue *queue, eh_buffer *buffer, uint64_t offset, uint64_t bytes,
                           uint32_t pattern, eh_error *error),
         (queue, buffer, offset, bytes, pattern, error))
DRAINING(eh_status, copy, (eh_queue *queue, eh_buffer *to, uint64_t to_offset, eh_buffer *from,
                           uint64_t from_offset, uint64_t bytes, eh_error *error),
         (queue, to, to_offset, from, from_offset, bytes, error))
DRAINING(void, queue_destroy, (eh_queue *queue), (queue))
DRAINING(void, buffer_free, (eh_buffer *buffer), (buffer))
DRAINING(void, program_destroy, (eh_program *program), (program))

static eh_status runner_device_info(void *self, uint32_t index, eh_device_info *info,
                                    eh_error *error)
{
	eh_status status = saboteur.ops->device_info(self, index, info, error);

	if (EH_ROOM(info->struct_size, eh_device_info, caps))
		info->caps &= ~(EH_CAP_PINNED | EH_CAP_SHARED);
	return status;
}

static eh_status runner_buffer_alloc(eh_device *device, uint32_t kind, uint64_t bytes,
                                     eh_buffer **buffer, eh_error *error)
{
	if (kind != EH_MEMORY_DEVICE) {
		if (error != NULL) {
			error->code = EH_E_UNSUPPORTED;
			snprintf(error->message, sizeof(error->message), "there is device memory alone");
		}
		return EH_E_UNSUPPORTED;
	}
	return saboteur.ops->buffer_alloc(device, kind, bytes, buffer, error);
}

static const void *no_extension(void *self, const char *name)
{
	(void)self;
	(void)name;
	return NULL;
}

static void use_runner(eh_backend_ops *ops)
{
	ops->start = runner_start;
	ops->stop = runner_stop;
	ops->launch = runner_launch;
	ops->queue_wait = runner_queue_wait;
	ops->mark_record = runner_mark_record;
	ops->upload = runner_upload;
	ops->download = runner_download;
	ops->fill = runner_fill;
	ops->copy = runner_copy;
	ops->queue_destroy = runner_queue_destroy;
	ops->buffer_free = runner_buffer_free;
	ops->program_destroy = runner_program_destroy;
	ops->device_info = runner_device_info;
	ops->buffer_alloc = runner_buffer_alloc;
	ops->extension = no_extension;
}

/* ---- the table ------------------------------------------------------------------------------- */

static void sabotage(eh_backend_ops *ops)
{
#define PUT(word, slot, function)                                                            \
	if (sabotage_is(word))                                                               \
		ops->slot = (function);
	PUT("clock-back", mark_elapsed, saboteur_mark_elapsed)
	PUT("clock-clamp", mark_elapsed, clamp_mark_elapsed)
	PUT("clock-clamp", mark_record, clamp_mark_record)
	PUT("leak-device_open", device_open, leaking_device_open)
	PUT("leak-buffer_alloc", buffer_alloc, leaking_buffer_alloc)
	PUT("leak-queue_create", queue_create, leaking_queue_create)
	PUT("leak-mark_create", mark_create, leaking_mark_create)
	PUT("leak-launch", launch, leaking_launch)
	PUT("leak-kernel_get", kernel_get, leaking_kernel_get)
	PUT("leak-program_build", program_build, leaking_program_build)
	PUT("leak-file", queue_create, leaking_queue)
	PUT("leak-thread", queue_create, leaking_queue)
	PUT("status", queue_wait, odd_queue_wait)
	PUT("hang", fill, bad_fill)
	PUT("crash", fill, bad_fill)
	PUT("faint", start, faint_start)
	PUT("rounding", start, odd_start)
	PUT("daemon", start, odd_start)
	PUT("exit", stop, odd_stop)
	PUT("stop-rounding", stop, odd_stop)
	PUT("locale", program_build, odd_program_build)
	PUT("flush", queue_create, odd_queue_create)
	PUT("scribble", queue_create, odd_queue_create)
	PUT("close", queue_create, odd_queue_create)
	PUT("endless", device_count, odd_device_count)
	PUT("latin1", device_info, odd_device_info)
	PUT("error-escape", device_info, odd_device_info)
	PUT("escape", device_layer, odd_device_layer)
	PUT("mute", device_layer, mute_device_layer)
	PUT("delayed", download, delayed_download)
	PUT("info-escape", program_info, odd_program_info)
	PUT("fast-math", program_build, fast_program_build)
	PUT("fast-math", start, keep_host)
#undef PUT
	if (sabotage_is("hasty") || sabotage_is("threaded"))
		use_runner(ops);
}

EH_EXPORT const eh_backend *eh_backend_entry_v1(void)
{
	static eh_backend_ops ops;
	static eh_backend backend;
	const char *file = getenv("EVENHAND_SABOTAGED");
	void *handle, *symbol;
	eh_backend_entry entry;

	if (saboteur.ops != NULL)
		return &backend;
	handle = file != NULL ? dlopen(file, RTLD_NOW | RTLD_LOCAL) : NULL;
	symbol = handle != NULL ? dlsym(handle, EH_BACKEND_ENTRY_NAME) : NULL;
	if (symbol == NULL)
		return NULL;
	memcpy(&entry, &symbol, sizeof(entry));
	backend = *entry();
	backend.name = "saboteur";
	saboteur.ops = backend.ops;
	ops = *saboteur.ops;
	sabotage(&ops);
	backend.ops = &ops;
	return &backend;
}

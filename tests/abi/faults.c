/* SPDX-License-Identifier: Apache-2.0 */
/* The skeleton with one fault of its author, named by FAULT:
 *   lazy    launches start when somebody waits; there is no queue_flush
 *   slow    the same, and the first wait of 40 ms and more takes 200 ms longer
 *   marks   as lazy, and a mark's time is that of the call of mark_record
 *   late    downloads are done in the background, and nothing waits for them
 *   silent  a failed buffer_alloc does not explain itself
 *   leak    each launch leaves 300 bytes behind
 *   broken  each launch fails in the thread of its queue
 *   stack   the threads of the queues have a small stack
 *   stuck   start does not return                                                             */
#include "evenhand/backend.h"

#include <pthread.h>

#undef EH_EXPORT
#define EH_EXPORT __attribute__((unused)) static
#define eh_backend_entry_v1 honest_entry
/* Of queue.c. */
#define pthread_attr_setstacksize(attributes, size) faults_stack(attributes, size)
static int faults_stack(pthread_attr_t *attributes, size_t size);
#include "compile.c"
#include "queue.c"
#undef pthread_attr_setstacksize
#include "skeleton.c"
#undef eh_backend_entry_v1
#undef EH_EXPORT
#define EH_EXPORT __attribute__((visibility("default")))

static eh_backend_ops faults_ops;
static eh_backend faults_backend;

/* ---- lazy, slow, marks: one launch is kept back until the next command that is not a mark --- */

static struct {
	eh_queue *queue;
	eh_kernel *kernel;
	eh_launch launch;
	eh_arg args[20];
	uint64_t data[20];
} kept;

static void faults_run(void)
{
	if (kept.queue != NULL)
		skeleton_launch(kept.queue, kept.kernel, &kept.launch, NULL);
	kept.queue = NULL;
}

static eh_status lazy_launch(eh_queue *queue, eh_kernel *kernel, const eh_launch *launch,
                             eh_error *error)
{
	(void)error;
	faults_run();
	kept.queue = queue;
	kept.kernel = kernel;
	kept.launch = *launch;
	kept.launch.args = kept.args;
	for (uint32_t i = 0; i < launch->arg_count; i++) {
		kept.args[i] = launch->args[i];
		if (kept.args[i].buffer == NULL) {
			memcpy(&kept.data[i], launch->args[i].data, launch->args[i].size);
			kept.args[i].data = &kept.data[i];
		}
	}
	return EH_OK;
}

static eh_status lazy_wait(eh_queue *queue, eh_error *error)
{
	faults_run();
	return queue_wait(queue, error);
}

static uint64_t host_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static eh_status slow_wait(eh_queue *queue, eh_error *error)
{
	static bool was_slow;
	const uint64_t begin = host_now();
	const eh_status status = lazy_wait(queue, error);

	if (!was_slow && host_now() - begin >= 40000000) {
		was_slow = true;
		usleep(200000);
	}
	return status;
}

static eh_status lazy_mark_wait(eh_mark *mark, eh_error *error)
{
	faults_run();
	return mark_wait(mark, error);
}

static eh_status lazy_record(eh_queue *queue, eh_mark *mark, eh_error *error)
{
	faults_run();
	return mark_record(queue, mark, error);
}

static eh_status lazy_upload(eh_queue *queue, eh_buffer *to, uint64_t offset, const void *from,
                             uint64_t bytes, eh_error *error)
{
	faults_run();
	return skeleton_upload(queue, to, offset, from, bytes, error);
}

static eh_status lazy_download(eh_queue *queue, void *to, eh_buffer *from, uint64_t offset,
                               uint64_t bytes, eh_error *error)
{
	faults_run();
	return skeleton_download(queue, to, from, offset, bytes, error);
}

/* ---- late ----------------------------------------------------------------------------------- */

typedef struct late {
	void *to, *data;
	uint64_t bytes;
} late;

static void *late_run(void *context)
{
	late *l = context;

	usleep(50000);
	memcpy(l->to, l->data, l->bytes);
	free(l->data);
	free(l);
	return NULL;
}

static eh_status late_download(eh_queue *queue, void *to, eh_buffer *from, uint64_t offset,
                               uint64_t bytes, eh_error *error)
{
	late *l = malloc(sizeof(*l));
	pthread_t thread;
	eh_status status;

	*l = (late){ to, malloc(bytes), bytes };
	status = skeleton_download(queue, l->data, from, offset, bytes, error);
	if (status == EH_OK)
		status = queue_wait(queue, error);
	if (status == EH_OK && pthread_create(&thread, NULL, late_run, l) == 0)
		pthread_detach(thread);
	return status;
}

/* ---- the others ----------------------------------------------------------------------------- */

static eh_status silent_alloc(eh_device *device, uint32_t kind, uint64_t bytes, eh_buffer **buffer,
                              eh_error *error)
{
	(void)error;
	return skeleton_buffer_alloc(device, kind, bytes, buffer, NULL);
}

static eh_status leak_launch(eh_queue *queue, eh_kernel *kernel, const eh_launch *launch,
                             eh_error *error)
{
	static void *volatile last;

	last = malloc(300);
	memset(last, 1, 300);
	return skeleton_launch(queue, kernel, launch, error);
}

static eh_status run_broken(eh_queue *queue, const command *self, eh_error *error)
{
	(void)queue;
	(void)self;
	return eh_fail(error, EH_E_DEVICE, "launch", "the device failed later");
}

static eh_status broken_launch(eh_queue *queue, eh_kernel *kernel, const eh_launch *launch,
                               eh_error *error)
{
	(void)kernel;
	(void)launch;
	(void)error;
	queue_add(queue, &(command){ .run = run_broken });
	return EH_OK;
}

static int faults_stack(pthread_attr_t *attributes, size_t size)
{
	const char *fault = getenv("FAULT");

	return pthread_attr_setstacksize(attributes, fault != NULL && strcmp(fault, "stack") == 0 ?
	                                             256 << 10 : size);
}

static eh_status stuck_start(const eh_host *host, void **self, eh_error *error)
{
	(void)host;
	(void)self;
	(void)error;
	for (;;)
		pause();
}

EH_EXPORT const eh_backend *eh_backend_entry_v1(void)
{
	const char *fault = getenv("FAULT");

	faults_ops = skeleton_ops;
	faults_backend = skeleton_backend;
	faults_backend.ops = &faults_ops;
	if (fault == NULL)
		return &faults_backend;
	if (strcmp(fault, "lazy") == 0 || strcmp(fault, "slow") == 0 || strcmp(fault, "marks") == 0) {
		faults_ops.launch = lazy_launch;
		faults_ops.queue_wait = strcmp(fault, "slow") == 0 ? slow_wait : lazy_wait;
		faults_ops.mark_wait = lazy_mark_wait;
		faults_ops.upload = lazy_upload;
		faults_ops.download = lazy_download;
		if (strcmp(fault, "marks") != 0)
			faults_ops.mark_record = lazy_record;
	} else if (strcmp(fault, "late") == 0)
		faults_ops.download = late_download;
	else if (strcmp(fault, "silent") == 0)
		faults_ops.buffer_alloc = silent_alloc;
	else if (strcmp(fault, "leak") == 0)
		faults_ops.launch = leak_launch;
	else if (strcmp(fault, "broken") == 0)
		faults_ops.launch = broken_launch;
	else if (strcmp(fault, "stuck") == 0)
		faults_ops.start = stuck_start;
	return &faults_backend;
}

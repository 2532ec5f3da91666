/* SPDX-License-Identifier: Apache-2.0 */
/* The descriptor, and starting and stopping. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attentionplans.h"
#include "buffer.h"
#include "compilers.h"
#include "device.h"
#include "faults.h"
#include "gemmplans.h"
#include "recording.h"
#include "program.h"
#include "queue.h"
#include "state.h"

enum { COMPILE_SECONDS = 20 };

/* A whole number from `low` to `high` in the option `key`; *out stays when it is not set. */
static eh_status read_number(const eh_host *host, const char *key, uint64_t low, uint64_t high,
                             uint64_t *out, eh_error *error)
{
	const char *text = host->option(host->ctx, key);
	unsigned long long value;
	char *end;

	if (text == NULL)
		return EH_OK;
	value = strtoull(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end != '\0' || value < low || value > high)
		return faults_set(error, EH_E_INVALID_ARGUMENT, "host.%s=%.40s is not a whole number "
		                  "from %llu to %llu", key, text, (unsigned long long)low,
		                  (unsigned long long)high);
	*out = value;
	return EH_OK;
}

static void host_stop(void *self)
{
	host_state *s = self;

	if (s == NULL)
		return;
	gemm_forget(s);
	free(s->compilers);
	free(s->library_dir);
	cpu_free(&s->cpu);
	free(s);
}

static eh_status host_start(const eh_host *host, void **self, eh_error *error)
{
	host_state *s = calloc(1, sizeof(*s));
	uint64_t threads, seconds = COMPILE_SECONDS;
	const char *folder;
	eh_status status;

	if (s == NULL)
		return faults_set(error, EH_E_NO_MEMORY, "Memory is exhausted");
	s->host = host;
	if (!cpu_read(&s->cpu, host->sha256, host->ctx)) {
		free(s);
		return faults_set(error, EH_E_UNAVAILABLE, "The CPUs this process may run on cannot "
		                  "be read");
	}
	threads = s->cpu.usable;
	status = read_number(host, "threads", 1, s->cpu.may.count, &threads, error);
	if (status == EH_OK)
		status = read_number(host, "compile-timeout", 1, 86400, &seconds, error);
	if (status == EH_OK)
		status = gemm_settings(host, error);
	if (status != EH_OK)
		goto undo;
	s->threads = (unsigned)threads;
	s->compile_ms = seconds * 1000;
	s->cache_dir = host->option(host->ctx, "cache-dir");
	folder = host->option(host->ctx, "library-dir");
	if (folder != NULL)
		s->library_dir = strdup(folder);
	if ((folder != NULL && s->library_dir == NULL) || !compilers_find(s)) {
		status = faults_set(error, EH_E_NO_MEMORY, "Memory is exhausted");
		goto undo;
	}
	s->prebuilt = true;
	for (size_t i = 0; i < s->compiler_count; i++)
		if (s->compilers[i].usable)
			s->prebuilt = false;
	if (s->prebuilt)
		state_note(s, "No working C compiler was found on PATH; install gcc or clang for "
		           "kernels that are compiled for this CPU.");
	*self = s;
	return EH_OK;
undo:
	host_stop(s);
	return status;
}

static void host_notes(void *self, char *text, size_t size)
{
	const host_state *s = self;

	faults_text(text, size, "%s", s->notes);
}

static const void *host_extension(void *self, const char *name)
{
	(void)self;
	if (strcmp(name, EH_GRAPH_NAME) == 0)
		return &recording_table;
	if (strcmp(name, EH_GEMM_NAME) == 0)
		return &gemm_table;
	return strcmp(name, EH_ATTENTION_NAME) == 0 ? &attention_table : NULL;
}

static const eh_backend_ops ops = {
	.struct_size = sizeof(ops),
	.start = host_start,
	.stop = host_stop,
	.notes = host_notes,
	.device_count = device_count,
	.device_info = device_info,
	.device_open = device_open,
	.device_close = device_close,
	.device_layer = device_layer,
	.buffer_alloc = buffer_alloc,
	.buffer_free = buffer_free,
	.buffer_host_pointer = buffer_host_pointer,
	.queue_create = queue_create,
	.queue_destroy = queue_destroy,
	.queue_flush = queue_flush,
	.queue_wait = queue_wait,
	.queue_wait_mark = queue_wait_mark,
	.fill = queue_fill,
	.copy = queue_copy,
	.upload = queue_upload,
	.download = queue_download,
	.program_build = program_build,
	.program_destroy = program_destroy,
	.program_info = program_info,
	.kernel_get = program_kernel,
	.kernel_info = program_kernel_info,
	.launch = queue_launch,
	.mark_create = queue_mark_create,
	.mark_destroy = queue_mark_destroy,
	.mark_record = queue_mark_record,
	.mark_wait = queue_mark_wait,
	.mark_elapsed = queue_mark_elapsed,
	.mark_passed = queue_mark_passed,
	.extension = host_extension,
};

static const eh_backend backend = {
	.magic = EH_BACKEND_MAGIC,
	.struct_size = sizeof(backend),
	.abi_major = EH_ABI_MAJOR,
	.abi_minor = EH_ABI_MINOR,
	.pointer_bytes = sizeof(void *),
	.name = "host",
	.title = "The CPU, with every C compiler found",
	.version = "1.0",
	.license = "Apache-2.0",
	.ops = &ops,
};

const eh_backend *eh_backend_entry_v1(void)
{
	return &backend;
}

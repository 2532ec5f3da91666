/* SPDX-License-Identifier: Apache-2.0 */
#include "device.h"

#include <dlfcn.h>
#include <errno.h>
#include <gnu/libc-version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "compile.h"
#include "faults.h"
#include "gemmplans.h"

eh_status device_count(void *self, uint32_t *count, eh_error *error)
{
	const host_state *s = self;

	(void)error;
	*count = (uint32_t)s->compiler_count + (s->prebuilt ? 1 : 0);
	return EH_OK;
}

static eh_status check_index(const host_state *s, uint32_t index, eh_error *error)
{
	if (index < s->compiler_count + (s->prebuilt ? 1 : 0))
		return EH_OK;
	return faults_set(error, EH_E_INVALID_ARGUMENT, "The host backend has no device %u", index);
}

/* NULL for the prebuilt device. */
static const compiler *compiler_of(const host_state *s, uint32_t index)
{
	return index < s->compiler_count ? &s->compilers[index] : NULL;
}

static eh_status check_usable(const compiler *c, eh_error *error)
{
	if (c == NULL || c->usable)
		return EH_OK;
	return faults_set(error, EH_E_UNAVAILABLE, "%.100s does not build a working kernel; a C "
	                  "library with headers and a linker are needed (gcc and libc6-dev): "
	                  "%.180s", c->path, c->reason);
}

eh_status device_info(void *self, uint32_t index, eh_device_info *info, eh_error *error)
{
	const host_state *s = self;
	const compiler *c;
	struct timespec step;
	eh_device_info full = {
		.type = EH_DEVICE_CPU,
		.caps = EH_CAP_PINNED | EH_CAP_SHARED | EH_CAP_FP64 | EH_CAP_BF16_STORE |
		        EH_CAP_ATOMIC64,
		.max_group_items = DEVICE_GROUP_ITEMS,
		.max_group_size = { DEVICE_GROUP_ITEMS, DEVICE_GROUP_ITEMS, DEVICE_GROUP_ITEMS },
		.local_memory_bytes = DEVICE_LOCAL_BYTES,
	};
	eh_status status = check_index(s, index, error);

	if (status != EH_OK)
		return status;
	c = compiler_of(s, index);
	/* The prebuilt kernels run on any CPU of this architecture.  A CPU that converts halves by
	 * a call into a library is still right. */
	if (c != NULL ? c->half : true)
		full.caps |= EH_CAP_FP16_STORE;
	full.memory_bytes = s->cpu.memory_bytes;
	full.max_alloc_bytes = s->cpu.memory_bytes;
	full.last_level_cache_bytes = s->cpu.last_level_cache_bytes;
	if (clock_getres(CLOCK_MONOTONIC_RAW, &step) == 0)
		full.timer_resolution_ns = (uint64_t)step.tv_sec * 1000000000u +
		                           (uint64_t)step.tv_nsec;
	full.compute_units = s->threads;
	full.clock_mhz = s->cpu.clock_mhz;
	full.numa_node = s->cpu.numa_node;
	faults_text(full.id, sizeof(full.id), "%s", c != NULL ? c->id : "prebuilt");
	faults_text(full.name, sizeof(full.name), "%s", s->cpu.model);
	faults_text(full.vendor, sizeof(full.vendor), "%s", s->cpu.vendor);
	/* Which compiler prebuilt the kernels is a layer and no name: --on host:gcc means a compiler here. */
	if (c != NULL)
		faults_text(full.platform, sizeof(full.platform), "%s %s on %s", c->kind,
		            c->version, s->cpu.machine);
	else
		faults_text(full.platform, sizeof(full.platform), "prebuilt kernels on %s",
		            s->cpu.machine);
	eh_give(info, &full, sizeof(full));
	return check_usable(c, error);
}

eh_status device_open(void *self, uint32_t index, eh_device **device, eh_error *error)
{
	host_state *s = self;
	eh_status status = check_index(s, index, error);
	eh_device *d;
	int problem;

	if (status == EH_OK)
		status = check_usable(compiler_of(s, index), error);
	if (status != EH_OK)
		return status;
	d = calloc(1, sizeof(*d));
	if (d == NULL)
		return faults_set(error, EH_E_NO_MEMORY, "Memory is exhausted");
	d->state = s;
	d->compiler = compiler_of(s, index);
	if (d->compiler == NULL)
		prebuilt_origin(s, &d->prebuilt);
	problem = pool_open(&d->pool, &s->cpu, s->threads);
	if (problem != 0) {
		free(d);
		return faults_system(error, EH_E_UNAVAILABLE, "pthread_create", problem,
		                     "%u threads could not be started; --set host.threads=N asks "
		                     "for fewer", s->threads);
	}
	*device = d;
	return EH_OK;
}

void device_close(eh_device *device)
{
	if (device == NULL)
		return;
	pool_close(device->pool);
	free(device);
}

/* ---- layers ------------------------------------------------------------------------------ */

static void compiler_layer(const eh_device *d, eh_layer *layer)
{
	const compiler *c = d->compiler;
	char flags[400];

	layer->kind = EH_LAYER_COMPILER;
	layer->source = EH_SOURCE_QUERIED;
	if (c != NULL) {
		compile_flags_text(c, flags, sizeof(flags));
		faults_text(layer->name, sizeof(layer->name), "%s", c->kind);
		faults_text(layer->version, sizeof(layer->version), "%s", c->version);
		faults_text(layer->path, sizeof(layer->path), "%.255s", c->real);
		faults_text(layer->detail, sizeof(layer->detail), "build=%.80s; target_cpu=%.40s; "
		            "flags=%s", c->text, c->native ? c->target_cpu : "baseline", flags);
		return;
	}
	if (d->prebuilt.version[0] == '\0') {
		layer->source = EH_SOURCE_UNAVAILABLE;
		faults_text(layer->name, sizeof(layer->name), "compiler at installation");
		return;
	}
	layer->source = EH_SOURCE_DECLARED;
	faults_text(layer->name, sizeof(layer->name), "%s", d->prebuilt.compiler);
	faults_text(layer->version, sizeof(layer->version), "%s", d->prebuilt.version);
	faults_text(layer->detail, sizeof(layer->detail), "when=installation; flags=%.400s",
	            d->prebuilt.flags);
}

static void thread_layer(const eh_device *d, eh_layer *layer)
{
	const host_state *s = d->state;
	char cpus[200], quota[32] = "none";

	cpu_list_text(&s->cpu, s->threads, cpus, sizeof(cpus));
	if (s->cpu.quota_millis > 0)
		faults_text(quota, sizeof(quota), "%llu.%03llu CPUs",
		            (unsigned long long)s->cpu.quota_millis / 1000,
		            (unsigned long long)s->cpu.quota_millis % 1000);
	layer->kind = EH_LAYER_RUNTIME;
	layer->source = EH_SOURCE_QUERIED;
	faults_text(layer->name, sizeof(layer->name), "evenhand host threads");
	faults_text(layer->detail, sizeof(layer->detail), "threads=%u; pinned=%s; cpus=%s; "
	            "allowed_cpus=%u; quota=%s; partition=static; first_touch=same partition; "
	            "caller_works=%s; huge_pages=advised", s->threads,
	            pool_pinned(d->pool) ? "yes" : "no", cpus, s->cpu.may.count, quota,
	            pool_caller_works(d->pool) ? "yes" : "no");
}

static void library_layer(eh_layer *layer)
{
	union { const char *(*function)(void); void *data; } symbol = { gnu_get_libc_version };
	Dl_info where;

	layer->kind = EH_LAYER_LIBRARY;
	layer->source = EH_SOURCE_QUERIED;
	faults_text(layer->name, sizeof(layer->name), "glibc");
	faults_text(layer->version, sizeof(layer->version), "%s", gnu_get_libc_version());
	if (dladdr(symbol.data, &where) != 0 && where.dli_fname != NULL)
		faults_text(layer->path, sizeof(layer->path), "%.255s", where.dli_fname);
}

static void hardware_layer(const eh_device *d, eh_layer *layer)
{
	const cpu *c = &d->state->cpu;

	layer->kind = EH_LAYER_HARDWARE;
	layer->source = EH_SOURCE_QUERIED;
	faults_text(layer->name, sizeof(layer->name), "%.95s", c->model);
	faults_text(layer->detail, sizeof(layer->detail), "vendor=%s; architecture=%s%s%s; "
	            "features_sha256=%s", c->vendor, c->machine, c->detail[0] != '\0' ? "; " : "",
	            c->detail, c->features);
}

eh_status device_layer(eh_device *device, uint32_t index, eh_layer *layer, eh_error *error)
{
	eh_layer full = { 0 };

	switch (index) {
	case 0:
		hardware_layer(device, &full);
		break;
	case 1:
		thread_layer(device, &full);
		break;
	case 2:
		compiler_layer(device, &full);
		break;
	case 3:
		library_layer(&full);
		break;
	default:
		if (!gemm_device_layer(device->state, device->state->threads, index - 4, &full))
			return faults_set(error, EH_E_INVALID_ARGUMENT, "There is no layer %u", index);
	}
	eh_give(layer, &full, sizeof(full));
	return EH_OK;
}

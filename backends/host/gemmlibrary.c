/* SPDX-License-Identifier: Apache-2.0 */
#include "gemmlibrary.h"

#include <stdlib.h>
#include <string.h>

#include "faults.h"

/* OpenBLAS is what most programs use; oneDNN has the types that it lacks. */
static const gemm_vendor *const vendors[GEMMLIBRARY_COUNT] = { &gemm_openblas, &gemm_onednn, &gemm_blis };

gemm_library *gemmlibrary_all(host_state *state)
{
	if (state->gemm != NULL)
		return state->gemm;
	state->gemm = calloc(GEMMLIBRARY_COUNT, sizeof(*state->gemm));
	for (unsigned i = 0; state->gemm != NULL && i < GEMMLIBRARY_COUNT; i++)
		state->gemm[i].vendor = vendors[i];
	return state->gemm;
}

void gemm_forget(host_state *state)
{
	for (unsigned i = 0; state->gemm != NULL && i < GEMMLIBRARY_COUNT; i++)
		free(state->gemm[i].api);
	free(state->gemm);
	state->gemm = NULL;
}

void gemm_label(const gemm_library *library, char *out, size_t size)
{
	faults_text(out, size, "%s%s%s", library->vendor->title, library->version[0] != '\0' ? " " : "",
	            library->version);
}

/* ---- opening ----------------------------------------------------------------------------------- */

/* What was found under one name is used, or forgotten with the reason. */
static eh_status use(const eh_device *device, gemm_library *library, eh_error *error)
{
	char *real = realpath(library->file.path, NULL);
	eh_status status;

	/* The file's own name is the one under which it is mapped. */
	if (real != NULL)
		faults_text(library->file.path, sizeof(library->file.path), "%s", real);
	free(real);
	status = library->vendor->open(library, error);
	if (status == EH_OK)
		status = library->vendor->use_threads(library, device->state->threads, error);
	if (status == EH_OK) {
		library->caller = pthread_self();
		library->called = true;
		return EH_OK;
	}
	free(library->api);
	library->api = NULL;
	library->version[0] = '\0';
	memset(&library->file, 0, sizeof(library->file));
	return status;
}

static eh_status find(const eh_device *device, gemm_library *library, eh_error *error)
{
	const host_state *s = device->state;
	const gemm_vendor *v = library->vendor;
	const char *file = s->host->option(s->host->ctx, v->setting);
	char folder[PATH_MAX], why[VENDORLIB_REASON] = "";
	eh_status status;

	library->chosen = file != NULL;
	if (file != NULL) {
		status = vendorlib_open(&library->file, v->title, "", file, v->advice, error);
		return status == EH_OK ? use(device, library, error) : status;
	}
	status = EH_E_UNAVAILABLE;
	for (unsigned f = 0; f == 0 || v->folders[f - 1] != NULL; f++) {
		if (f > 0)
			faults_text(folder, sizeof(folder), "/usr/lib/%s-linux-gnu/%s", s->cpu.machine,
			            v->folders[f - 1]);
		for (unsigned n = 0; v->names[n] != NULL; n++) {
			if (!vendorlib_try(&library->file, s->host, f > 0 ? folder : NULL, v->names[n], why))
				continue;
			status = use(device, library, error);
			if (status == EH_OK)
				return EH_OK;
		}
	}
	/* A file that is no use says so itself. */
	if (status != EH_E_UNAVAILABLE)
		return status;
	return faults_set(error, EH_E_UNAVAILABLE, "%s %s%.160s; %s", v->title,
	                  why[0] != '\0' ? "cannot be opened: " : "is not here", why, v->advice);
}

eh_status gemmlibrary_open(const eh_device *device, gemm_library *library, eh_error *error)
{
	if (!library->tried) {
		library->tried = true;
		library->problem.struct_size = sizeof(library->problem);
		library->status = find(device, library, &library->problem);
	}
	if (library->status != EH_OK && error != NULL)
		eh_give(error, &library->problem, sizeof(library->problem));
	return library->status;
}

/* ---- CPUs -------------------------------------------------------------------------------------- */

void gemmlibrary_widen(const host_state *state, gemmlibrary_cpus *was)
{
	const processors *may = &state->cpu.may;
	cpu_set_t *wide = malloc(may->mask_size);

	was->mask = malloc(may->mask_size);
	was->size = may->mask_size;
	if (wide != NULL && was->mask != NULL && sched_getaffinity(0, was->size, was->mask) == 0) {
		CPU_ZERO_S(may->mask_size, wide);
		for (unsigned i = 0; i < state->threads && i < may->count; i++)
			CPU_SET_S((size_t)may->numbers[i], may->mask_size, wide);
		if (sched_setaffinity(0, may->mask_size, wide) == 0) {
			free(wide);
			return;
		}
	}
	free(wide);
	free(was->mask);
	was->mask = NULL;
}

void gemmlibrary_narrow(gemmlibrary_cpus *was)
{
	if (was->mask != NULL)
		(void)sched_setaffinity(0, was->size, was->mask);
	free(was->mask);
	was->mask = NULL;
}

/*
 * As a launch's first part: the pool's threads sleep, and those of the library have their CPUs.  The
 * caller, which the pool pins to one of them, has them all during the call, as it would in a program that
 * calls the library: pinned, it could not give way to a thread of the library's that was put on its CPU,
 * and a library that starts its threads now would start them there.
 */
eh_status gemmlibrary_call(const host_state *state, gemm_library *library,
                           eh_status (*call)(const void *context, eh_error *error), const void *context,
                           eh_error *error)
{
	const bool same = library->called && pthread_equal(library->caller, pthread_self());
	gemmlibrary_cpus was;
	eh_status status = EH_OK;

	gemmlibrary_widen(state, &was);
	if (!same)
		status = library->vendor->use_threads(library, state->threads, error);
	if (status == EH_OK)
		status = call(context, error);
	gemmlibrary_narrow(&was);
	library->caller = pthread_self();
	library->called = status == EH_OK;
	return status;
}

/* ---- layers ------------------------------------------------------------------------------------ */

static void keep(gemm_names *list, const char *name)
{
	for (unsigned i = 0; i < list->count; i++)
		if (strcmp(list->names[i], name) == 0)
			return;
	if (list->count < GEMM_NAMES)
		faults_text(list->names[list->count++], sizeof(list->names[0]), "%s", name);
}

void gemmlibrary_keep(gemm_library *library, const char *kernel, const char *interface)
{
	keep(&library->kernels, kernel);
	keep(&library->interfaces, interface);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

void gemmlibrary_names(const gemm_names *list, char *out, size_t size)
{
	gemm_names sorted = *list;
	size_t used = 0;

	qsort(sorted.names, sorted.count, sizeof(sorted.names[0]), by_text);
	out[0] = '\0';
	for (unsigned i = 0; i < sorted.count && used < size; i++) {
		faults_text(out + used, size - used, "%s%s", i > 0 ? ", " : "", sorted.names[i]);
		used += strlen(out + used);
	}
}

void gemmlibrary_layer(const gemm_library *library, const char *kernel, const char *interface,
                       unsigned threads, eh_layer *layer)
{
	layer->kind = EH_LAYER_LIBRARY;
	layer->source = EH_SOURCE_QUERIED;
	faults_text(layer->name, sizeof(layer->name), "%s", library->vendor->title);
	faults_text(layer->version, sizeof(layer->version), "%s", library->version);
	/* Longer ones than a layer holds are no paths of a library. */
	faults_text(layer->path, sizeof(layer->path), "%.1023s", library->file.path);
	faults_text(layer->detail, sizeof(layer->detail), "kernel=%.200s; picked=%s; threads=%u; "
	            "interface=%.100s", kernel[0] != '\0' ? kernel : "unknown", library->picked, threads,
	            interface);
}

eh_status gemm_settings(const eh_host *host, eh_error *error)
{
	const char *name = host->option(host->ctx, "gemm");
	bool known = name == NULL;

	for (unsigned i = 0; i < GEMMLIBRARY_COUNT; i++) {
		(void)host->option(host->ctx, vendors[i]->setting);
		known = known || strcmp(vendors[i]->setting, name) == 0;
	}
	if (known)
		return EH_OK;
	return faults_set(error, EH_E_INVALID_ARGUMENT, "host.gemm=%.40s is none of openblas, onednn and "
	                  "blis", name);
}

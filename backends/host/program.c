/* SPDX-License-Identifier: Apache-2.0 */
#include "program.h"

#include <stdlib.h>
#include <string.h>

#include "compile.h"
#include "faults.h"
#include "kernelcache.h"

static void give_log(char *log, size_t size, const char *text)
{
	if (log != NULL && size > 0)
		faults_text(log, size, "%s", text != NULL ? text : "");
}

/* From the cache, or by compiling; fills binary, size, from_cache and path (empty when the
 * binary is in memory only). */
static eh_status obtain(eh_program *p, const char *text, char path[PATH_MAX], char *log,
                        size_t log_size, eh_error *error)
{
	host_state *s = p->device->state;
	const compiler *c = p->device->compiler;
	compile_job job;
	eh_status status;
	char key[65];

	kernelcache_key(s, c, text, key);
	p->from_cache = kernelcache_load(s, key, &p->binary, &p->size, path);
	if (p->from_cache)
		return EH_OK;
	compile_begin(&job, s, c, text);
	compile_end(&job, 1, s, s->compile_ms);
	give_log(log, log_size, job.log);
	status = job.status;
	if (status != EH_OK) {
		if (error != NULL)
			eh_give(error, &job.error, sizeof(job.error));
		compile_free(&job);
		return status;
	}
	p->binary = job.binary;
	p->size = job.size;
	job.binary = NULL;
	compile_free(&job);
	if (!kernelcache_store(s, key, p->binary, p->size, path))
		path[0] = '\0';
	return EH_OK;
}

static eh_status check_source(const eh_source *source, eh_error *error)
{
	if (source == NULL || source->body == NULL)
		return faults_set(error, EH_E_INVALID_ARGUMENT, "A program needs a source");
	for (uint32_t i = 0; i < source->macro_count; i++)
		if (source->macros == NULL || source->macros[i].name == NULL)
			return faults_set(error, EH_E_INVALID_ARGUMENT, "Macro %u has no name", i);
	return EH_OK;
}

eh_status program_build(eh_device *device, const eh_source *source, eh_program **program,
                        char *log, size_t log_size, eh_error *error)
{
	eh_status status = check_source(source, error);
	char path[PATH_MAX] = "", why[256], *text;
	eh_program *p;

	give_log(log, log_size, NULL);
	if (status != EH_OK)
		return status;
	p = calloc(1, sizeof(*p));
	if (p == NULL)
		return faults_set(error, EH_E_NO_MEMORY, "Memory is exhausted");
	p->device = device;
	p->object.fd = -1;
	if (device->compiler != NULL) {
		text = compile_unit(source);
		if (text == NULL) {
			status = faults_set(error, EH_E_NO_MEMORY, "Memory is exhausted");
			goto undo;
		}
		compile_flags_text(device->compiler, p->flags, sizeof(p->flags));
		status = obtain(p, text, path, log, log_size, error);
		free(text);
	} else {
		faults_text(p->flags, sizeof(p->flags), "%s", device->prebuilt.flags);
		status = prebuilt_read(device->state, source, &p->binary, &p->size, path, error);
		p->from_cache = true;
	}
	if (status != EH_OK)
		goto undo;
	if (!object_load(&p->object, path[0] != '\0' ? path : NULL, p->binary, p->size, why,
	                 sizeof(why)) &&
	    (path[0] == '\0' ||
	     !object_load(&p->object, NULL, p->binary, p->size, why, sizeof(why)))) {
		status = faults_set(error, EH_E_BUILD, "The compiled kernel cannot be loaded: %s",
		                    why);
		goto undo;
	}
	*program = p;
	return EH_OK;
undo:
	program_destroy(p);
	return status;
}

void program_destroy(eh_program *program)
{
	if (program == NULL)
		return;
	while (program->kernels != NULL) {
		eh_kernel *k = program->kernels;

		program->kernels = k->next;
		free(k->name);
		free(k);
	}
	object_unload(&program->object);
	free(program->binary);
	free(program);
}

eh_status program_info(eh_program *program, eh_program_info *info, eh_error *error)
{
	const compiler *c = program->device->compiler;
	const prebuilt *b = &program->device->prebuilt;
	const char *machine = program->device->state->cpu.machine;
	eh_program_info full = { 0 };

	(void)error;
	full.from_cache = program->from_cache;
	faults_text(full.compiler, sizeof(full.compiler), "%s", c != NULL ? c->kind : b->compiler);
	faults_text(full.compiler_version, sizeof(full.compiler_version), "%s",
	            c != NULL ? c->version : b->version);
	faults_text(full.flags, sizeof(full.flags), "%s", program->flags);
	if (c == NULL)
		faults_text(full.target, sizeof(full.target), "%s %s", machine, b->target);
	else
		faults_text(full.target, sizeof(full.target), "%s %.28s", machine,
		            c->native ? c->target_cpu : "baseline");
	faults_text(full.binary_kind, sizeof(full.binary_kind), "elf");
	full.binary = program->binary;
	full.binary_size = program->size;
	eh_give(info, &full, sizeof(full));
	return EH_OK;
}

eh_status program_kernel(eh_program *program, const char *name, eh_kernel **kernel,
                         eh_error *error)
{
	object_entry entry;
	eh_kernel *k;

	if (name == NULL || name[0] == '\0')
		return faults_set(error, EH_E_INVALID_ARGUMENT, "A kernel needs a name");
	entry = object_find(&program->object, name);
	if (entry == NULL)
		return faults_set(error, EH_E_INVALID_ARGUMENT, "The program has no kernel \"%.80s\"",
		                  name);
	k = calloc(1, sizeof(*k));
	if (k != NULL)
		k->name = strdup(name);
	if (k == NULL || k->name == NULL) {
		free(k);
		return faults_set(error, EH_E_NO_MEMORY, "Memory is exhausted");
	}
	k->entry = entry;
	k->next = program->kernels;
	program->kernels = k;
	*kernel = k;
	return EH_OK;
}

eh_status program_kernel_info(eh_kernel *kernel, eh_kernel_info *info, eh_error *error)
{
	eh_kernel_info full = { .max_group_items = DEVICE_GROUP_ITEMS };

	(void)kernel;
	(void)error;
	eh_give(info, &full, sizeof(full));
	return EH_OK;
}

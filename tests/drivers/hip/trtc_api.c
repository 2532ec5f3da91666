/* SPDX-License-Identifier: Apache-2.0 */
/* hiprtc's functions: part of libamdhip64.so.5, and a library of its own from 6 on. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../shared/faults.h"
#include "trtc_state.h"

#define TRTC_API __attribute__((visibility("default"))) hiprtcResult

typedef struct program {
	char *name, *text, *log, *code;
	size_t size;
} program;

static bool word(const char *text, int64_t *code)
{
	if (strcmp(text, "oom") != 0 && strcmp(text, "unknown") != 0)
		return false;
	*code = text[0] == 'o' ? HIPRTC_ERROR_OUT_OF_MEMORY : HIPRTC_ERROR_INTERNAL_ERROR;
	return true;
}

#define TRTC_ENTER(name)                                                                      \
	int64_t planned_;                                                                     \
	if (faults_call(name, word, &planned_))                                               \
		return (hiprtcResult)planned_

TRTC_API hiprtcVersion(int *major, int *minor)
{
	TRTC_ENTER("hiprtcVersion");

	*major = 9;
	*minor = 0;
	/* Code objects are kept by version: another prelude makes others. */
	for (const char *p = trtc_prelude; *p != '\0'; p++)
		*minor = (*minor * 31 + (unsigned char)*p) & 0xffff;
	return HIPRTC_SUCCESS;
}

__attribute__((visibility("default"))) const char *hiprtcGetErrorString(hiprtcResult code)
{
	static const char *const names[] = {
		"HIPRTC_SUCCESS", "HIPRTC_ERROR_OUT_OF_MEMORY", "HIPRTC_ERROR_PROGRAM_CREATION_FAILURE",
		"HIPRTC_ERROR_INVALID_INPUT", "HIPRTC_ERROR_INVALID_PROGRAM",
		"HIPRTC_ERROR_INVALID_OPTION", "HIPRTC_ERROR_COMPILATION",
	};

	return (size_t)code < sizeof(names) / sizeof(names[0]) ? names[code]
	                                                       : "HIPRTC_ERROR_INTERNAL_ERROR";
}

/* Its header names the texts const or not, as the version is. */
TRTC_API trtc_create(hiprtcProgram *out, const char *text, const char *name, int headers,
                     const void *texts, const void *names) __asm__("hiprtcCreateProgram");
TRTC_API trtc_create(hiprtcProgram *out, const char *text, const char *name, int headers,
                     const void *texts, const void *names)
{
	program *p;
	TRTC_ENTER("hiprtcCreateProgram");

	(void)texts;
	(void)names;
	if (headers != 0 || text == NULL || out == NULL)
		return HIPRTC_ERROR_INVALID_INPUT;
	p = calloc(1, sizeof(*p));
	if (p == NULL)
		abort();
	p->name = strdup(name != NULL ? name : "kernels.hip");
	p->text = strdup(text);
	if (p->name == NULL || p->text == NULL)
		abort();
	*out = (hiprtcProgram)(void *)p;
	return HIPRTC_SUCCESS;
}

/* As that of ROCm 5.2 does with what came later: no answer, an abort.  Newer ones are libraries of
 * their own. */
static void abort_if_too_new(const char *architecture)
{
	static const char *const newer[] = { "942", "1100" };
	Dl_info about;

	if (dladdr((const void *)(uintptr_t)abort_if_too_new, &about) == 0 ||
	    strstr(about.dli_fname, "libhiprtc") != NULL)
		return;
	for (size_t i = 0; i < sizeof(newer) / sizeof(newer[0]); i++)
		if (strncmp(architecture, newer[i], strlen(newer[i])) == 0) {
			fprintf(stderr, "test hiprtc: gfx%s is not known\n", newer[i]);
			abort();
		}
}

TRTC_API trtc_compile(hiprtcProgram handle, int count, const char *const *options)
	__asm__("hiprtcCompileProgram");
TRTC_API trtc_compile(hiprtcProgram handle, int count, const char *const *options)
{
	static const char target[] = "--offload-arch=gfx";
	program *p = (program *)(void *)handle;
	TRTC_ENTER("hiprtcCompileProgram");

	if (p == NULL || count < 1 || strncmp(options[0], target, sizeof(target) - 1) != 0)
		return HIPRTC_ERROR_INVALID_OPTION;
	abort_if_too_new(options[0] + sizeof(target) - 1);
	return trtc_build(p->name, p->text, &p->code, &p->size, &p->log) ? HIPRTC_SUCCESS
	                                                                : HIPRTC_ERROR_COMPILATION;
}

TRTC_API hiprtcGetProgramLogSize(hiprtcProgram handle, size_t *size)
{
	const program *p = (const program *)(void *)handle;
	TRTC_ENTER("hiprtcGetProgramLogSize");

	*size = p->log != NULL ? strlen(p->log) + 1 : 1;
	return HIPRTC_SUCCESS;
}

TRTC_API hiprtcGetProgramLog(hiprtcProgram handle, char *log)
{
	const program *p = (const program *)(void *)handle;
	TRTC_ENTER("hiprtcGetProgramLog");

	memcpy(log, p->log != NULL ? p->log : "", p->log != NULL ? strlen(p->log) + 1 : 1);
	return HIPRTC_SUCCESS;
}

TRTC_API hiprtcGetCodeSize(hiprtcProgram handle, size_t *size)
{
	const program *p = (const program *)(void *)handle;
	TRTC_ENTER("hiprtcGetCodeSize");

	if (p->code == NULL)
		return HIPRTC_ERROR_INVALID_PROGRAM;
	*size = p->size;
	return HIPRTC_SUCCESS;
}

TRTC_API hiprtcGetCode(hiprtcProgram handle, char *code)
{
	const program *p = (const program *)(void *)handle;
	TRTC_ENTER("hiprtcGetCode");

	if (p->code == NULL)
		return HIPRTC_ERROR_INVALID_PROGRAM;
	memcpy(code, p->code, p->size);
	return HIPRTC_SUCCESS;
}

TRTC_API hiprtcDestroyProgram(hiprtcProgram *handle)
{
	program *p = (program *)(void *)*handle;
	TRTC_ENTER("hiprtcDestroyProgram");

	free(p->name);
	free(p->text);
	free(p->log);
	free(p->code);
	free(p);
	*handle = NULL;
	return HIPRTC_SUCCESS;
}

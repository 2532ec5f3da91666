/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An older NVRTC for tests, in front of the real one: it is version 12.4 and compiles for compute
 * capability 5.0 to 9.0.  What the real one cannot compile any more, it compiles for its oldest and
 * says sm_70.  It is linked with the real one, where all other functions are.  It opens its builtins
 * as the real one does: by their name alone.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct program *nvrtcProgram;

#define OWN __attribute__((visibility("default"))) int
#define REAL "libnvrtc.so.13"

#include <dlfcn.h>

OWN nvrtcVersion(int *major, int *minor)
{
	*major = 12;
	*minor = 4;
	return 0;
}

static const int known[] = { 50, 60, 70, 75, 80, 90 };

OWN nvrtcGetNumSupportedArchs(int *count)
{
	*count = sizeof(known) / sizeof(known[0]);
	return 0;
}

OWN nvrtcGetSupportedArchs(int *list)
{
	memcpy(list, known, sizeof(known));
	return 0;
}

static void *real(const char *name)
{
	return dlsym(dlopen(REAL, RTLD_NOW | RTLD_NOLOAD), name);
}

OWN nvrtcCompileProgram(nvrtcProgram program, int count, const char *const *options)
{
	int (*compile)(nvrtcProgram, int, const char *const *);
	const char *changed[16];

	if (dlopen("libnvrtc-builtins.so.12.4", RTLD_NOW) == NULL)
		return 7; /* NVRTC_ERROR_BUILTIN_OPERATION_FAILURE */
	*(void **)&compile = real("nvrtcCompileProgram");
	for (int i = 0; i < count && i < 16; i++)
		changed[i] = strstr(options[i], "_70") != NULL ? "--gpu-architecture=compute_75" : options[i];
	return compile(program, count, changed);
}

OWN nvrtcGetPTX(nvrtcProgram program, char *text)
{
	int (*get)(nvrtcProgram, char *);
	int rc;
	char *target;

	*(void **)&get = real("nvrtcGetPTX");
	rc = get(program, text);
	target = rc == 0 ? strstr(text, ".target sm_75") : NULL;
	if (target != NULL)
		memcpy(target, ".target sm_70", 13);
	return rc;
}

/* A driver for TEST devices takes the PTX in any case. */
OWN nvrtcGetCUBINSize(nvrtcProgram program, size_t *size)
{
	(void)program;
	*size = sizeof("none");
	return 0;
}

OWN nvrtcGetCUBIN(nvrtcProgram program, char *code)
{
	(void)program;
	memcpy(code, "none", sizeof("none"));
	return 0;
}

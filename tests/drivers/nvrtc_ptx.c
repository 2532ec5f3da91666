/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiles a CUDA C text with NVRTC, for an architecture such as compute_90, and prints the PTX; needs
 * no device.  Without NVRTC it ends with 77, when the compiler refuses with 1 and its log.  Without
 * arguments it only looks for NVRTC.
 * usage: nvrtc_ptx [FILE ARCHITECTURE]
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef int (*create_fn)(void **, const char *, const char *, int, const char *const *,
                         const char *const *);
typedef int (*compile_fn)(void *, int, const char *const *);
typedef int (*size_fn)(void *, size_t *);
typedef int (*text_fn)(void *, char *);

static void *find_library(void)
{
	static const char *const names[] = { "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2",
		"libnvrtc.so", "/usr/local/cuda/lib64/libnvrtc.so" };
	void *library = NULL;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && library == NULL; i++)
		library = dlopen(names[i], RTLD_NOW);
	return library;
}

static char *read_text(const char *path)
{
	static char text[1 << 20];
	FILE *file = fopen(path, "r");

	if (file == NULL)
		exit(2);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	return text;
}

static void print(void *library, void *program, const char *measure, const char *copy)
{
	size_fn size = (size_fn)dlsym(library, measure);
	text_fn get = (text_fn)dlsym(library, copy);
	size_t n = 0;
	char *text = NULL;

	if (size != NULL && get != NULL && size(program, &n) == 0 && (text = calloc(1, n + 1)) != NULL &&
	    get(program, text) == 0)
		puts(text);
	free(text);
}

int main(int argc, char **argv)
{
	void *library = find_library(), *program = NULL;
	char option[64];
	const char *const options[] = { option, "--fmad=true" };
	create_fn create;
	compile_fn compile;

	if (library == NULL)
		return 77;
	create = (create_fn)dlsym(library, "nvrtcCreateProgram");
	compile = (compile_fn)dlsym(library, "nvrtcCompileProgram");
	if (create == NULL || compile == NULL)
		return 77;
	if (argc < 3)
		return 0;
	snprintf(option, sizeof(option), "--gpu-architecture=%s", argv[2]);
	if (create(&program, read_text(argv[1]), argv[1], 0, NULL, NULL) != 0)
		return 2;
	if (compile(program, 2, options) != 0) {
		print(library, program, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog");
		return 1;
	}
	print(library, program, "nvrtcGetPTXSize", "nvrtcGetPTX");
	return 0;
}

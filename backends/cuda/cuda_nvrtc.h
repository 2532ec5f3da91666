/* SPDX-License-Identifier: Apache-2.0 */
/* NVIDIA's run-time compilers that are installed, and which of them a device needs. */
#ifndef CUDA_NVRTC_H
#define CUDA_NVRTC_H

#include <pthread.h>

#include "cuda_abi.h"
#include "shared/vendorlib.h"

enum { NVRTC_MOST_ARCHITECTURES = 128, NVRTC_MOST = 16 };

typedef struct nvrtc_api {
#define NVRTC_FIELD(field, names, arguments) nvrtcResult(*field) arguments;
	NVRTC_REQUIRED(NVRTC_FIELD)
	NVRTC_OPTIONAL(NVRTC_FIELD)
#undef NVRTC_FIELD
#define NVRTC_FIELD(field, names, arguments) const char *(*field) arguments;
	NVRTC_TEXT(NVRTC_FIELD)
#undef NVRTC_FIELD
	vendorlib library;
	int major, minor;
	int list[NVRTC_MOST_ARCHITECTURES]; /* 75 = compute capability 7.5                     */
	int count;                          /* 0 = it does not tell (before 11.2)              */
	bool identified;                    /* identity was asked for                          */
	char identity[65];                  /* digest over its files, "" = they cannot be read */
} nvrtc_api;

/* Those that were tried, in the order of preference for the folders and versions. */
typedef struct nvrtc_set {
	const eh_host *host;
	const char *chosen;                 /* the only one, by the user; NULL = none          */
	int driver_major;                   /* of CUDA; 0 = unknown                            */
	pthread_mutex_t lock;
	bool tried[NVRTC_MOST];
	nvrtc_api *opened[NVRTC_MOST];      /* NULL = not there                                */
	eh_error chosen_error;              /* why the chosen one does not open                */
	char why[VENDORLIB_REASON];         /* why a file that is there is not used, "" = none */
} nvrtc_set;

/* Where NVIDIA's libraries are looked for, in this order: $CUDA_HOME/lib64, where the loader looks, and
 * /usr/local/cuda/lib64.  NULL = where the loader looks; "" = not set. */
enum { CUDA_NVRTC_FOLDERS = 3 };
const char *cuda_nvrtc_folder(size_t index, char path[PATH_MAX]);

void cuda_nvrtc_begin(nvrtc_set *set, const eh_host *host, int driver_version);
void cuda_nvrtc_end(nvrtc_set *set);

/*
 * *out is the NVRTC for a device of this compute capability, until cuda_nvrtc_end.  Those that are
 * not newer than the driver come first, among them those that compile for the device itself, in
 * $CUDA_HOME, where the loader looks, and in /usr/local/cuda; the newest of each folder first.  Else
 * one that compiles PTX for an older device.  EH_E_UNAVAILABLE when there is none,
 * EH_E_UNSUPPORTED when all are for newer devices.  Any thread.
 */
eh_status cuda_nvrtc_for(nvrtc_set *set, int compute, const nvrtc_api **out, eh_error *error);

/* The newest of the architectures that are not newer than the device's; 0 = none. */
int cuda_nvrtc_architecture(const nvrtc_api *nvrtc, int compute);

/* The digest over the files of library and builtins; "" when they cannot be read.  They are read
 * once.  Any thread. */
const char *cuda_nvrtc_identity(nvrtc_set *set, const nvrtc_api *nvrtc);

/* "13.0", or "" for NULL. */
void cuda_nvrtc_version(const nvrtc_api *nvrtc, char *text, size_t size);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The libraries of eh.gemm.1 of one started backend: opening them, their threads, their layers. */
#ifndef HOST_GEMMLIBRARY_H
#define HOST_GEMMLIBRARY_H

#include "gemmplans.h"

enum { GEMMLIBRARY_COUNT = 3 };

/* The CPUs that the calling thread had. */
typedef struct gemmlibrary_cpus {
	cpu_set_t *mask; /* NULL = they were not changed                                        */
	size_t size;
} gemmlibrary_cpus;

/* All of them, in the backend's order; NULL when memory is exhausted. */
gemm_library *gemmlibrary_all(host_state *state);

/* Opens it once; the answer is kept. */
eh_status gemmlibrary_open(const eh_device *device, gemm_library *library, eh_error *error);

/* The calling thread, which may be one of the pool's and then has one CPU, gets the CPUs of all of
 * them until gemmlibrary_narrow. */
void gemmlibrary_widen(const host_state *state, gemmlibrary_cpus *was);
void gemmlibrary_narrow(gemmlibrary_cpus *was);

/* Calls the library in the thread that enqueues, with the threads that the device has. */
eh_status gemmlibrary_call(const host_state *state, gemm_library *library,
                           eh_status (*call)(const void *context, eh_error *error), const void *context,
                           eh_error *error);

/* The kernel and the function of something that was prepared. */
void gemmlibrary_keep(gemm_library *library, const char *kernel, const char *interface);

/* "Zen", or the names of several in alphabetical order. */
void gemmlibrary_names(const gemm_names *list, char *out, size_t size);

void gemmlibrary_layer(const gemm_library *library, const char *kernel, const char *interface,
                       unsigned threads, eh_layer *layer);

#endif

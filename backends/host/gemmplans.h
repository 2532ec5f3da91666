/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eh.gemm.1 on the host: the CPU's libraries of matrix products, each opened when the first product
 * (or attention, attentionplans.h) asks for it and never before, so that a run without such a product has
 * none of them in its process.
 */
#ifndef HOST_GEMMPLANS_H
#define HOST_GEMMPLANS_H

#include <pthread.h>

#include "device.h"
#include "evenhand/extensions.h"
#include "shared/products.h"
#include "shared/vendorlib.h"

enum { GEMM_NAMES = 8, GEMM_NAME = 48 };

/* Names, each once. */
typedef struct gemm_names {
	char names[GEMM_NAMES][GEMM_NAME];
	unsigned count;
} gemm_names;

typedef struct gemm_library {
	const struct gemm_vendor *vendor;
	bool tried;
	bool chosen;            /* by the user's setting of a file                             */
	eh_status status;       /* of the try                                                  */
	eh_error problem;       /* then                                                        */
	vendorlib file;
	void *api;              /* its functions, of the vendor's own type                     */
	char version[64];
	char picked[96];        /* how it picks its kernels                                    */
	gemm_names kernels, interfaces; /* of all that was prepared                            */
	pthread_t caller;       /* that called it last, and has threads of the library         */
	bool called;
} gemm_library;

/* What the host knows of a library before it is opened. */
typedef struct gemm_vendor {
	const char *setting;    /* --set host.gemm=THIS, --set host.THIS=FILE                  */
	const char *title;
	const char *advice;     /* which package to install                                   */
	const char *const *names;   /* versioned, NULL at the end                              */
	const char *const *folders; /* of /usr/lib/MACHINE-linux-gnu, NULL at the end          */
	/* Finds the functions of library->file; fills api and version. */
	eh_status (*open)(gemm_library *library, eh_error *error);
	/* The library works with so many threads from now on, in this calling thread; else
	 * EH_E_UNSUPPORTED. */
	eh_status (*use_threads)(gemm_library *library, unsigned threads, eh_error *error);
	/* May it make a product of these types at all?  Asked before it is opened. */
	bool (*has_types)(const eh_gemm *gemm);
	/* Fills plan->kernel and plan->interface, and plan->own with what release releases. */
	eh_status (*prepare)(eh_gemm_plan *plan, eh_error *error);
	eh_status (*run)(const eh_gemm_plan *plan, const void *a, const void *b, void *c,
	                 eh_error *error);
	void (*release)(eh_gemm_plan *plan); /* NULL = nothing to release                     */
	const struct attention_vendor *attention; /* NULL = it has no attention               */
} gemm_vendor;

struct eh_gemm_plan {
	eh_device *device;
	gemm_library *library;
	eh_gemm gemm;
	products_bytes bytes;
	char kernel[GEMM_NAME];
	char interface[GEMM_NAME];  /* the function that is called                             */
	void *own;
};

extern const gemm_vendor gemm_openblas, gemm_onednn, gemm_blis;

/* "OpenBLAS 0.3.21", or "OpenBLAS" before it was opened. */
void gemm_label(const gemm_library *library, char *out, size_t size);

/* The settings of products, asked for at the start, so that a misspelt one is found there; the files
 * that they name are opened by the first product.  EH_E_INVALID_ARGUMENT for an unknown library. */
eh_status gemm_settings(const eh_host *host, eh_error *error);

/* The table of eh.gemm.1. */
extern const eh_gemm_ops gemm_table;

/* The layer of the library that was opened as number `index`; false when there are fewer. */
bool gemm_device_layer(const host_state *state, unsigned threads, uint32_t index, eh_layer *layer);

/* Forgets what is known of the libraries; they stay in the process. */
void gemm_forget(host_state *state);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oneDNN on a GPU: the library, opened by the first product, its engine of a device, and products on it.  How an
 * engine, a stream and the buffers of a matrix are made of an API's objects is the backend's.
 */
#ifndef SHARED_ONEDNNGPU_H
#define SHARED_ONEDNNGPU_H

#include "onednn.h"

/* One API that oneDNN can be built for. */
typedef struct onednngpu_way {
	const char *api;            /* "OpenCL"                                                 */
	const char *backend;        /* "opencl": of --set opencl.onednn=FILE                     */
	unsigned runtime;           /* DNNL_RUNTIME_OCL                                         */
	const vendorlib_symbol *symbols; /* of its functions                                    */
	size_t symbol_count;
} onednngpu_way;

/* Of a started backend. */
typedef struct onednngpu {
	const onednngpu_way *way;   /* NULL = it was not tried                                  */
	onednn_api api;
	vendorlib file;
	eh_status status;           /* of opening it                                            */
	eh_error problem;           /* then                                                     */
} onednngpu;

/* Opens it once, and fills *functions, of the way's own type; the answer is kept.  EH_E_UNAVAILABLE when it is
 * not here, EH_E_UNSUPPORTED when it was built for another API. */
eh_status onednngpu_open(onednngpu *library, const onednngpu_way *way, const eh_host *host, void *functions,
                         eh_error *error);

/* A failed call of it on `device`, its selector: EH_E_UNSUPPORTED for what it has not, EH_E_NO_MEMORY, else
 * EH_E_DEVICE. */
eh_status onednngpu_failed(const onednngpu *library, const eh_gemm *gemm, const char *device,
                           const char *where, dnnl_status_t rc, eh_error *error);

/* EH_E_UNSUPPORTED for types of which it has no products. */
eh_status onednngpu_check(const eh_gemm *gemm, eh_error *error);

/* The product on the device's engine, and its kernel's name (a text of the product). */
eh_status onednngpu_build(const onednngpu *library, dnnl_engine_t engine, const eh_gemm *gemm,
                          const char *device, onednn_product *product, const char **kernel,
                          eh_error *error);

/* name, version, file and how it chooses; `setting` = the setting by which the user chose it, or NULL. */
void onednngpu_layer(const onednngpu *library, const char *setting, eh_layer *layer);

#endif

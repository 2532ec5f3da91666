/* SPDX-License-Identifier: Apache-2.0 */
/* eh.gemm.1: what the libraries of products have in common here. */
#ifndef OCL_GEMM_H
#define OCL_GEMM_H

#include "ocl_state.h"
#include "shared/onednngpu.h"

struct eh_gemm_plan {
	eh_device *device;
	int maker;                 /* OCL_CLBLAST or OCL_ONEDNN                             */
	bool by_setting;           /* the user chose the library                            */
	eh_gemm gemm;
	products_bytes bytes;
	const char *kernel;        /* a text of the library's                               */
	char passed[200];          /* why the library before it was passed over, "" = none was */
	onednn_product product;    /* oneDNN's                                              */
};

/* One library, opened by the first product that it is asked for. */
typedef struct ocl_maker {
	const char *name;          /* opencl.gemm=NAME, opencl.NAME=FILE                    */
	/* EH_E_UNSUPPORTED where the library has no such products, whatever its version.    */
	eh_status (*check)(const eh_device *device, const eh_gemm *gemm, eh_error *error);
	/* Opens the library; fills kernel, and product if it is the library's.              */
	eh_status (*prepare)(eh_gemm_plan *plan, eh_error *error);
	/* In the queue, as the operands were checked; the event of the last command.        */
	eh_status (*enqueue)(eh_queue *queue, eh_gemm_plan *plan, const eh_gemm_operands *o, cl_event *event,
	                     eh_error *error);
	void (*free)(eh_gemm_plan *plan); /* what it has of the library                      */
	/* The library's own facts; plan = NULL: of all products of the device.              */
	void (*begin_layer)(const eh_device *device, const eh_gemm_plan *plan, eh_layer *layer);
	void (*end_layer)(const eh_gemm_plan *plan, eh_layer *layer);
	void (*close)(eh_device *device); /* of a device that has used it                    */
} ocl_maker;

extern const ocl_maker ocl_clblast_maker, ocl_onednn_maker;

/* A GPU that oneDNN is made for, so that it is asked first. */
bool ocl_onednn_is_for(const eh_device *device);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What this backend calls in a oneDNN that was built with OpenCL, besides shared/onednn_abi.h; prototypes are
 * those of oneapi/dnnl/dnnl_ocl.h. */
#ifndef ONEDNN_OCL_ABI_H
#define ONEDNN_OCL_ABI_H

#include "ocl_abi.h"
#include "shared/onednn_abi.h"

#define ONEDNN_OCL_FUNCTIONS(X) \
	X(engine_create, "dnnl_ocl_interop_engine_create", \
	  (dnnl_engine_t *engine, cl_device_id device, cl_context context)) \
	X(stream_create, "dnnl_ocl_interop_stream_create", \
	  (dnnl_stream_t *stream, dnnl_engine_t engine, cl_command_queue queue)) \
	X(memory_set_object, "dnnl_ocl_interop_memory_set_mem_object", \
	  (dnnl_memory_t memory, cl_mem object))

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What this backend calls in a oneDNN that was built with Level Zero (3.12 and later), besides
 * shared/onednn_abi.h; prototypes are those of oneapi/dnnl/dnnl_ze.h. */
#ifndef ONEDNN_ZE_ABI_H
#define ONEDNN_ZE_ABI_H

#include "lz_abi.h"
#include "shared/onednn_abi.h"

#ifndef ABI_OF_VENDOR /* the test takes it from the vendor's headers instead */

#define DNNL_RUNTIME_ZE 1024

#endif

#define ONEDNN_ZE_FUNCTIONS(X) \
	X(engine_create, "dnnl_ze_interop_engine_create", \
	  (dnnl_engine_t *engine, ze_driver_handle_t driver, ze_device_handle_t device, \
	   ze_context_handle_t context)) \
	X(stream_create, "dnnl_ze_interop_stream_create", \
	  (dnnl_stream_t *stream, dnnl_engine_t engine, ze_command_list_handle_t list, int profiling))

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The slots that HIP shares with other stream APIs, and the parts of them that are its own. */
#include "hip_state.h"
#include "shared/stream_devices.h"
#include "shared/stream_memory.h"
#include "shared/stream_copies.h"
#include "shared/stream_queue.h"
#include "shared/stream_marks.h"
#include "shared/stream_kernels.h"
#include "shared/stream_graphs.h"
#include "shared/stream_peers.h"
#include "shared/stream_products.h"

void hip_streams_destroy(eh_queue *queue)
{
	if (queue != NULL)
		hip_gemm_forget(queue);
	stream_queue_destroy(queue);
}

stream_rc stream_vendor_copy(const hip_api *api, hipDeviceptr_t to, hipDeviceptr_t from,
                             size_t bytes, hipStream_t stream)
{
	return api->memcpy_any(to, from, bytes, hipMemcpyDefault, stream);
}

int64_t stream_vendor_arguments(const eh_program *p, const char *kernel)
{
	return hip_metadata_arguments(p->code, p->code_size, kernel);
}

/* All of AMD's local memory can be static. */
eh_status stream_vendor_local(eh_kernel *k, const eh_launch *l, unsigned *bytes, eh_error *error)
{
	(void)k;
	(void)l;
	(void)error;
	*bytes = 0;
	return EH_OK;
}

bool stream_vendor_can_graph(const hip_api *api)
{
	return api->graph_make != NULL;
}

stream_rc stream_vendor_graph(const hip_api *api, hipGraph_t captured, hipGraphExec_t *exec,
                              const char **where)
{
	*where = hip_calls.graph_make;
	return api->graph_make(exec, captured, NULL, NULL, 0);
}

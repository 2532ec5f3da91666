/* SPDX-License-Identifier: Apache-2.0 */
/* The slots that CUDA shares with other stream APIs, and the parts of them that are its own. */
#include <ctype.h>

#include "cuda_state.h"
#include "shared/stream_devices.h"
#include "shared/stream_memory.h"
#include "shared/stream_copies.h"
#include "shared/stream_queue.h"
#include "shared/stream_marks.h"
#include "shared/stream_kernels.h"
#include "shared/stream_graphs.h"
#include "shared/stream_peers.h"

stream_rc stream_vendor_copy(const cuda_api *api, CUdeviceptr to, CUdeviceptr from, size_t bytes,
                             CUstream stream)
{
	return api->memcpy_any(to, from, bytes, stream);
}

/* The driver reports this from CUDA 12.4 on only; the PTX always has it. */
int64_t stream_vendor_arguments(const eh_program *p, const char *kernel)
{
	static const char entry[] = ".entry", parameter[] = ".param";
	const size_t length = strlen(kernel);

	for (const char *at = p->ptx; (at = strstr(at, entry)) != NULL;) {
		int64_t count = 0;
		const char *end;

		at += sizeof(entry) - 1;
		while (isspace((unsigned char)*at))
			at++;
		if (strncmp(at, kernel, length) != 0 ||
		    (at[length] != '(' && !isspace((unsigned char)at[length])))
			continue;
		at += length;
		while (isspace((unsigned char)*at))
			at++;
		if (*at != '(')
			return 0;
		end = strchr(at, ')');
		while ((at = strstr(at, parameter)) != NULL && end != NULL && at < end) {
			count++;
			at += sizeof(parameter) - 1;
		}
		return count;
	}
	return CHECKS_ANY_COUNT;
}

bool stream_vendor_can_graph(const cuda_api *api)
{
	return api->graph_make != NULL || api->graph_make_11 != NULL;
}

stream_rc stream_vendor_graph(const cuda_api *api, CUgraph captured, CUgraphExec *exec,
                              const char **where)
{
	*where = api->graph_make != NULL ? cuda_calls.graph_make : cuda_calls.graph_make_11;
	return api->graph_make != NULL ? api->graph_make(exec, captured, 0)
	                               : api->graph_make_11(exec, captured, NULL, NULL, 0);
}

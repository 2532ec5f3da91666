/* SPDX-License-Identifier: Apache-2.0 */
/* The slots that CUDA shares with other stream APIs, and the parts of them that are its own. */
#include <ctype.h>
#include <limits.h>

#include "cuda_state.h"
#include "shared/stream_devices.h"
#include "shared/stream_memory.h"
#include "shared/stream_copies.h"
#include "shared/stream_queue.h"
#include "shared/stream_marks.h"
#include "shared/stream_kernels.h"
#include "shared/stream_graphs.h"
#include "shared/stream_peers.h"
#include "shared/stream_products.h"

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

/* The driver allows 48 KiB of shared memory unless it was told of more. */
static eh_status tell_local(eh_kernel *k, uint64_t bytes, eh_error *error)
{
	eh_device *d = k->program->device;
	const CUresult rc = d->api->function_set(k->function,
	    CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes > INT_MAX ? INT_MAX : (int)bytes);

	if (rc == CUDA_ERROR_INVALID_VALUE)
		return stream_error_as(d->api, error, EH_E_UNSUPPORTED, rc, cuda_calls.function_set,
		    "Kernel %.60s is launched with %llu bytes of local memory in a group, and %s offers "
		    "%u with the static ones", k->name, (unsigned long long)bytes, d->info.name,
		    (unsigned)d->info.local_memory_bytes);
	if (rc != CUDA_SUCCESS)
		return stream_devices_failed(d, error, rc, cuda_calls.function_set,
		    "Kernel %.60s gets no %llu bytes of local memory in a group", k->name,
		    (unsigned long long)bytes);
	k->local_most = (unsigned)bytes;
	return EH_OK;
}

eh_status stream_vendor_local(eh_kernel *k, const eh_launch *l, unsigned *bytes, eh_error *error)
{
	const uint64_t wanted = EH_ROOM(l->struct_size, eh_launch, local_bytes) ? l->local_bytes : 0;

	*bytes = (unsigned)wanted;
	return wanted <= k->local_most ? EH_OK : tell_local(k, wanted, error);
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

/* SPDX-License-Identifier: Apache-2.0 */
#ifdef ABI_OF_VENDOR
#include <oneapi/dnnl/dnnl_graph.h>
#endif
#include "host/onednn_graph_abi.h"
#include "facts.h"

static void functions(void)
{
#define X(field, names, arguments) CHECK(dnnl_status_t(*declared), field, arguments)
	ONEDNN_GRAPH_FUNCTIONS(X)
#undef X
}

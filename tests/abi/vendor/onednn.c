/* SPDX-License-Identifier: Apache-2.0 */
#ifdef ABI_OF_VENDOR
#include <oneapi/dnnl/dnnl.h>
#endif
#include "shared/onednn_abi.h"
#include "facts.h"

static void functions(void)
{
#define X(field, names, arguments) CHECK(dnnl_status_t(*declared), field, arguments)
	ONEDNN_FUNCTIONS(X)
#undef X
#define X(field, names, arguments) CHECK(const dnnl_version_t *(*declared), field, arguments)
	ONEDNN_VERSION(X)
#undef X
}

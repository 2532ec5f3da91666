/* SPDX-License-Identifier: Apache-2.0 */
#ifdef ABI_OF_VENDOR
#include <oneapi/dnnl/dnnl.h>
#if DNNL_VERSION_MAJOR != 3
#include <oneapi/dnnl/of_version_3.h> /* passed over, as headers that are not there */
#endif
#endif
#include "host/onednn3_abi.h"
#include "facts.h"

static void functions(void)
{
#define X(field, names, arguments) CHECK(dnnl_status_t(*declared), field, arguments)
	ONEDNN3_FUNCTIONS(X)
#undef X
}

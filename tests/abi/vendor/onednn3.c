/* SPDX-License-Identifier: Apache-2.0 */
#ifdef ABI_OF_VENDOR
#include <oneapi/dnnl/dnnl.h>
/* Headers of the other version are passed over, as those that are not there. */
#define VERSION_3 <stddef.h>
#define VERSION_2 <oneapi/dnnl/of_version_3.h>
#define HEADER_OF(major) VERSION_##major
#define HEADER(major) HEADER_OF(major)
#include HEADER(DNNL_VERSION_MAJOR)
#endif
#include "shared/onednn3_abi.h"
#include "facts.h"

static void functions(void)
{
#define X(field, names, arguments) CHECK(dnnl_status_t(*declared), field, arguments)
	ONEDNN3_FUNCTIONS(X)
#undef X
}

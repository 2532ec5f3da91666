/* SPDX-License-Identifier: Apache-2.0 */
#ifdef ABI_OF_VENDOR
#include <stdbool.h> /* some versions use bool without it */
#include <level_zero/ze_api.h>
# if __has_include(<level_zero/loader/ze_loader.h>) /* 1.0 has none */
#include <level_zero/loader/ze_loader.h>
# endif
#endif
#include "levelzero/lz_abi.h"
#include "facts.h"

static void functions(void)
{
#define X(field, names, arguments) CHECK(ze_result_t(ZE_APICALL *declared), field, arguments)
	LZ_REQUIRED(X)
	LZ_OPTIONAL(X)
#undef X
}

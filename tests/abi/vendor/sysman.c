/* SPDX-License-Identifier: Apache-2.0 */
#ifdef ABI_OF_VENDOR
#include <stdbool.h> /* some versions use bool without it */
#include <level_zero/ze_api.h>
#include <level_zero/zes_api.h>
#endif
#include "sysman/zes_abi.h"
#include "facts.h"

static void functions(void)
{
#define X(field, names, arguments) CHECK(ze_result_t(ZE_APICALL *declared), field, arguments)
	ZES_REQUIRED(X)
	ZES_OPTIONAL(X)
#undef X
}

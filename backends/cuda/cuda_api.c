/* SPDX-License-Identifier: Apache-2.0 */
#include "cuda_api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_state.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

const cuda_names cuda_calls = {
#define NAME(field, names, arguments) .field = names,
	CUDA_REQUIRED(NAME)
	CUDA_OPTIONAL(NAME)
#undef NAME
};

static const vendorlib_symbol driver_symbols[] = {
#define REQUIRED(field, names, arguments) VENDORLIB_REQUIRED(cuda_api, field, names)
#define OPTIONAL(field, names, arguments) VENDORLIB_OPTIONAL(cuda_api, field, names)
	CUDA_REQUIRED(REQUIRED)
	CUDA_OPTIONAL(OPTIONAL)
#undef REQUIRED
#undef OPTIONAL
};

eh_status cuda_api_open(cuda_api *api, const char *chosen, bool *present, eh_error *error)
{
	CUresult rc;
	eh_status status;
	vendorlib library;

	memset(api, 0, sizeof(*api));
	status = vendorlib_open(&library, "The NVIDIA driver's library", "libcuda.so.1", chosen,
	                        "install the NVIDIA driver (package nvidia-driver or libcuda1), or, "
	                        "in a container, start it with the GPUs", error);
	if (status == EH_OK)
		status = vendorlib_resolve(&library, driver_symbols, COUNT(driver_symbols), api,
		                           "evenhand needs the driver of CUDA 11 or later, so update "
		                           "the NVIDIA driver", error);
	if (status != EH_OK)
		return status;
	api->library = library;
	rc = api->init(0);
	*present = rc == CUDA_SUCCESS;
	if (rc != CUDA_SUCCESS && rc != CUDA_ERROR_NO_DEVICE)
		return stream_error_as(api, error, EH_E_UNAVAILABLE, rc, "cuInit",
		                       "The NVIDIA driver does not start");
	api->version_rc = api->driver_version(&api->version);
	if (api->version_rc != CUDA_SUCCESS)
		api->version = 0;
	return EH_OK;
}

void cuda_api_version(const cuda_api *api, char *text, size_t size)
{
	text[0] = '\0';
	if (api->version > 0)
		snprintf(text, size, "%d.%d", api->version / 1000, api->version % 1000 / 10);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "lz_api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lz_error.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static const vendorlib_symbol symbols[] = {
#define REQUIRED(field, names, arguments) VENDORLIB_REQUIRED(lz_api, field, names)
#define OPTIONAL(field, names, arguments) VENDORLIB_OPTIONAL(lz_api, field, names)
	LZ_REQUIRED(REQUIRED)
	LZ_OPTIONAL(OPTIONAL)
#undef REQUIRED
#undef OPTIONAL
};

/* The loader reports the versions of its parts; its own part is called "loader". */
static void ask_loader(lz_api *api)
{
	zel_component_version_t parts[16];
	size_t count = 0;

	if (api->loader_versions == NULL)
		return;
	memset(parts, 0, sizeof(parts));
	api->loader_rc = api->loader_versions(&count, NULL);
	if (api->loader_rc == ZE_RESULT_SUCCESS) {
		count = count > COUNT(parts) ? COUNT(parts) : count;
		api->loader_rc = api->loader_versions(&count, parts);
	}
	if (api->loader_rc != ZE_RESULT_SUCCESS)
		return;
	for (size_t i = 0; i < count && i < COUNT(parts); i++)
		if (strncmp(parts[i].component_name, "loader", 6) == 0)
			snprintf(api->loader, sizeof(api->loader), "%d.%d.%d",
			         parts[i].component_lib_version.major,
			         parts[i].component_lib_version.minor,
			         parts[i].component_lib_version.patch);
}

eh_status lz_api_open(lz_api *api, const char *chosen, bool *present, eh_error *error)
{
	vendorlib library;
	eh_status status;
	ze_result_t rc;

	memset(api, 0, sizeof(*api));
	/* Read when the library initialises. */
	if (getenv("ZES_ENABLE_SYSMAN") == NULL && setenv("ZES_ENABLE_SYSMAN", "1", 1) != 0)
		return failure_set(error, EH_E_NO_MEMORY, "setenv", "No memory is left to start.");
	status = vendorlib_open(&library, "The Level Zero loader", "libze_loader.so.1", chosen,
	                        "install the package libze1 and the driver of the device, for an Intel "
	                        "GPU intel-level-zero-gpu (also called libze-intel-gpu1)", error);
	if (status == EH_OK)
		status = vendorlib_resolve(&library, symbols, COUNT(symbols), api,
		                           "evenhand needs Level Zero 1.0 or later, so update libze1",
		                           error);
	if (status != EH_OK)
		return status;
	api->library = library;
	rc = api->init(0);
	*present = rc == ZE_RESULT_SUCCESS;
	/* The loader's answer when it finds no driver that works. */
	if (rc != ZE_RESULT_SUCCESS && rc != ZE_RESULT_ERROR_UNINITIALIZED)
		return lz_error_as(error, EH_E_UNAVAILABLE, rc, "zeInit", "Level Zero does not start");
	ask_loader(api);
	return EH_OK;
}

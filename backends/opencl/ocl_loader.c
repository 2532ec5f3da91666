/* SPDX-License-Identifier: Apache-2.0 */
#include "ocl_loader.h"

#include <stdio.h>
#include <string.h>

#include "shared/vendorlib.h"

#define STANDARD_LIBRARY "libOpenCL.so.1"

static const vendorlib_symbol symbols[] = {
#define REQUIRED(field, name, result, arguments) VENDORLIB_REQUIRED(ocl_api, field, name)
#define OPTIONAL(field, name, result, arguments) VENDORLIB_OPTIONAL(ocl_api, field, name)
	OCL_REQUIRED(REQUIRED)
	OCL_OPTIONAL(OPTIONAL)
#undef REQUIRED
#undef OPTIONAL
};

/* The loaders report their name and version through an extension of their own; 1 and 2 are its
 * queries for version and name. */
static void identify(ocl_api *api, const vendorlib *library)
{
	cl_int (*info)(cl_uint, size_t, void *, size_t *);
	*(void **)&info = vendorlib_find(library, "clGetICDLoaderInfoOCLICD");
	snprintf(api->name, sizeof(api->name), "%s", "OpenCL ICD loader");
	if (info == NULL)
		return;
	api->version_rc = info(1, sizeof(api->version), api->version, NULL);
	if (api->version_rc != CL_SUCCESS)
		api->version[0] = '\0';
	if (info(2, sizeof(api->name), api->name, NULL) != CL_SUCCESS)
		snprintf(api->name, sizeof(api->name), "%s", "OpenCL ICD loader");
	api->version[sizeof(api->version) - 1] = '\0';
	api->name[sizeof(api->name) - 1] = '\0';
}

eh_status ocl_loader_open(ocl_api *api, const char *chosen, eh_error *error)
{
	vendorlib library;
	eh_status status = vendorlib_open(&library, "The OpenCL loader", STANDARD_LIBRARY, chosen,
	    "install the package ocl-icd-libopencl1 and an OpenCL driver, such as pocl-opencl-icd or the "
	    "vendor's", error);
	if (status != EH_OK)
		return status;
	memset(api, 0, sizeof(*api));
	status = vendorlib_resolve(&library, symbols, sizeof(symbols) / sizeof(symbols[0]), api,
	    "it is older than OpenCL 1.2, so install a current ocl-icd-libopencl1", error);
	if (status != EH_OK)
		return status;
	vendorlib_file_of(*(void **)&api->clGetPlatformIDs, api->path, sizeof(api->path));
	identify(api, &library);
	return EH_OK;
}

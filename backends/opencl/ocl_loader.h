/* SPDX-License-Identifier: Apache-2.0 */
/* The OpenCL entry points, found at run time in the ICD loader's library.  Nothing here links to it. */
#ifndef OCL_LOADER_H
#define OCL_LOADER_H

#include "evenhand/backend.h"

#include "ocl_abi.h"

typedef struct ocl_api {
#define OCL_FIELD(field, name, result, arguments) result(CL_API_CALL *field) arguments;
	OCL_REQUIRED(OCL_FIELD)
	OCL_OPTIONAL(OCL_FIELD)
#undef OCL_FIELD
	char path[256];     /* of the loader's library, as mapped                             */
	char name[64];      /* the loader's own name, "OpenCL ICD Loader"                     */
	char version[64];
	cl_int version_rc;  /* the loader's answer to that question                           */
} ocl_api;

/*
 * Opens library (NULL: libOpenCL.so.1) and fills *api.  EH_E_UNAVAILABLE with the package to
 * install when the library is missing, EH_E_INCOMPATIBLE when a required entry point is missing.
 * The library stays open for the life of the process: drivers keep threads and exit handlers in it.
 */
eh_status ocl_loader_open(ocl_api *api, const char *library, eh_error *error);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of the Level Zero loader, found at run time.  Nothing here links to it. */
#ifndef LZ_API_H
#define LZ_API_H

#include "lz_abi.h"
#include "shared/vendorlib.h"

typedef struct lz_api {
#define LZ_FIELD(field, names, arguments) ze_result_t(ZE_APICALL *field) arguments;
	LZ_REQUIRED(LZ_FIELD)
	LZ_OPTIONAL(LZ_FIELD)
#undef LZ_FIELD
	vendorlib library;
	char loader[64];      /* the loader's own version, "" = unknown                       */
	ze_result_t loader_rc; /* the loader's answer to that question                        */
} lz_api;

/*
 * Opens the loader (chosen: a path that the user set, NULL = by its name) and initialises its
 * drivers.  *present is false when it has none with a device; that is no error.  Sysman is switched
 * on for the probe in this process.
 */
eh_status lz_api_open(lz_api *api, const char *chosen, bool *present, eh_error *error);

#endif

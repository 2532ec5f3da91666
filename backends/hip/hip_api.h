/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of HIP and of hiprtc, found at run time.  Nothing here links to either. */
#ifndef HIP_API_H
#define HIP_API_H

#include "hip_abi.h"
#include "shared/vendorlib.h"

/* Each function's names. */
typedef struct hip_names {
#define HIP_NAME(field, names, arguments) const char *field;
	HIP_REQUIRED(HIP_NAME)
	HIP_OPTIONAL(HIP_NAME)
#undef HIP_NAME
} hip_names;
extern const hip_names hip_calls;

typedef struct hip_api {
#define HIP_FIELD(field, names, arguments) hipError_t(*field) arguments;
	HIP_REQUIRED(HIP_FIELD)
	HIP_OPTIONAL(HIP_FIELD)
#undef HIP_FIELD
#define HIP_FIELD(field, names, arguments) const char *(*field) arguments;
	HIP_TEXT(HIP_FIELD)
#undef HIP_FIELD
	vendorlib library;
	int major;            /* from the library's soname, 0 = unknown                      */
	int version;          /* of the runtime: 10000000 * major + 100000 * minor + patch   */
	hipError_t version_rc; /* the reason when that is 0                                  */
} hip_api;

typedef struct hiprtc_api {
#define HIPRTC_FIELD(field, names, arguments) hiprtcResult(*field) arguments;
	HIPRTC_REQUIRED(HIPRTC_FIELD)
#undef HIPRTC_FIELD
#define HIPRTC_FIELD(field, names, arguments) const char *(*field) arguments;
	HIPRTC_TEXT(HIPRTC_FIELD)
#undef HIPRTC_FIELD
	vendorlib library;
	int major, minor;
	bool identified;      /* identity was asked for                                      */
	char identity[65];    /* digest over the files of the compiler, "" = they cannot be read */
	bool inside;          /* it is part of the runtime's library                         */
} hiprtc_api;

/* Opens the runtime (`chosen`: another than the newest that is found, or NULL) and initialises it.
 * *present is false when this succeeds and there is no device.  EH_E_UNAVAILABLE with advice when
 * the runtime is missing, refuses, or may not use /dev/kfd. */
eh_status hip_api_open(hip_api *api, const eh_host *host, const char *chosen, bool *present,
                       eh_error *error);

/* Opens the hiprtc of the runtime's own version: a library of its own, else the runtime's.  A
 * hiprtc without a version is refused, because the record needs the version. */
eh_status hip_api_open_hiprtc(hiprtc_api *hiprtc, const eh_host *host, const hip_api *api,
                              const char *chosen, eh_error *error);

/* Opens a library of AMD's by its name: beside the runtime, else where the loader looks, in $ROCM_PATH/lib or in
 * /opt/rocm/lib; false when that is not possible.  `why` as in vendorlib_try. */
bool hip_api_try(vendorlib *library, const eh_host *host, const hip_api *api, bool beside, const char *name,
                 char *why);

#endif

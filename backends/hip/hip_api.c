/* SPDX-License-Identifier: Apache-2.0 */
#include "hip_api.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hip_state.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

const hip_names hip_calls = {
#define NAME(field, names, arguments) .field = names,
	HIP_REQUIRED(NAME)
	HIP_OPTIONAL(NAME)
#undef NAME
};

static const vendorlib_symbol runtime_symbols[] = {
#define REQUIRED(field, names, arguments) VENDORLIB_REQUIRED(hip_api, field, names)
#define OPTIONAL(field, names, arguments) VENDORLIB_OPTIONAL(hip_api, field, names)
	HIP_REQUIRED(REQUIRED)
	HIP_OPTIONAL(OPTIONAL)
	HIP_TEXT(OPTIONAL)
#undef REQUIRED
#undef OPTIONAL
};

static const vendorlib_symbol hiprtc_symbols[] = {
#define REQUIRED(field, names, arguments) VENDORLIB_REQUIRED(hiprtc_api, field, names)
	HIPRTC_REQUIRED(REQUIRED)
	HIPRTC_TEXT(REQUIRED)
#undef REQUIRED
};

/* Newest first; ROCm 6 and 7 also bring older libraries along for old programs. */
static const int majors[] = { 7, 6, 5 };

/* The folders in which libraries are looked for; "" = where the loader looks. */
static size_t list_folders(const char *folders[3], char *home, size_t home_size)
{
	const char *set = getenv("ROCM_PATH");
	size_t count = 0;

	folders[count++] = "";
	/* A blank would end the name in the list. */
	if (set != NULL && strchr(set, ' ') == NULL &&
	    snprintf(home, home_size, "%s/lib/", set) < (int)home_size)
		folders[count++] = home;
	folders[count++] = "/opt/rocm/lib/";
	return count;
}

static void add_name(char *names, size_t size, const char *folder, const char *name)
{
	const size_t used = strlen(names);

	if (used < size)
		snprintf(names + used, size - used, "%s%s%s", used > 0 ? " " : "", folder, name);
}

/* The number in the name of the file: "libamdhip64.so.6.2.41133" is 6. */
static int major_of(const vendorlib *library)
{
	static const char part[] = ".so.";
	char real[4096];
	const char *at = strstr(library->name, part);
	const ssize_t length = readlink(library->path, real, sizeof(real) - 1);

	if (at == NULL && length > 0) {
		real[length] = '\0';
		at = strstr(real, part);
	}
	return at != NULL ? (int)strtol(at + strlen(part), NULL, 10) : 0;
}

/* Missing rights look like 0 devices, but are an error. */
static eh_status no_device(const hip_api *api, hipError_t rc, bool *present, eh_error *error)
{
	static const char kfd[] = "/dev/kfd";

	*present = false;
	if (access(kfd, F_OK) == 0 && access(kfd, R_OK | W_OK) != 0)
		return stream_error_as(api, error, EH_E_UNAVAILABLE, rc, "hipInit",
		                       "This user may not use %s (%s): join the groups render and video, "
		                       "and log in again", kfd, strerror(errno));
	return EH_OK;
}

eh_status hip_api_open(hip_api *api, const char *chosen, bool *present, eh_error *error)
{
	static const char advice[] =
		"install AMD's ROCm (package hip-runtime-amd, or libamdhip64-5 of Debian), or name the "
		"file in --set hip.library=PATH";
	const char *folders[3];
	char names[1024] = "", home[256], name[32];
	size_t count = list_folders(folders, home, sizeof(home));
	vendorlib library;
	eh_status status;
	hipError_t rc;

	for (size_t f = 0; f < count; f++) {
		for (size_t i = 0; i < COUNT(majors); i++) {
			snprintf(name, sizeof(name), "libamdhip64.so.%d", majors[i]);
			add_name(names, sizeof(names), folders[f], name);
		}
		add_name(names, sizeof(names), folders[f], "libamdhip64.so");
	}
	memset(api, 0, sizeof(*api));
	status = vendorlib_open(&library, "AMD's HIP runtime", names, chosen, advice, NULL);
	/* All names in all folders would leave no room for the advice. */
	if (status != EH_OK && chosen == NULL)
		return failure_set(error, status, "dlopen",
		                   "AMD's HIP runtime cannot be opened (looked for libamdhip64.so.7, .6, "
		                   ".5 and libamdhip64.so, also in $ROCM_PATH/lib and /opt/rocm/lib); %s.",
		                   advice);
	if (status != EH_OK)
		return vendorlib_open(&library, "AMD's HIP runtime", names, chosen, advice, error);
	status = vendorlib_resolve(&library, runtime_symbols, COUNT(runtime_symbols), api,
	                           "evenhand needs the runtime of ROCm 5.2 or later, so update ROCm",
	                           error);
	if (status != EH_OK)
		return status;
	api->library = library;
	api->major = major_of(&library);
	rc = api->init(0);
	*present = rc == hipSuccess;
	/* Without a device some versions say that device 0 is invalid. */
	if (rc == hipErrorNoDevice || rc == hipErrorInvalidDevice)
		status = no_device(api, rc, present, error);
	else if (rc != hipSuccess)
		status = stream_error_as(api, error, EH_E_UNAVAILABLE, rc, "hipInit",
		                         "The HIP runtime does not start");
	if (status == EH_OK)
		api->version_rc = api->runtime_version(&api->version);
	if (api->version_rc != hipSuccess)
		api->version = 0;
	if (api->major == 0)
		api->major = api->version / 10000000;
	return status;
}

eh_status hip_api_open_hiprtc(hiprtc_api *hiprtc, const hip_api *api, const char *chosen,
                              eh_error *error)
{
	static const char advice[] =
		"install the package hiprtc of the same ROCm as the runtime, or name the file in --set "
		"hip.hiprtc=PATH";
	static const char what[] = "AMD's run-time compiler hiprtc";
	const char *folders[3], *slash = strrchr(api->library.path, '/');
	char names[1024] = "", home[256], beside[256] = "", name[32];
	size_t count = list_folders(folders, home, sizeof(home));
	vendorlib library;
	hiprtcResult rc;
	eh_status status;

	snprintf(name, sizeof(name), api->major > 0 ? "libhiprtc.so.%d" : "libhiprtc.so", api->major);
	/* The hiprtc beside the runtime is surely of the same ROCm. */
	if (slash != NULL && strchr(api->library.path, ' ') == NULL) {
		snprintf(beside, sizeof(beside), "%.*s", (int)(slash + 1 - api->library.path),
		         api->library.path);
		add_name(names, sizeof(names), beside, name);
	}
	for (size_t f = 0; f < count; f++)
		add_name(names, sizeof(names), folders[f], name);
	memset(hiprtc, 0, sizeof(*hiprtc));
	status = vendorlib_open(&library, what, names, chosen, advice, chosen != NULL ? error : NULL);
	if (status != EH_OK && chosen != NULL)
		return status;
	if (status != EH_OK) {
		library = api->library;
		hiprtc->inside = true;
		if (vendorlib_find(&library, "hiprtcCompileProgram") == NULL)
			return failure_set(error, EH_E_UNAVAILABLE, "dlopen",
			                   "%s cannot be opened (looked for %s, and in %s); %s.", what,
			                   name, api->library.path, advice);
	}
	status = vendorlib_resolve(&library, hiprtc_symbols, COUNT(hiprtc_symbols), hiprtc, advice,
	                           error);
	if (status != EH_OK)
		return status;
	rc = hiprtc->version(&hiprtc->major, &hiprtc->minor);
	if (rc != HIPRTC_SUCCESS) {
		const char *said = hiprtc->error_text(rc);

		return failure_native(error, EH_E_INCOMPATIBLE, "hiprtcVersion", (int64_t)rc,
		                      said != NULL ? said : "?", "Name another in --set "
		                      "hip.hiprtc=PATH.", "%s does not tell its version", library.path);
	}
	hiprtc->library = library;
	return EH_OK;
}

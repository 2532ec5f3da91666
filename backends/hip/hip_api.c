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
static const char *const runtimes[] = {
	"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so",
};

static const char hiprtc_advice[] =
	"install the package hiprtc of the same ROCm as the runtime, or name the file in --set "
	"hip.hiprtc=PATH";

/* The folders in which libraries are looked for; NULL = where the loader looks. */
static size_t list_folders(const char *folders[3], char home[PATH_MAX])
{
	const char *set = getenv("ROCM_PATH");
	size_t count = 0;

	folders[count++] = NULL;
	if (set != NULL && snprintf(home, PATH_MAX, "%s/lib", set) < PATH_MAX)
		folders[count++] = home;
	folders[count++] = "/opt/rocm/lib";
	return count;
}

/* Opens the first of the names in the first of the folders. */
static bool search(vendorlib *library, const eh_host *host, const char *const names[], size_t count,
                   char *why)
{
	char home[PATH_MAX];
	const char *folders[3];
	const size_t folder_count = list_folders(folders, home);

	for (size_t f = 0; f < folder_count; f++)
		for (size_t i = 0; i < count; i++)
			if (vendorlib_try(library, host, folders[f], names[i], why))
				return true;
	return false;
}

/* What lies beside the runtime is surely of the same ROCm.  Who can change that folder has changed the
 * runtime already, so it is not checked. */
static bool search_beside(vendorlib *library, const char *runtime, const char *name, char *why)
{
	const char *slash = strrchr(runtime, '/');
	char folder[PATH_MAX];

	if (slash == NULL)
		return false;
	snprintf(folder, sizeof(folder), "%.*s", (int)(slash - runtime), runtime);
	return vendorlib_try(library, NULL, folder, name, why);
}

bool hip_api_try(vendorlib *library, const eh_host *host, const hip_api *api, bool beside, const char *name,
                 char *why)
{
	return beside ? search_beside(library, api->library.path, name, why)
	              : search(library, host, &name, 1, why);
}

/* The number in the name of the file: "libamdhip64.so.6.2.41133" is 6. */
static int major_of(const vendorlib *library)
{
	static const char part[] = ".so.";
	char real[PATH_MAX];
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

/* Opens the runtime's library: the chosen one, or the first that is found. */
static eh_status open_runtime(vendorlib *library, const eh_host *host, const char *chosen,
                              eh_error *error)
{
	static const char what[] = "AMD's HIP runtime";
	static const char advice[] =
		"install AMD's ROCm (package hip-runtime-amd, or libamdhip64-5 of Debian), or name the "
		"file in --set hip.library=PATH";
	char why[VENDORLIB_REASON] = "";

	if (chosen != NULL)
		return vendorlib_open(library, what, "", chosen, advice, error);
	if (search(library, host, runtimes, COUNT(runtimes), why))
		return EH_OK;
	if (why[0] != '\0')
		return failure_set(error, EH_E_UNAVAILABLE, "dlopen", "%s cannot be used: %.240s; name "
		                   "the file in --set hip.library=PATH.", what, why);
	/* All names in all folders would leave no room for the advice. */
	return failure_set(error, EH_E_UNAVAILABLE, "dlopen",
	                   "%s cannot be opened (looked for libamdhip64.so.7, .6, .5 and "
	                   "libamdhip64.so, also in $ROCM_PATH/lib and /opt/rocm/lib); %s.", what,
	                   advice);
}

eh_status hip_api_open(hip_api *api, const eh_host *host, const char *chosen, bool *present,
                       eh_error *error)
{
	vendorlib library;
	eh_status status;
	hipError_t rc;

	memset(api, 0, sizeof(*api));
	status = open_runtime(&library, host, chosen, error);
	if (status != EH_OK)
		return status;
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

/* Opens the library with hiprtc: the chosen one, one of its own, or the runtime's. */
static eh_status open_hiprtc(vendorlib *library, const eh_host *host, const hip_api *api,
                             const char *chosen, eh_error *error)
{
	static const char what[] = "AMD's run-time compiler hiprtc";
	char number[32], why[VENDORLIB_REASON] = "";
	const char *const name = number;

	snprintf(number, sizeof(number), api->major > 0 ? "libhiprtc.so.%d" : "libhiprtc.so",
	         api->major);

	if (chosen != NULL)
		return vendorlib_open(library, what, "", chosen, hiprtc_advice, error);
	if (hip_api_try(library, host, api, true, name, why) || hip_api_try(library, host, api, false, name, why))
		return EH_OK;
	*library = api->library;
	if (vendorlib_find(library, "hiprtcCompileProgram") != NULL)
		return EH_OK;
	if (why[0] != '\0')
		return failure_set(error, EH_E_UNAVAILABLE, "dlopen", "%s cannot be used: %.240s; name "
		                   "the file in --set hip.hiprtc=PATH.", what, why);
	return failure_set(error, EH_E_UNAVAILABLE, "dlopen",
	                   "%s cannot be opened (looked for %s, and in %.100s); %s.", what, name,
	                   api->library.path, hiprtc_advice);
}

eh_status hip_api_open_hiprtc(hiprtc_api *hiprtc, const eh_host *host, const hip_api *api,
                              const char *chosen, eh_error *error)
{
	vendorlib library;
	hiprtcResult rc;
	eh_status status;

	memset(hiprtc, 0, sizeof(*hiprtc));
	status = open_hiprtc(&library, host, api, chosen, error);
	if (status != EH_OK)
		return status;
	hiprtc->inside = library.handle == api->library.handle;
	status = vendorlib_resolve(&library, hiprtc_symbols, COUNT(hiprtc_symbols), hiprtc,
	                           hiprtc_advice, error);
	if (status != EH_OK)
		return status;
	rc = hiprtc->version(&hiprtc->major, &hiprtc->minor);
	if (rc != HIPRTC_SUCCESS) {
		const char *said = hiprtc->error_text(rc);

		return failure_native(error, EH_E_INCOMPATIBLE, "hiprtcVersion", (int64_t)rc,
		                      said != NULL ? said : "?", "Name another in --set "
		                      "hip.hiprtc=PATH.", "%.150s does not tell its version", library.path);
	}
	hiprtc->library = library;
	return EH_OK;
}

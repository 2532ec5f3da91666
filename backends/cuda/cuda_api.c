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

static const vendorlib_symbol nvrtc_symbols[] = {
#define REQUIRED(field, names, arguments) VENDORLIB_REQUIRED(nvrtc_api, field, names)
#define OPTIONAL(field, names, arguments) VENDORLIB_OPTIONAL(nvrtc_api, field, names)
	NVRTC_REQUIRED(REQUIRED)
	NVRTC_TEXT(REQUIRED)
	NVRTC_OPTIONAL(OPTIONAL)
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

/* The versions of NVRTC whose names are tried. */
static const struct {
	int major;
	const char *names[4];
} nvrtcs[] = {
	{ 13, { "libnvrtc.so.13" } },
	{ 12, { "libnvrtc.so.12" } },
	{ 11, { "libnvrtc.so.11.2", "libnvrtc.so.11.1", "libnvrtc.so.11.0" } },
};

static void add_name(char *names, size_t size, const char *folder, const char *name)
{
	const size_t used = strlen(names);

	if (used < size)
		snprintf(names + used, size - used, "%s%s%s%s", used > 0 ? " " : "", folder,
		         folder[0] != '\0' ? "/" : "", name);
}

/* The names of all versions that are newer than the driver, or of all others; newest first. */
static void add_names(char *names, size_t size, const char *folder, int driver_major, bool newer)
{
	for (size_t i = 0; i < COUNT(nvrtcs); i++)
		if ((nvrtcs[i].major > driver_major) == newer)
			for (size_t k = 0; k < COUNT(nvrtcs[i].names); k++)
				if (nvrtcs[i].names[k] != NULL)
					add_name(names, size, folder, nvrtcs[i].names[k]);
}

eh_status cuda_api_open_nvrtc(nvrtc_api *nvrtc, const cuda_api *api, const char *chosen,
                              eh_error *error)
{
	static const char advice[] =
		"install the package libnvrtc13 or cuda-nvrtc of the driver's CUDA version, or name "
		"the file in --set cuda.nvrtc=PATH";
	const char *home = getenv("CUDA_HOME");
	const int driver_major = api->version > 0 ? api->version / 1000 : nvrtcs[0].major;
	char names[2048] = "", folder[256] = "";
	vendorlib library;
	nvrtcResult rc;
	eh_status status;

	/* A blank would end the name in the list. */
	if (home != NULL && strchr(home, ' ') == NULL)
		snprintf(folder, sizeof(folder), "%.200s/lib64", home);
	for (int newer = 0; newer < 2; newer++) {
		if (folder[0] != '\0')
			add_names(names, sizeof(names), folder, driver_major, newer != 0);
		add_names(names, sizeof(names), "", driver_major, newer != 0);
		add_names(names, sizeof(names), "/usr/local/cuda/lib64", driver_major, newer != 0);
	}
	memset(nvrtc, 0, sizeof(*nvrtc));
	status = vendorlib_open(&library, "NVIDIA's run-time compiler NVRTC", names, chosen, advice,
	                        NULL);
	/* All names in all folders would leave no room for the advice. */
	if (status != EH_OK && chosen == NULL)
		return failure_set(error, status, "dlopen",
		                   "NVIDIA's run-time compiler cannot be opened (looked for "
		                   "libnvrtc.so.13, .12, .11.2, .11.1 and .11.0, also in "
		                   "$CUDA_HOME/lib64 and /usr/local/cuda/lib64); %s.", advice);
	if (status != EH_OK)
		return vendorlib_open(&library, "NVIDIA's run-time compiler", names, chosen, advice,
		                      error);
	status = vendorlib_resolve(&library, nvrtc_symbols, COUNT(nvrtc_symbols), nvrtc, advice,
	                           error);
	if (status != EH_OK)
		return status;
	rc = nvrtc->compiler_version(&nvrtc->major, &nvrtc->minor);
	if (rc != NVRTC_SUCCESS) {
		const char *name = nvrtc->error_text(rc);

		return failure_native(error, EH_E_INCOMPATIBLE, "nvrtcVersion", (int64_t)rc,
		                      name != NULL ? name : "?", "Name another in --set "
		                      "cuda.nvrtc=PATH.", "%s does not tell its version", library.path);
	}
	nvrtc->library = library;
	return EH_OK;
}

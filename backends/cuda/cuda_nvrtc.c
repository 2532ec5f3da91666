/* SPDX-License-Identifier: Apache-2.0 */
#include "cuda_nvrtc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shared/compilerid.h"
#include "shared/failure.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static const char what[] = "NVIDIA's run-time compiler";
static const char advice[] =
	"install the package libnvrtc13 or cuda-nvrtc of the driver's CUDA version, or name the file "
	"in --set cuda.nvrtc=PATH";

static const vendorlib_symbol symbols[] = {
#define REQUIRED(field, names, arguments) VENDORLIB_REQUIRED(nvrtc_api, field, names)
#define OPTIONAL(field, names, arguments) VENDORLIB_OPTIONAL(nvrtc_api, field, names)
	NVRTC_REQUIRED(REQUIRED)
	NVRTC_TEXT(REQUIRED)
	NVRTC_OPTIONAL(OPTIONAL)
#undef REQUIRED
#undef OPTIONAL
};

/* Newest first. */
static const struct {
	int major;
	const char *name;
} files[] = {
	{ 13, "libnvrtc.so.13" },     { 12, "libnvrtc.so.12" },     { 11, "libnvrtc.so.11.2" },
	{ 11, "libnvrtc.so.11.1" },   { 11, "libnvrtc.so.11.0" },
};

_Static_assert(CUDA_NVRTC_FOLDERS * COUNT(files) <= NVRTC_MOST, "there is no room for all");

void cuda_nvrtc_begin(nvrtc_set *set, const eh_host *host, int driver_version)
{
	memset(set, 0, sizeof(*set));
	set->host = host;
	set->chosen = host->option(host->ctx, "nvrtc");
	set->driver_major = driver_version / 1000;
	set->chosen_error.struct_size = sizeof(set->chosen_error);
	(void)pthread_mutex_init(&set->lock, NULL);
}

void cuda_nvrtc_end(nvrtc_set *set)
{
	for (size_t i = 0; i < NVRTC_MOST; i++)
		free(set->opened[i]);
	(void)pthread_mutex_destroy(&set->lock);
}

/* ---- opening ----------------------------------------------------------------------------- */

static void read_architectures(nvrtc_api *n)
{
	int count = 0;

	if (n->arch_count != NULL && n->archs != NULL && n->arch_count(&count) == NVRTC_SUCCESS &&
	    count > 0 && count <= NVRTC_MOST_ARCHITECTURES && n->archs(n->list) == NVRTC_SUCCESS)
		n->count = count;
}

static void name_builtins(const nvrtc_api *n, char name[64])
{
	snprintf(name, 64, "libnvrtc-builtins.so.%d.%d", n->major, n->minor);
}

/*
 * NVRTC opens its builtins by their name alone, and no path of its own leads the loader to the folder
 * of NVRTC.  What is loaded already is found by its name.  They are checked as NVRTC was.
 */
static void load_builtins(const nvrtc_api *n, const eh_host *checked)
{
	char name[64], folder[PATH_MAX], why[VENDORLIB_REASON];
	vendorlib builtins;
	char *end;

	snprintf(folder, sizeof(folder), "%s", n->library.path);
	end = strrchr(folder, '/');
	if (end == NULL)
		return;
	*end = '\0';
	name_builtins(n, name);
	(void)vendorlib_try(&builtins, checked, folder, name, why);
}

/* Finds the functions of the library and asks for version and architectures. */
static eh_status begin(nvrtc_api *n, const vendorlib *library, const eh_host *checked, eh_error *error)
{
	eh_status status = vendorlib_resolve(library, symbols, COUNT(symbols), n, advice, error);
	nvrtcResult rc;

	if (status != EH_OK)
		return status;
	rc = n->compiler_version(&n->major, &n->minor);
	if (rc != NVRTC_SUCCESS) {
		const char *name = n->error_text(rc);

		return failure_native(error, EH_E_INCOMPATIBLE, "nvrtcVersion", (int64_t)rc,
		                      name != NULL ? name : "?", "Name another in --set "
		                      "cuda.nvrtc=PATH.", "%.150s does not tell its version",
		                      library->path);
	}
	n->library = *library;
	load_builtins(n, checked);
	read_architectures(n);
	return EH_OK;
}

/* `checked` is the host that allowed the library, NULL where none was asked. */
static nvrtc_api *new_api(const vendorlib *library, const eh_host *checked, eh_error *error)
{
	nvrtc_api *n = calloc(1, sizeof(*n));
	eh_status status;

	if (n == NULL) {
		(void)failure_set(error, EH_E_NO_MEMORY, "start", "No memory is left for NVRTC.");
		return NULL;
	}
	status = begin(n, library, checked, error);
	if (status == EH_OK)
		return n;
	free(n);
	return NULL;
}

static void open_chosen(nvrtc_set *set)
{
	vendorlib library;
	const eh_status status = vendorlib_open(&library, what, "", set->chosen, advice,
	                                        &set->chosen_error);

	if (status == EH_OK)
		set->opened[0] = new_api(&library, NULL, &set->chosen_error);
}

const char *cuda_nvrtc_folder(size_t index, char path[PATH_MAX])
{
	const char *home = getenv("CUDA_HOME");

	if (index == 1)
		return NULL;
	if (index == 2)
		return "/usr/local/cuda/lib64";
	if (home == NULL || snprintf(path, PATH_MAX, "%s/lib64", home) >= PATH_MAX)
		return "";
	return path;
}

static void open_at(nvrtc_set *set, size_t index)
{
	eh_error error = { .struct_size = sizeof(error) };
	char path[PATH_MAX];
	const char *folder = cuda_nvrtc_folder(index / COUNT(files), path);
	vendorlib library;

	if (folder != NULL && folder[0] == '\0')
		return;
	if (!vendorlib_try(&library, set->host, folder, files[index % COUNT(files)].name, set->why))
		return;
	set->opened[index] = new_api(&library, folder != NULL ? set->host : NULL, &error);
	if (set->opened[index] == NULL)
		snprintf(set->why, sizeof(set->why), "%s", error.message);
}

static const nvrtc_api *get(nvrtc_set *set, size_t index)
{
	if (!set->tried[index]) {
		set->tried[index] = true;
		if (set->chosen != NULL)
			open_chosen(set);
		else
			open_at(set, index);
	}
	return set->opened[index];
}

/* ---- choosing ---------------------------------------------------------------------------- */

int cuda_nvrtc_architecture(const nvrtc_api *nvrtc, int compute)
{
	int best = 0;

	if (nvrtc->count == 0)
		return compute;
	for (int i = 0; i < nvrtc->count; i++)
		if (nvrtc->list[i] <= compute && nvrtc->list[i] > best)
			best = nvrtc->list[i];
	return best;
}

static int oldest(const nvrtc_api *n)
{
	int least = n->list[0];

	for (int i = 1; i < n->count; i++)
		least = n->list[i] < least ? n->list[i] : least;
	return least;
}

/* One that does not tell its architectures is not sure to have the device's. */
static bool suits(const nvrtc_api *n, int compute, bool exactly)
{
	const int best = cuda_nvrtc_architecture(n, compute);

	return exactly ? n->count > 0 && best == compute : best > 0;
}

static const nvrtc_api *search(nvrtc_set *set, int compute, bool newer, bool exactly)
{
	for (size_t i = 0; i < CUDA_NVRTC_FOLDERS * COUNT(files); i++) {
		const nvrtc_api *n;

		if (set->driver_major > 0 &&
		    (files[i % COUNT(files)].major > set->driver_major) != newer)
			continue;
		n = get(set, i);
		if (n != NULL && suits(n, compute, exactly))
			return n;
	}
	return NULL;
}

static eh_status too_new(const nvrtc_api *n, int compute, eh_error *error)
{
	return failure_set(error, EH_E_UNSUPPORTED, "program_build",
	                   "The device has compute capability %d.%d, and NVRTC %d.%d (%.100s) compiles "
	                   "for %d.%d and later: install an older NVRTC beside it (that of CUDA 12 "
	                   "compiles for 5.0 to 7.2), or name one in --set cuda.nvrtc=PATH.",
	                   compute / 10, compute % 10, n->major, n->minor, n->library.path,
	                   oldest(n) / 10, oldest(n) % 10);
}

static eh_status none(const nvrtc_set *set, int compute, eh_error *error)
{
	for (size_t i = 0; i < NVRTC_MOST; i++)
		if (set->opened[i] != NULL)
			return too_new(set->opened[i], compute, error);
	if (set->chosen != NULL) {
		eh_give(error, &set->chosen_error, sizeof(set->chosen_error));
		return set->chosen_error.code;
	}
	if (set->why[0] != '\0')
		return failure_set(error, EH_E_UNAVAILABLE, "dlopen",
		                   "%s cannot be used: %.240s; name the file in --set cuda.nvrtc=PATH.",
		                   what, set->why);
	/* All names in all folders would leave no room for the advice. */
	return failure_set(error, EH_E_UNAVAILABLE, "dlopen",
	                   "%s cannot be opened (looked for libnvrtc.so.13, .12, .11.2, .11.1 and "
	                   ".11.0, also in $CUDA_HOME/lib64 and /usr/local/cuda/lib64); %s.", what,
	                   advice);
}

static const nvrtc_api *choose(nvrtc_set *set, int compute)
{
	const nvrtc_api *n = NULL;

	if (set->chosen != NULL) {
		n = get(set, 0);
		return n != NULL && suits(n, compute, false) ? n : NULL;
	}
	for (int newer = 0; newer < 2 && n == NULL; newer++)
		for (int exactly = 1; exactly >= 0 && n == NULL; exactly--)
			n = search(set, compute, newer != 0, exactly != 0);
	return n;
}

eh_status cuda_nvrtc_for(nvrtc_set *set, int compute, const nvrtc_api **out, eh_error *error)
{
	eh_status status = EH_OK;
	const nvrtc_api *n;

	(void)pthread_mutex_lock(&set->lock);
	n = choose(set, compute);
	if (n != NULL)
		*out = n;
	else
		status = none(set, compute, error);
	(void)pthread_mutex_unlock(&set->lock);
	return status;
}

/* ---- identity ---------------------------------------------------------------------------- */

static void identify(const nvrtc_set *set, nvrtc_api *n)
{
	char builtins[64];

	n->identified = true;
	name_builtins(n, builtins);
	compilerid_of(&n->library, set->host, (const char *const[]){ builtins, NULL }, n->identity);
}

const char *cuda_nvrtc_identity(nvrtc_set *set, const nvrtc_api *nvrtc)
{
	(void)pthread_mutex_lock(&set->lock);
	for (size_t i = 0; i < NVRTC_MOST; i++)
		if (set->opened[i] == nvrtc && !set->opened[i]->identified)
			identify(set, set->opened[i]);
	(void)pthread_mutex_unlock(&set->lock);
	return nvrtc->identity;
}

void cuda_nvrtc_version(const nvrtc_api *nvrtc, char *text, size_t size)
{
	text[0] = '\0';
	if (nvrtc != NULL)
		snprintf(text, size, "%d.%d", nvrtc->major, nvrtc->minor);
}

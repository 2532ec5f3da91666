/* SPDX-License-Identifier: Apache-2.0 */
/* Opening the libraries of products. */
#include <stdio.h>
#include <string.h>

#include "hip_state.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static const vendorlib_symbol lt_symbols[] = {
#define REQUIRED(field, names, arguments) VENDORLIB_REQUIRED(hipblaslt_api, field, names)
	HIPBLASLT_FUNCTIONS(REQUIRED)
#undef REQUIRED
};

static const vendorlib_symbol roc_symbols[] = {
#define REQUIRED(field, names, arguments) VENDORLIB_REQUIRED(rocblas_api, field, names)
	ROCBLAS_FUNCTIONS(REQUIRED)
#undef REQUIRED
};

/* By the number of the runtime's ROCm, newest first.  ROCm 6 has numbered hipBLASLt by its minor version. */
static const struct {
	int major;
	const char *names[7];
} lt_files[] = {
	{ 7, { "libhipblaslt.so.1" } },
	{ 6, { "libhipblaslt.so.0", "libhipblaslt.so.0.12", "libhipblaslt.so.0.10", "libhipblaslt.so.0.8",
	       "libhipblaslt.so.0.7", "libhipblaslt.so.0.6" } },
}, roc_files[] = {
	{ 7, { "librocblas.so.5" } },
	{ 6, { "librocblas.so.4" } },
	{ 5, { "librocblas.so.3", "librocblas.so.0" } },
};

static const struct {
	const char *option, *title, *package, *old;
	const vendorlib_symbol *symbols;
	size_t symbol_count;
} libraries[HIP_MAKERS] = {
	[HIP_HIPBLASLT] = { "hipblaslt", "hipBLASLt", "hipblaslt (ROCm) or libhipblaslt1 (Debian)",
	                    "it is no hipBLASLt of ROCm 6 or 7", lt_symbols, COUNT(lt_symbols) },
	[HIP_ROCBLAS] = { "rocblas", "rocBLAS", "rocblas (ROCm) or librocblas5 (Debian)",
	                  "it is no rocBLAS of ROCm 5.5 or later", roc_symbols, COUNT(roc_symbols) },
};

static const char *const *names_of(int maker, int major)
{
	if (maker == HIP_HIPBLASLT) {
		for (size_t i = 0; i < COUNT(lt_files); i++)
			if (lt_files[i].major == major)
				return lt_files[i].names;
	} else {
		for (size_t i = 0; i < COUNT(roc_files); i++)
			if (roc_files[i].major == major)
				return roc_files[i].names;
	}
	return NULL;
}

/* Streams and memory of one runtime are nothing to another: a library must be linked with ours. */
static eh_status check_runtime(const hip_self *self, const vendorlib *file, eh_error *error)
{
	void *theirs = vendorlib_find(file, "hipInit"), *ours = vendorlib_find(&self->api.library, "hipInit");
	char path[PATH_MAX];

	if (theirs == NULL || theirs == ours)
		return EH_OK;
	vendorlib_file_of(theirs, path, sizeof(path));
	return failure_set(error, EH_E_INCOMPATIBLE, "dlopen", "%.110s is linked with another HIP runtime, "
	                   "%.110s: take the library of the runtime's own ROCm.", file->path, path);
}

static eh_status begin(const hip_self *self, hip_library *l, int maker, eh_error *error)
{
	const eh_status status = check_runtime(self, &l->file, error);

	return status != EH_OK ? status
	                       : vendorlib_resolve(&l->file, libraries[maker].symbols,
	                                           libraries[maker].symbol_count, &l->api,
	                                           libraries[maker].old, error);
}

/* A file that is there and cannot be used is named in a warning, and leaves its reason in why. */
static bool try_name(const hip_self *self, hip_library *l, int maker, bool beside, const char *name,
                     char why[VENDORLIB_REASON])
{
	eh_error error = { .struct_size = sizeof(error) };
	char said[VENDORLIB_REASON] = "";
	size_t length;

	if (hip_api_try(&l->file, self->host, &self->api, beside, name, said)) {
		if (begin(self, l, maker, &error) == EH_OK)
			return true;
		snprintf(said, sizeof(said), "%s", error.message);
	}
	length = strlen(said);
	if (length == 0)
		return false;
	/* It becomes a part of a sentence. */
	if (said[length - 1] == '.')
		said[length - 1] = '\0';
	wording_say(self->host, EH_LOG_WARN, "A %s is left out: %s.", libraries[maker].title, said);
	memcpy(why, said, sizeof(said));
	return false;
}

/* What lies beside the runtime is of the very same ROCm, so all names are tried there first. */
static bool search(const hip_self *self, hip_library *l, int maker, char why[VENDORLIB_REASON])
{
	const char *const *names = names_of(maker, self->api.major);

	for (int beside = 1; beside >= 0; beside--)
		for (size_t i = 0; names != NULL && names[i] != NULL; i++)
			if (try_name(self, l, maker, beside == 1, names[i], why))
				return true;
	return false;
}

static eh_status none(const hip_self *self, int maker, const char *why, eh_error *error)
{
	const char *title = libraries[maker].title, *option = libraries[maker].option;
	const char *const *names = names_of(maker, self->api.major);
	char list[80], reason[170];

	if (names == NULL)
		return failure_set(error, EH_E_UNAVAILABLE, "dlopen", "evenhand knows no %s for the runtime of "
		                   "ROCm %d.", title, self->api.major);
	wording_shorten(why, reason, sizeof(reason));
	if (why[0] != '\0')
		return failure_set(error, EH_E_UNAVAILABLE, "dlopen", "%s cannot be used: %s; install %s, or "
		                   "name its file in --set hip.%s=FILE.", title, reason, libraries[maker].package,
		                   option);
	snprintf(list, sizeof(list), "%s%s", names[0], names[1] != NULL ? " and others" : "");
	return failure_set(error, EH_E_UNAVAILABLE, "dlopen", "%s is not here (looked for %s); install %s, or "
	                   "name its file in --set hip.%s=FILE.", title, list, libraries[maker].package,
	                   option);
}

static eh_status open_library(const hip_self *self, hip_library *l, int maker, eh_error *error)
{
	const char *chosen = self->host->option(self->host->ctx, libraries[maker].option);
	char why[VENDORLIB_REASON] = "", advice[128];

	if (chosen == NULL)
		return search(self, l, maker, why) ? EH_OK : none(self, maker, why, error);
	snprintf(advice, sizeof(advice), "install %s", libraries[maker].package);
	if (vendorlib_open(&l->file, libraries[maker].title, "", chosen, advice, error) != EH_OK)
		return EH_E_UNAVAILABLE;
	return begin(self, l, maker, error);
}

/* It needs no handle.  The text begins with the version, and ends with the digest of the source where the
 * library was built from git. */
static eh_status read_version(hip_library *l, eh_error *error)
{
	const rocblas_status rc = l->api.roc.version(l->version, sizeof(l->version));

	if (rc != rocblas_status_success) {
		l->version[0] = '\0';
		return hip_rocblas_failed(error, rc, "rocblas_get_version_string", "%.150s does not tell its version",
		                          l->file.path);
	}
	l->version[sizeof(l->version) - 1] = '\0';
	wording_tidy(l->version);
	if (l->version[0] != '\0')
		return EH_OK;
	return failure_set(error, EH_E_INCOMPATIBLE, "rocblas_get_version_string", "%.150s does not tell its "
	                   "version: name another in --set hip.rocblas=FILE.", l->file.path);
}

static eh_status open_once(const hip_self *self, hip_library *l, int maker, eh_error *error)
{
	const eh_status status = open_library(self, l, maker, error);

	if (maker != HIP_ROCBLAS || status != EH_OK)
		return status;
	/* rocBLAS 4.3 and later may be linked with it, and hand products on to it. */
	vendorlib_file_of(vendorlib_find(&l->file, "hipblasLtCreate"), l->beside, sizeof(l->beside));
	return read_version(l, error);
}

eh_status hip_libraries_open(const eh_device *device, int maker, eh_error *error)
{
	hip_self *self = device->self;
	hip_library *l = &self->libraries.all[maker];

	(void)pthread_mutex_lock(&self->libraries.lock);
	if (!l->tried) {
		l->problem.struct_size = sizeof(l->problem);
		l->status = open_once(self, l, maker, &l->problem);
		l->tried = true;
	}
	(void)pthread_mutex_unlock(&self->libraries.lock);
	if (l->status != EH_OK && error != NULL)
		eh_give(error, &l->problem, sizeof(l->problem));
	return l->status;
}

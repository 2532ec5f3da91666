/* SPDX-License-Identifier: Apache-2.0 */
#include "cuda_cublaslt.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static const char what[] = "NVIDIA's library of matrix products";
static const char advice[] =
	"install libcublaslt12 (Debian), or nvidia-cublas-cu12 (PyPI) and name its file in --set "
	"cuda.cublaslt=FILE";

static const vendorlib_symbol symbols[] = {
#define REQUIRED(field, names, arguments) VENDORLIB_REQUIRED(cublaslt_api, field, names)
	CUBLASLT_FUNCTIONS(REQUIRED)
#undef REQUIRED
};

/* Newest first. */
static const struct {
	int major;
	const char *name;
} files[] = {
	{ 13, "libcublasLt.so.13" }, { 12, "libcublasLt.so.12" }, { 11, "libcublasLt.so.11" },
};

/* ---- errors ------------------------------------------------------------------------------ */

static const char unknown[] = "unknown cuBLAS status";

static const failure_remedy codes[] = {
	{ FAILURE_CODE(CUBLAS_STATUS_SUCCESS, EH_OK), NULL },
	{ FAILURE_CODE(CUBLAS_STATUS_NOT_INITIALIZED, EH_E_UNAVAILABLE),
	  "Either the driver is older than the library, so update it or name an older cuBLASLt in --set "
	  "cuda.cublaslt=FILE, or the device has no memory left for it." },
	{ FAILURE_CODE(CUBLAS_STATUS_ALLOC_FAILED, EH_E_NO_MEMORY),
	  "Free memory on the device: other processes on it show in nvidia-smi." },
	{ FAILURE_CODE(CUBLAS_STATUS_INVALID_VALUE, EH_E_INTERNAL), NULL },
	{ FAILURE_CODE(CUBLAS_STATUS_ARCH_MISMATCH, EH_E_UNSUPPORTED),
	  "The device is too old for this cuBLASLt: name that of CUDA 12 in --set cuda.cublaslt=FILE." },
	{ FAILURE_CODE(CUBLAS_STATUS_MAPPING_ERROR, EH_E_DEVICE), NULL },
	{ FAILURE_CODE(CUBLAS_STATUS_EXECUTION_FAILED, EH_E_DEVICE),
	  "The kernel log (dmesg, lines with NVRM or Xid) says more." },
	{ FAILURE_CODE(CUBLAS_STATUS_INTERNAL_ERROR, EH_E_DEVICE),
	  "CUBLASLT_LOG_LEVEL=5 has the library say more." },
	{ FAILURE_CODE(CUBLAS_STATUS_NOT_SUPPORTED, EH_E_UNSUPPORTED), NULL },
	{ FAILURE_CODE(CUBLAS_STATUS_LICENSE_ERROR, EH_E_UNAVAILABLE), "The library has no licence." },
};

const char *cuda_cublaslt_name(cublasStatus_t rc)
{
	return failure_remedy_name(codes, COUNT(codes), (int64_t)rc, unknown);
}

eh_status cuda_cublaslt_failed(eh_error *error, cublasStatus_t rc, const char *where,
                               const char *format, ...)
{
	va_list arguments;
	eh_status status;

	va_start(arguments, format);
	status = failure_remedy_set(error, codes, COUNT(codes), (int64_t)rc, unknown, where, format,
	                            arguments);
	va_end(arguments);
	return status;
}

/* ---- opening ----------------------------------------------------------------------------- */

/* Finds the functions and asks for the version by its parts, which need no arithmetic. */
static eh_status begin(cuda_cublaslt *l, eh_error *error)
{
	static const libraryPropertyType parts[] = { MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL };
	int version[COUNT(parts)] = { 0 };
	eh_status status = vendorlib_resolve(&l->file, symbols, COUNT(symbols), &l->api,
	                                     "it is no whole cuBLASLt of CUDA 11 or later", error);

	for (size_t i = 0; i < COUNT(parts) && status == EH_OK; i++) {
		const cublasStatus_t rc = l->api.property(parts[i], &version[i]);

		if (rc != CUBLAS_STATUS_SUCCESS)
			return failure_native(error, EH_E_INCOMPATIBLE, "cublasLtGetProperty", (int64_t)rc,
			                      cuda_cublaslt_name(rc), "Name another in --set "
			                      "cuda.cublaslt=FILE.", "%.150s does not tell its version",
			                      l->file.path);
	}
	l->major = version[0];
	l->minor = version[1];
	snprintf(l->version, sizeof(l->version), "%d.%d.%d", version[0], version[1], version[2]);
	return status;
}

static bool is_refused(const eh_host *host, const char *folder, const char *name)
{
	char path[PATH_MAX];

	return folder != NULL && snprintf(path, sizeof(path), "%s/%s", folder, name) < (int)sizeof(path) &&
	       vendorlib_allowed(host, path, NULL) != EH_OK;
}

/* A file that is there and cannot be used is named in a warning, and leaves its reason in why. */
static bool open_in(const cuda_self *self, cuda_cublaslt *l, const char *folder, const char *name)
{
	eh_error error = { .struct_size = sizeof(error) };
	char why[VENDORLIB_REASON] = "";
	size_t length;

	if (vendorlib_try(&l->file, self->host, folder, name, why)) {
		if (begin(l, &error) == EH_OK)
			return true;
		snprintf(why, sizeof(why), "%s", error.message);
	}
	length = strlen(why);
	if (length == 0)
		return false;
	/* It becomes a part of a sentence. */
	if (why[length - 1] == '.')
		why[length - 1] = '\0';
	wording_say(self->host, EH_LOG_WARN, "A cuBLASLt is left out: %s%s.", why,
	            is_refused(self->host, folder, name) ?
	            "; to use it all the same, name the file in --set cuda.cublaslt=FILE" : "");
	memcpy(l->why, why, sizeof(why));
	return false;
}

/* Newer than the driver, or without kernels for the device: CUDA 13's begins with 7.5. */
static bool comes_last(const eh_device *device, int major)
{
	const int driver_major = device->self->api.version / 1000;

	return (driver_major > 0 && major > driver_major) || (major >= 13 && device->compute < 75);
}

static bool search(const eh_device *device, cuda_cublaslt *l, bool last)
{
	char path[PATH_MAX];

	for (size_t f = 0; f < CUDA_NVRTC_FOLDERS; f++) {
		const char *folder = cuda_nvrtc_folder(f, path);

		if (folder != NULL && folder[0] == '\0')
			continue;
		for (size_t i = 0; i < COUNT(files); i++)
			if (comes_last(device, files[i].major) == last &&
			    open_in(device->self, l, folder, files[i].name))
				return true;
	}
	return false;
}

static eh_status open_library(const eh_device *device, cuda_cublaslt *l, eh_error *error)
{
	const eh_host *host = device->self->host;
	const char *chosen = host->option(host->ctx, "cublaslt");

	if (chosen != NULL) {
		const eh_status status = vendorlib_open(&l->file, what, "", chosen, advice, error);

		return status == EH_OK ? begin(l, error) : status;
	}
	if (search(device, l, false) || search(device, l, true))
		return EH_OK;
	if (l->why[0] != '\0')
		return failure_set(error, EH_E_UNAVAILABLE, "dlopen", "%s cannot be used: %.190s; %s.", what,
		                   l->why, advice);
	return failure_set(error, EH_E_UNAVAILABLE, "dlopen", "%s cannot be opened (looked for "
	                   "libcublasLt.so.13, .12 and .11, also in $CUDA_HOME/lib64 and "
	                   "/usr/local/cuda/lib64); %s.", what, advice);
}

static const cuda_cublaslt *open_once(const eh_device *device)
{
	cuda_self *self = device->self;

	(void)pthread_mutex_lock(&self->cublaslt_lock);
	if (self->cublaslt == NULL) {
		cuda_cublaslt *l = calloc(1, sizeof(*l));

		if (l != NULL) {
			l->problem.struct_size = sizeof(l->problem);
			l->status = open_library(device, l, &l->problem);
		}
		self->cublaslt = l;
	}
	(void)pthread_mutex_unlock(&self->cublaslt_lock);
	return self->cublaslt;
}

eh_status cuda_cublaslt_open(const eh_device *device, eh_error *error)
{
	const cuda_cublaslt *l = open_once(device);

	if (l == NULL)
		return failure_set(error, EH_E_NO_MEMORY, "gemm", "No memory is left for cuBLASLt.");
	if (l->status != EH_OK && error != NULL)
		eh_give(error, &l->problem, sizeof(l->problem));
	return l->status;
}

/* ---- the handle -------------------------------------------------------------------------- */

eh_status cuda_cublaslt_handle(eh_device *d, eh_error *error)
{
	const cuda_cublaslt *l = d->self->cublaslt;
	cublasStatus_t rc;

	if (d->gemm.handle != NULL)
		return EH_OK;
	rc = l->api.create(&d->gemm.handle);
	if (rc == CUBLAS_STATUS_SUCCESS)
		return EH_OK;
	d->gemm.handle = NULL;
	return cuda_cublaslt_failed(error, rc, "cublasLtCreate", "cuBLASLt %s does not start on %s",
	                            l->version, d->info.name);
}

void cuda_cublaslt_release(eh_device *d)
{
	if (d->gemm.handle == NULL)
		return;
	stream_devices_enter_quietly(d);
	(void)d->self->cublaslt->api.destroy(d->gemm.handle);
	d->gemm.handle = NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Start and stop: the environment that the stacks read, the platforms, and the list of devices. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ocl_state.h"
#include "shared/lastcache.h"
#include "shared/vendorlib.h"
#include "shared/wording.h"

/* Where the stacks keep compiled kernels, and how to switch each cache off. */
static const struct {
	const char *slug, *folder_variable, *folder, *off_variable, *off_value;
} caches[] = {
	{ "pocl", "POCL_CACHE_DIR", "pocl", "POCL_KERNEL_CACHE", "0" },
	{ "rusticl", "MESA_SHADER_CACHE_DIR", "mesa", "MESA_SHADER_CACHE_DISABLE", "true" },
	{ "nvidia", "CUDA_CACHE_PATH", "nvidia", "CUDA_CACHE_DISABLE", "1" },
	{ "intel-gpu", "NEO_CACHE_DIR", "neo", "NEO_CACHE_PERSISTENT", "0" },
	{ "amd", "AMD_COMGR_CACHE_DIR", "comgr", "AMD_COMGR_CACHE", "0" },
	{ "clover", "MESA_SHADER_CACHE_DIR", "mesa", "MESA_SHADER_CACHE_DISABLE", "true" },
};

/* The first entry whose text is in the platform's name gives the first part of its devices' ids. */
static const struct {
	const char *in_name, *slug;
} slugs[] = {
	{ "Portable Computing Language", "pocl" },
	{ "rusticl", "rusticl" },
	{ "Clover", "clover" },
	{ "Oclgrind", "oclgrind" },
	{ "NVIDIA", "nvidia" },
	{ "AMD", "amd" },
	{ "FPGA Emulation", "intel-fpga-emulation" },
	{ "Intel(R) OpenCL HD Graphics", "intel-gpu" },
	{ "Intel(R) OpenCL Graphics", "intel-gpu" },
	{ "Intel(R) OpenCL", "intel-cpu" },
};

#define note(self, ...) wording_note((self)->notes, sizeof((self)->notes), __VA_ARGS__)

bool ocl_platforms_has_word(const char *list, const char *word)
{
	const size_t length = strlen(word);
	for (const char *p = list; (p = strstr(p, word)) != NULL; p += length)
		if ((p == list || p[-1] == ' ') && (p[length] == ' ' || p[length] == '\0'))
			return true;
	return false;
}

char *ocl_platforms_device_text(const ocl_api *api, cl_device_id device, cl_device_info what,
                                const char *fact, wording_gaps *gaps)
{
	size_t size = 0;
	cl_int rc = api->clGetDeviceInfo(device, what, 0, NULL, &size);
	char *text = calloc(1, (rc == CL_SUCCESS ? size : 0) + 1);
	if (text == NULL)
		return NULL;
	if (rc == CL_SUCCESS && size > 0)
		rc = api->clGetDeviceInfo(device, what, size, text, NULL);
	if (rc != CL_SUCCESS) {
		text[0] = '\0';
		ocl_error_gap(gaps, fact, rc, "clGetDeviceInfo");
	}
	wording_tidy(text);
	return text;
}

/* Cut to size; "" for a fact that is not reported. */
static void copy_device_text(const ocl_api *api, cl_device_id device, cl_device_info what,
                             const char *fact, wording_gaps *gaps, char *out, size_t size)
{
	char *text = ocl_platforms_device_text(api, device, what, fact, gaps);
	snprintf(out, size, "%s", text != NULL ? text : "");
	free(text);
}

static char *platform_text(const ocl_api *api, cl_platform_id platform, cl_platform_info what,
                           const char *fact, wording_gaps *gaps)
{
	size_t size = 0;
	cl_int rc = api->clGetPlatformInfo(platform, what, 0, NULL, &size);
	char *text = calloc(1, (rc == CL_SUCCESS ? size : 0) + 1);
	if (text == NULL)
		return NULL;
	if (rc == CL_SUCCESS && size > 0)
		rc = api->clGetPlatformInfo(platform, what, size, text, NULL);
	if (rc != CL_SUCCESS) {
		text[0] = '\0';
		ocl_error_gap(gaps, fact, rc, "clGetPlatformInfo");
	}
	wording_tidy(text);
	return text;
}

/* "OpenCL 1.2 ..." is 120; 0 for any other text. */
static unsigned parse_version(const char *text)
{
	unsigned major, minor;
	if (sscanf(text, "OpenCL %u.%u", &major, &minor) != 2 || major > 99 || minor > 9)
		return 0;
	return major * 100 + minor * 10;
}

static void set_unless_set(ocl_self *self, const char *name, const char *value)
{
	const size_t used = strlen(self->settings);
	if (getenv(name) != NULL)
		return;
	if (setenv(name, value, 1) != 0) {
		note(self, "%s could not be set: %s.", name, strerror(errno));
		return;
	}
	snprintf(self->settings + used, sizeof(self->settings) - used, "%s%s=%s",
	    used > 0 ? "; " : "", name, value);
}

static void prepare_environment(ocl_self *self)
{
	const char *cache = self->host->option(self->host->ctx, "cache-dir");
	const char *rusticl = self->host->option(self->host->ctx, "rusticl");
	char folder[4096];
	for (size_t i = 0; i < sizeof(caches) / sizeof(caches[0]); i++) {
		if (cache == NULL) {
			set_unless_set(self, caches[i].off_variable, caches[i].off_value);
			continue;
		}
		if (getenv(caches[i].folder_variable) != NULL)
			continue;
		if (snprintf(folder, sizeof(folder), "%s/%s", cache, caches[i].folder) >=
		        (int)sizeof(folder) ||
		    (mkdir(folder, 0700) != 0 && errno != EEXIST))
			note(self, "The folder %s in %s cannot be made, so compiled kernels of that "
			    "stack go where it keeps them by itself.", caches[i].folder, cache);
		else
			set_unless_set(self, caches[i].folder_variable, folder);
	}
	/* Without it rusticl is a platform without devices. */
	if (rusticl == NULL)
		rusticl = "llvmpipe";
	if (strcmp(rusticl, "off") != 0)
		set_unless_set(self, "RUSTICL_ENABLE", rusticl);
}

const char *ocl_platforms_cache(const ocl_self *self, const ocl_platform *p)
{
	for (size_t i = 0; i < sizeof(caches) / sizeof(caches[0]); i++) {
		const char *off = getenv(caches[i].off_variable);
		if (strcmp(caches[i].slug, p->slug) != 0)
			continue;
		if (off != NULL && strcmp(off, caches[i].off_value) == 0)
			return "off";
		if (strstr(self->settings, caches[i].folder_variable) != NULL)
			return "evenhand's";
		return getenv(caches[i].folder_variable) != NULL ? "the user's" : "the driver's";
	}
	return "";
}

static void make_slug(ocl_platform *p)
{
	size_t n = 0;
	for (size_t i = 0; i < sizeof(slugs) / sizeof(slugs[0]); i++)
		if (strstr(p->name, slugs[i].in_name) != NULL) {
			snprintf(p->slug, sizeof(p->slug), "%s", slugs[i].slug);
			return;
		}
	for (const char *c = p->name; *c != '\0' && n + 1 < sizeof(p->slug); c++) {
		if ((*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9'))
			p->slug[n++] = *c;
		else if (*c >= 'A' && *c <= 'Z')
			p->slug[n++] = (char)(*c - 'A' + 'a');
		else if (n > 0 && p->slug[n - 1] != '-')
			p->slug[n++] = '-';
	}
	while (n > 0 && p->slug[n - 1] == '-')
		n--;
	p->slug[n] = '\0';
	if (n == 0)
		snprintf(p->slug, sizeof(p->slug), "platform");
}

/* The file of the vendor's driver.  A platform behind an ICD loader begins with a pointer to the
 * vendor's table of functions, whose second entry is its clGetPlatformInfo; the file with that
 * function is the driver. */
static void find_library(const ocl_api *api, ocl_platform *p, const char *extensions)
{
	void *const *table;
	if (!ocl_platforms_has_word(extensions, "cl_khr_icd"))
		return;
	table = *(void *const *const *)(const void *)p->id;
	if (table == NULL)
		return;
	vendorlib_file_of(table[1], p->library, sizeof(p->library));
	if (strcmp(p->library, api->path) == 0)
		p->library[0] = '\0';
}

static eh_status describe_platform(ocl_self *self, ocl_platform *p, eh_error *error)
{
	wording_gaps gaps = { "" };
	char *name = platform_text(&self->api, p->id, CL_PLATFORM_NAME, "name", &gaps);
	char *version = platform_text(&self->api, p->id, CL_PLATFORM_VERSION, "version", &gaps);
	char *extensions = platform_text(&self->api, p->id, CL_PLATFORM_EXTENSIONS, "extensions", &gaps);
	eh_status status = EH_OK;
	if (name == NULL || version == NULL || extensions == NULL) {
		status = failure_set(error, EH_E_NO_MEMORY, "start",
		    "No memory is left to list the OpenCL platforms.");
	} else {
		snprintf(p->name, sizeof(p->name), "%s", name[0] != '\0' ? name : "unnamed");
		snprintf(p->version_text, sizeof(p->version_text), "%s", version);
		p->version = parse_version(version);
		make_slug(p);
		find_library(&self->api, p, extensions);
		if (gaps.text[0] != '\0')
			note(self, "Platform %s (%s) does not tell everything of itself: unknown is its %s.",
			    p->name, p->version_text, gaps.text);
	}
	free(name);
	free(version);
	free(extensions);
	return status;
}

static cl_bool ask_bool(const ocl_api *api, cl_device_id device, cl_device_info what,
                        const char *fact, wording_gaps *gaps)
{
	cl_bool yes = CL_FALSE;
	const cl_int rc = api->clGetDeviceInfo(device, what, sizeof(yes), &yes, NULL);
	if (rc == CL_SUCCESS)
		return yes;
	ocl_error_gap(gaps, fact, rc, "clGetDeviceInfo");
	return CL_FALSE;
}

/* Whether the device has queues that record times. */
static bool has_profiling(const ocl_api *api, cl_device_id device, wording_gaps *gaps)
{
	cl_command_queue_properties queue = 0;
	const cl_int rc = api->clGetDeviceInfo(device, CL_DEVICE_QUEUE_PROPERTIES, sizeof(queue),
	    &queue, NULL);
	if (rc == CL_SUCCESS)
		return (queue & CL_QUEUE_PROFILING_ENABLE) != 0;
	ocl_error_gap(gaps, "queue properties", rc, "clGetDeviceInfo");
	return false;
}

/* Fills name, version, usable and reason of a listing that has id and platform. */
static void describe_listing(ocl_self *self, ocl_listing *d)
{
	const ocl_api *api = &self->api;
	wording_gaps gaps = { "" };
	bool available, compiles, little, profiles;
	char text[160];
	copy_device_text(api, d->id, CL_DEVICE_NAME, "name", &gaps, d->name, sizeof(d->name));
	copy_device_text(api, d->id, CL_DEVICE_VERSION, "version", &gaps, text, sizeof(text));
	available = ask_bool(api, d->id, CL_DEVICE_AVAILABLE, "availability", &gaps);
	compiles = ask_bool(api, d->id, CL_DEVICE_COMPILER_AVAILABLE, "compiler", &gaps);
	little = ask_bool(api, d->id, CL_DEVICE_ENDIAN_LITTLE, "byte order", &gaps);
	profiles = has_profiling(api, d->id, &gaps);
	d->version = parse_version(text);
	if (d->platform->version < d->version)
		d->version = d->platform->version;
	if (gaps.text[0] != '\0')
		snprintf(d->reason, sizeof(d->reason), "The driver does not tell what evenhand must know "
		    "of a device: unknown is its %.300s.", gaps.text);
	else if (d->version < 120)
		snprintf(d->reason, sizeof(d->reason), "The device speaks \"%.60s\" on a platform with "
		    "\"%.60s\", and evenhand needs OpenCL 1.2: update the driver.", text,
		    d->platform->version_text);
	else if (!available)
		snprintf(d->reason, sizeof(d->reason), "The driver says that the device is not "
		    "available now: another program may hold it, or it is switched off.");
	else if (!compiles)
		snprintf(d->reason, sizeof(d->reason), "The driver has no compiler for OpenCL C, "
		    "which evenhand's kernels are written in: install the full driver.");
	else if (!little)
		snprintf(d->reason, sizeof(d->reason), "The device is big-endian, which evenhand does "
		    "not support.");
	else if (!profiles)
		snprintf(d->reason, sizeof(d->reason), "The device has no profiling queues, which "
		    "OpenCL demands of every device: update the driver.");
	else
		d->usable = true;
}

static eh_status list_devices(ocl_self *self, ocl_platform *p, eh_error *error)
{
	cl_device_id *ids;
	ocl_listing *grown;
	cl_uint count = 0;
	uint32_t before = 0;
	cl_int rc = self->api.clGetDeviceIDs(p->id, CL_DEVICE_TYPE_ALL, 0, NULL, &count);
	if (rc != CL_SUCCESS && rc != CL_DEVICE_NOT_FOUND) {
		note(self, "Platform %s (%s) does not tell its devices: %s.", p->name, p->version_text,
		    ocl_error_name(rc));
		return EH_OK;
	}
	if (rc == CL_DEVICE_NOT_FOUND || count == 0) {
		note(self, "Platform %s (%s) has no devices%s.", p->name, p->version_text,
		    strcmp(p->slug, "rusticl") == 0 ?
		    ": name the drivers it may use in RUSTICL_ENABLE, for example llvmpipe" : "");
		return EH_OK;
	}
	ids = calloc(count, sizeof(cl_device_id));
	grown = realloc(self->devices, (self->device_count + count) * sizeof(*grown));
	if (grown != NULL)
		self->devices = grown;
	if (ids == NULL || grown == NULL) {
		free(ids);
		return failure_set(error, EH_E_NO_MEMORY, "start",
		    "No memory is left to list the OpenCL devices.");
	}
	rc = self->api.clGetDeviceIDs(p->id, CL_DEVICE_TYPE_ALL, count, ids, NULL);
	if (rc != CL_SUCCESS) {
		note(self, "Platform %s (%s) does not tell its devices: %s.", p->name, p->version_text,
		    ocl_error_name(rc));
		free(ids);
		return EH_OK;
	}
	/* Two platforms may have one slug, which then share the numbering. */
	for (uint32_t i = 0; i < self->device_count; i++)
		before += strcmp(self->devices[i].platform->slug, p->slug) == 0;
	for (cl_uint i = 0; i < count; i++) {
		ocl_listing *d = &self->devices[self->device_count++];
		memset(d, 0, sizeof(*d));
		d->id = ids[i];
		d->platform = p;
		snprintf(d->selector, sizeof(d->selector), "%s-%u", p->slug, (unsigned)(before + i));
		describe_listing(self, d);
		if (!d->usable)
			note(self, "%s (%s): %s", d->selector, d->name, d->reason);
	}
	free(ids);
	return EH_OK;
}

static void note_nothing_found(ocl_self *self)
{
	const char *vendors = getenv("OCL_ICD_VENDORS");
	if (vendors != NULL)
		note(self, "The OpenCL loader %s found no platforms by OCL_ICD_VENDORS=%.512s: name an "
		    ".icd file or a folder of them, or unset it.", self->api.path, vendors);
	else
		note(self, "The OpenCL loader %s found no platforms in /etc/OpenCL/vendors: install a "
		    "driver, such as pocl-opencl-icd or the vendor's.", self->api.path);
}

static void note_rusticl(ocl_self *self)
{
	if (strstr(self->settings, "RUSTICL_ENABLE=") == NULL)
		return;
	for (uint32_t i = 0; i < self->platform_count; i++)
		if (strcmp(self->platforms[i].slug, "rusticl") == 0) {
			note(self, "RUSTICL_ENABLE=%s was set so that platform rusticl shows its devices; "
			    "--set opencl.rusticl=off leaves it as it is.", getenv("RUSTICL_ENABLE"));
			return;
		}
}

/*
 * Intel's runtime for processors, as pip or oneAPI install it, is in no folder that a loader searches.
 * It is not loaded unasked: the folder is the user's, so the user is told.
 */
static void note_unregistered(ocl_self *self)
{
	const struct {
		const char *folder, *below;
	} places[] = {
		{ getenv("VIRTUAL_ENV"), "/lib" },
		{ getenv("CONDA_PREFIX"), "/lib" },
		{ getenv("HOME"), "/.local/lib" },
		{ "/usr/local", "/lib" },
		{ getenv("ONEAPI_ROOT"), "/compiler/latest/lib" },
		{ "/opt/intel/oneapi", "/compiler/latest/lib" },
	};
	char path[PATH_MAX];
	if (getenv("OCL_ICD_VENDORS") != NULL)
		return;
	for (uint32_t i = 0; i < self->platform_count; i++)
		if (strncmp(self->platforms[i].slug, "intel-cpu", strlen("intel-cpu")) == 0)
			return;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (places[i].folder == NULL ||
		    snprintf(path, sizeof(path), "%s%s/libintelocl.so", places[i].folder,
		        places[i].below) >= (int)sizeof(path) || access(path, F_OK) != 0)
			continue;
		note(self, "The OpenCL loader does not know Intel's runtime for processors in %.400s: root can "
		    "write this path into /etc/OpenCL/vendors/intel-cpu.icd, and OCL_ICD_VENDORS=%.400s shows "
		    "it alone.", path, path);
		return;
	}
}

static eh_status list_platforms(ocl_self *self, eh_error *error)
{
	cl_platform_id *ids;
	cl_uint count = 0;
	eh_status status = EH_OK;
	cl_int rc = self->api.clGetPlatformIDs(0, NULL, &count);
	if (rc == -1001 || (rc == CL_SUCCESS && count == 0)) { /* CL_PLATFORM_NOT_FOUND_KHR */
		note_nothing_found(self);
		return EH_OK;
	}
	if (rc != CL_SUCCESS)
		return ocl_error_call_as(error, EH_E_UNAVAILABLE, rc, "clGetPlatformIDs",
		    "The OpenCL loader %s does not list its platforms", self->api.path);
	ids = calloc(count, sizeof(cl_platform_id));
	self->platforms = calloc(count, sizeof(*self->platforms));
	if (ids == NULL || self->platforms == NULL) {
		free(ids);
		return failure_set(error, EH_E_NO_MEMORY, "start",
		    "No memory is left to list the OpenCL platforms.");
	}
	rc = self->api.clGetPlatformIDs(count, ids, NULL);
	if (rc != CL_SUCCESS)
		status = ocl_error_call_as(error, EH_E_UNAVAILABLE, rc, "clGetPlatformIDs",
		    "The OpenCL loader %s does not list its platforms", self->api.path);
	for (cl_uint i = 0; i < count && status == EH_OK; i++) {
		ocl_platform *p = &self->platforms[self->platform_count++];
		p->id = ids[i];
		status = describe_platform(self, p, error);
		if (status == EH_OK)
			status = list_devices(self, p, error);
	}
	free(ids);
	if (status == EH_OK)
		note_rusticl(self);
	return status;
}

eh_status ocl_platforms_start(const eh_host *host, void **out, eh_error *error)
{
	eh_status status;
	ocl_self *self = calloc(1, sizeof(*self));
	if (self == NULL)
		return failure_set(error, EH_E_NO_MEMORY, "start", "No memory is left to start.");
	self->host = host;
	self->root = lastcache_root(host);
	/* Before the library is opened, because drivers read the environment in their
	 * constructors. */
	prepare_environment(self);
	/* Used by the first product; asked for here, so that the core knows these settings. */
	(void)host->option(host->ctx, "gemm");
	(void)host->option(host->ctx, "clblast");
	(void)host->option(host->ctx, "onednn");
	status = ocl_loader_open(&self->api, host->option(host->ctx, "library"), error);
	if (status == EH_OK)
		status = list_platforms(self, error);
	if (status == EH_OK)
		note_unregistered(self);
	if (status != EH_OK) {
		ocl_platforms_stop(self);
		return status;
	}
	*out = self;
	return EH_OK;
}

void ocl_platforms_stop(void *opaque)
{
	ocl_self *self = opaque;
	if (self == NULL)
		return;
	free(self->clblast);
	free(self->onednn);
	free(self->devices);
	free(self->platforms);
	free(self);
}

void ocl_platforms_notes(void *opaque, char *text, size_t size)
{
	const ocl_self *self = opaque;
	if (size > 0)
		snprintf(text, size, "%s", self->notes);
}

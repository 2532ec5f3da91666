/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/plugin.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "plugin/object_file.h"
#include "plugin/trust.h"

/* Every [R] slot of eh_backend_ops; without one of them a backend is refused. */
#define REQUIRED_SLOTS(X)                                                                    \
	X(start) X(stop) X(device_count) X(device_info) X(device_open) X(device_close)       \
	X(buffer_alloc) X(buffer_free) X(queue_create) X(queue_destroy) X(queue_wait)        \
	X(fill) X(copy) X(upload) X(download) X(program_build) X(program_destroy)            \
	X(kernel_get) X(launch) X(mark_create) X(mark_destroy) X(mark_record) X(mark_wait)   \
	X(mark_elapsed)

#define REQUIRED_WORKLOAD_SLOTS(X)                                                           \
	X(describe) X(prepare) X(enqueue) X(poison) X(check) X(vary) X(finish)

#define REQUIRED_PROBE_SLOTS(X)                                                              \
	X(start) X(stop) X(place_count) X(place_info) X(channel_info) X(read)

/* What every kind of identity block begins with, read out field by field. */
typedef struct identity {
	const char *path, *kind;
	uint32_t magic, want_magic;
	size_t struct_size, want_size;
	unsigned abi_major, abi_minor, pointer_bytes;
	const char *name; /* valid once struct_size was checked */
} identity;

static eh_status refuse(eh_error *error, const identity *id, const char *why)
{
	return error_set(error, EH_E_INCOMPATIBLE, "%s is refused: %s", id->path, why);
}

static eh_status check_header(const identity *id, eh_error *error)
{
	if (id->magic != id->want_magic)
		return error_set(error, EH_E_INCOMPATIBLE,
		                 "%s is refused: its magic is 0x%08x and a %s has "
		                 "0x%08x",
		                 id->path, id->magic, id->kind, id->want_magic);
	if (id->struct_size < id->want_size)
		return error_set(error, EH_E_INCOMPATIBLE,
		                 "%s is refused: its identity block says that it has "
		                 "%zu bytes and ABI %d needs %zu; set struct_size to its sizeof",
		                 id->path, id->struct_size, EH_ABI_MAJOR, id->want_size);
	if (id->abi_major != EH_ABI_MAJOR)
		return error_set(error, EH_E_INCOMPATIBLE,
		                 "%s is refused: it was built for ABI %u.%u and this "
		                 "program speaks %d.%d; build it against this version's headers",
		                 id->path, id->abi_major, id->abi_minor, EH_ABI_MAJOR,
		                 EH_ABI_MINOR);
	if (id->pointer_bytes != sizeof(void *))
		return error_set(error, EH_E_INCOMPATIBLE,
		                 "%s is refused: it says that a pointer has %u bytes "
		                 "and here it has %zu",
		                 id->path, id->pointer_bytes, sizeof(void *));
	return EH_OK;
}

static bool good_name(const char *name)
{
	if (name[0] < 'a' || name[0] > 'z')
		return false;
	return name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

static eh_status check_name(const identity *id, eh_error *error)
{
	const char *slash = strrchr(id->path, '/');
	const char *base = slash != NULL ? slash + 1 : id->path;
	size_t size;

	if (id->name == NULL)
		return refuse(error, id, "it has no name");
	size = strnlen(id->name, 64);
	if (size == 64 || !good_name(id->name))
		return refuse(error, id,
		              "its name must be a small letter followed by small letters, digits "
		              "and underscores, at most 63 in all");
	if (strncmp(base, id->name, size) != 0 || strcmp(base + size, ".so") != 0)
		return error_set(error, EH_E_INCOMPATIBLE,
		                 "%s is refused: it calls itself '%s', so its file "
		                 "must be called %s.so",
		                 id->path, id->name, id->name);
	return EH_OK;
}

/* The handle's own symbol of that name; dlsym also looks into what the object depends on. */
static void *own_symbol(void *handle, const char *name, const char **elsewhere)
{
	struct link_map *own = NULL, *found = NULL;
	Dl_info info;
	void *symbol = dlsym(handle, name);

	*elsewhere = NULL;
	if (symbol == NULL || dlinfo(handle, RTLD_DI_LINKMAP, &own) != 0 ||
	    dladdr1(symbol, &info, (void **)&found, RTLD_DL_LINKMAP) == 0)
		return NULL;
	if (found == own)
		return symbol;
	*elsewhere = info.dli_fname;
	return NULL;
}

/* Loads the object and finds its entry function; it is never unloaded. */
static eh_status load_entry(const char *path, const char *entry_name, void **entry, eh_error *error)
{
	const char *elsewhere;
	void *handle;
	char *real;
	eh_status status = trust_file(path, error);

	if (status == EH_OK)
		status = object_file_check(path, error);
	if (status != EH_OK)
		return status;
	/* Without a slash in it, dlopen would look elsewhere first. */
	real = realpath(path, NULL);
	if (real == NULL)
		return error_system(error, errno, "cannot follow %s", path);
	handle = dlopen(real, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	free(real);
	if (handle == NULL)
		return error_set(error, EH_E_UNAVAILABLE, "%s cannot be loaded: %s", path,
		                 dlerror());
	*entry = own_symbol(handle, entry_name, &elsewhere);
	if (*entry != NULL)
		return EH_OK;
	dlclose(handle);
	if (elsewhere != NULL)
		return error_set(error, EH_E_INCOMPATIBLE,
		                 "%s is refused: it has no symbol %s of its own, only "
		                 "one in %s, which it links",
		                 path, entry_name, elsewhere);
	return error_set(error, EH_E_INCOMPATIBLE, "%s is refused: it does not export %s", path,
	                 entry_name);
}

static eh_status refuse_slot(const identity *id, const char *slot, bool has_room, eh_error *error)
{
	return error_set(error, EH_E_INCOMPATIBLE, "%s is refused: its table lacks the required slot "
	                 "'%s'%s", id->path, slot,
	                 has_room ? "" : " (it lies beyond the struct_size of the table)");
}

static eh_status check_ops(const identity *id, const eh_backend_ops *ops, eh_error *error)
{
	if (ops == NULL)
		return refuse(error, id, "it has no table of functions");
#define CHECK_SLOT(slot)                                                                     \
	if (!EH_HAS(ops, eh_backend_ops, slot))                                              \
		return refuse_slot(id, #slot, EH_ROOM(ops->struct_size, eh_backend_ops, slot), error);
	REQUIRED_SLOTS(CHECK_SLOT)
#undef CHECK_SLOT
	return EH_OK;
}

eh_status plugin_load_backend(const char *path, const eh_backend **out, eh_error *error)
{
	identity id = { .path = path, .kind = "backend", .want_magic = EH_BACKEND_MAGIC,
	                .want_size = offsetof(eh_backend, ops) + sizeof(void *) };
	const eh_backend *backend;
	eh_backend_entry entry;
	void *symbol;
	eh_status status = load_entry(path, EH_BACKEND_ENTRY_NAME, &symbol, error);

	if (status != EH_OK)
		return status;
	memcpy(&entry, &symbol, sizeof(entry));
	backend = entry();
	if (backend == NULL)
		return refuse(error, &id, EH_BACKEND_ENTRY_NAME " returned NULL");
	id.magic = backend->magic;
	id.struct_size = backend->struct_size;
	id.abi_major = backend->abi_major;
	id.abi_minor = backend->abi_minor;
	id.pointer_bytes = backend->pointer_bytes;
	status = check_header(&id, error);
	if (status != EH_OK)
		return status;
	id.name = backend->name;
	status = check_name(&id, error);
	if (status == EH_OK &&
	    (backend->title == NULL || backend->version == NULL || backend->license == NULL))
		status = refuse(error, &id, "its title, version or license is NULL");
	if (status == EH_OK)
		status = check_ops(&id, backend->ops, error);
	if (status == EH_OK)
		*out = backend;
	return status;
}

eh_status plugin_load_workload(const char *path, const eh_workload **out, eh_error *error)
{
	identity id = { .path = path, .kind = "workload", .want_magic = EH_WORKLOAD_MAGIC,
	                .want_size = offsetof(eh_workload, finish) + sizeof(void *) };
	const eh_workload *workload;
	eh_workload_entry entry;
	void *symbol;
	eh_status status = load_entry(path, EH_WORKLOAD_ENTRY_NAME, &symbol, error);

	if (status != EH_OK)
		return status;
	memcpy(&entry, &symbol, sizeof(entry));
	workload = entry();
	if (workload == NULL)
		return refuse(error, &id, EH_WORKLOAD_ENTRY_NAME " returned NULL");
	id.magic = workload->magic;
	id.struct_size = workload->struct_size;
	id.abi_major = workload->abi_major;
	id.abi_minor = workload->abi_minor;
	id.pointer_bytes = workload->pointer_bytes;
	status = check_header(&id, error);
	if (status != EH_OK)
		return status;
	id.name = workload->name;
	status = check_name(&id, error);
	if (status == EH_OK && (workload->summary == NULL || workload->params == NULL))
		status = refuse(error, &id, "its summary or its list of parameters is NULL");
	if (status != EH_OK)
		return status;
#define CHECK_SLOT(slot)                                                                     \
	if (workload->slot == NULL)                                                          \
		return refuse(error, &id, "it lacks the required function '" #slot "'");
	REQUIRED_WORKLOAD_SLOTS(CHECK_SLOT)
#undef CHECK_SLOT
	*out = workload;
	return EH_OK;
}

eh_status plugin_load_probe(const char *path, const eh_probe **out, eh_error *error)
{
	identity id = { .path = path, .kind = "probe", .want_magic = EH_PROBE_MAGIC,
	                .want_size = offsetof(eh_probe, ops) + sizeof(void *) };
	const eh_probe *probe;
	eh_probe_entry entry;
	void *symbol;
	eh_status status = load_entry(path, EH_PROBE_ENTRY_NAME, &symbol, error);

	if (status != EH_OK)
		return status;
	memcpy(&entry, &symbol, sizeof(entry));
	probe = entry();
	if (probe == NULL)
		return refuse(error, &id, EH_PROBE_ENTRY_NAME " returned NULL");
	id.magic = probe->magic;
	id.struct_size = probe->struct_size;
	id.abi_major = probe->abi_major;
	id.abi_minor = probe->abi_minor;
	id.pointer_bytes = probe->pointer_bytes;
	status = check_header(&id, error);
	if (status != EH_OK)
		return status;
	id.name = probe->name;
	status = check_name(&id, error);
	if (status == EH_OK &&
	    (probe->title == NULL || probe->version == NULL || probe->license == NULL))
		status = refuse(error, &id, "its title, version or license is NULL");
	if (status == EH_OK && probe->ops == NULL)
		status = refuse(error, &id, "it has no table of functions");
	if (status != EH_OK)
		return status;
#define CHECK_SLOT(slot)                                                                     \
	if (!EH_HAS(probe->ops, eh_probe_ops, slot))                                         \
		return refuse_slot(&id, #slot,                                               \
		                   EH_ROOM(probe->ops->struct_size, eh_probe_ops, slot), error);
	REQUIRED_PROBE_SLOTS(CHECK_SLOT)
#undef CHECK_SLOT
	*out = probe;
	return EH_OK;
}

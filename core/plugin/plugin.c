/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/plugin.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "plugin/object_file.h"

/* Every [R] slot of eh_backend_ops.  A backend without one of them is refused. */
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

#define REQUIRED_SUITE_SLOTS(X) X(tests) X(selects) X(begin) X(prepare) X(run) X(end)

#define CALLER(word)                                                                         \
	static const void *call_##word(void *symbol)                                         \
	{                                                                                    \
		eh_##word##_entry entry;                                                     \
                                                                                             \
		memcpy(&entry, &symbol, sizeof(entry));                                      \
		return entry();                                                              \
	}
CALLER(backend)
CALLER(workload)
CALLER(probe)
CALLER(conformance)

/* The identity block of each kind. */
static const struct form {
	const char *entry;
	uint32_t magic;
	size_t needed;   /* bytes of the identity block */
	size_t name;     /* its offset there */
	const void *(*call)(void *symbol);
} forms[] = {
	[PLUGIN_BACKEND] = { EH_BACKEND_ENTRY_NAME, EH_BACKEND_MAGIC,
	                     offsetof(eh_backend, ops) + sizeof(void *),
	                     offsetof(eh_backend, name), call_backend },
	[PLUGIN_WORKLOAD] = { EH_WORKLOAD_ENTRY_NAME, EH_WORKLOAD_MAGIC,
	                      offsetof(eh_workload, finish) + sizeof(void *),
	                      offsetof(eh_workload, name), call_workload },
	[PLUGIN_PROBE] = { EH_PROBE_ENTRY_NAME, EH_PROBE_MAGIC,
	                   offsetof(eh_probe, ops) + sizeof(void *),
	                   offsetof(eh_probe, name), call_probe },
	[PLUGIN_CONFORMANCE] = { EH_CONFORMANCE_ENTRY_NAME, EH_CONFORMANCE_MAGIC,
	                         offsetof(eh_conformance, probe) + sizeof(void *),
	                         offsetof(eh_conformance, name), call_conformance },
};

static eh_status refuse(eh_error *error, const char *path, const char *why)
{
	return error_set(error, EH_E_INCOMPATIBLE, "%s is refused: %s", path, why);
}

static eh_status check_header(const char *path, enum plugin_kind kind, const eh_backend *h,
                              eh_error *error)
{
	if (h->magic != forms[kind].magic)
		return error_set(error, EH_E_INCOMPATIBLE,
		                 "%s is refused: its magic is 0x%08x and a %s has 0x%08x", path,
		                 h->magic, plugin_kind_word(kind), forms[kind].magic);
	if (h->struct_size < forms[kind].needed)
		return error_set(error, EH_E_INCOMPATIBLE,
		                 "%s is refused: its identity block says that it has %u bytes and "
		                 "ABI %d needs %zu; set struct_size to its sizeof",
		                 path, h->struct_size, EH_ABI_MAJOR, forms[kind].needed);
	if (h->abi_major != EH_ABI_MAJOR)
		return error_set(error, EH_E_INCOMPATIBLE,
		                 "%s is refused: it was built for ABI %u.%u and this program "
		                 "speaks %d.%d; build it against this version's headers",
		                 path, h->abi_major, h->abi_minor, EH_ABI_MAJOR, EH_ABI_MINOR);
	if (h->abi_minor < EH_ABI_FROZEN_MINOR)
		return error_set(error, EH_E_INCOMPATIBLE,
		                 "%s is refused: it was built for ABI %u.%u, and %d.%d is the first that "
		                 "was frozen; build it against this version's headers", path, h->abi_major,
		                 h->abi_minor, EH_ABI_MAJOR, EH_ABI_FROZEN_MINOR);
	if (h->pointer_bytes != sizeof(void *))
		return error_set(error, EH_E_INCOMPATIBLE,
		                 "%s is refused: it says that a pointer has %u bytes and here it "
		                 "has %zu", path, h->pointer_bytes, sizeof(void *));
	return EH_OK;
}

static bool good_name(const char *name)
{
	if (name[0] < 'a' || name[0] > 'z')
		return false;
	return name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

static eh_status check_name(const char *path, const char *name, eh_error *error)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash != NULL ? slash + 1 : path;
	size_t size;

	if (name == NULL)
		return refuse(error, path, "it has no name");
	size = strnlen(name, 64);
	if (size == 64 || !good_name(name))
		return refuse(error, path,
		              "its name must be a small letter followed by small letters, digits "
		              "and underscores, at most 63 in all");
	if (strncmp(base, name, size) != 0 || strcmp(base + size, ".so") != 0)
		return error_set(error, EH_E_INCOMPATIBLE,
		                 "%s is refused: it calls itself '%s', so its file must be called "
		                 "%s.so", path, name, name);
	return EH_OK;
}

/* The object's own symbol of that name, or NULL.  dlsym also finds symbols of its dependencies:
 * then *elsewhere is the path of that dependency. */
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
	eh_status status = object_file_trust(path, &real, error);

	if (status != EH_OK)
		return status;
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

/* Loads the object at path and checks the part of the identity block that is common to all
 * kinds. */
static eh_status load_block(const char *path, enum plugin_kind kind, const void **out,
                            eh_error *error)
{
	eh_backend head = { 0 }; /* the blocks of all kinds begin alike: tests/abi/layout.c */
	const char *name;
	void *symbol;
	eh_status status = load_entry(path, forms[kind].entry, &symbol, error);

	if (status != EH_OK)
		return status;
	*out = forms[kind].call(symbol);
	if (*out == NULL)
		return error_set(error, EH_E_INCOMPATIBLE, "%s is refused: %s returned NULL", path,
		                 forms[kind].entry);
	memcpy(&head, *out, offsetof(eh_backend, name));
	status = check_header(path, kind, &head, error);
	if (status != EH_OK)
		return status;
	memcpy(&name, (const char *)*out + forms[kind].name, sizeof(name));
	return check_name(path, name, error);
}

static eh_status refuse_slot(eh_error *error, const char *path, const char *slot, bool has_room)
{
	return error_set(error, EH_E_INCOMPATIBLE, "%s is refused: its table lacks the required "
	                 "slot '%s'%s", path, slot,
	                 has_room ? "" : " (it lies beyond the struct_size of the table)");
}

/* `table` is a variable of the calling function, TABLE its type. */
#define CHECK_SLOT(slot)                                                                     \
	if (!EH_ROOM(table->struct_size, TABLE, slot) || table->slot == NULL)                \
		return refuse_slot(error, path, #slot, EH_ROOM(table->struct_size, TABLE, slot));

static eh_status check_words(const char *path, const char *title, const char *version,
                             const char *license, const void *table, eh_error *error)
{
	if (title == NULL || version == NULL || license == NULL)
		return refuse(error, path, "its title, version or license is NULL");
	if (!text_is_clean(title) || !text_is_clean(version) || !text_is_clean(license))
		return refuse(error, path, "its title, version or license is not one line of UTF-8");
	return table != NULL ? EH_OK : refuse(error, path, "it has no table of functions");
}

static eh_status check_backend(const char *path, const eh_backend *b, eh_error *error)
{
	const eh_backend_ops *table = b->ops;
	eh_status status = check_words(path, b->title, b->version, b->license, table, error);

	if (status != EH_OK)
		return status;
#define TABLE eh_backend_ops
	REQUIRED_SLOTS(CHECK_SLOT)
#undef TABLE
	return EH_OK;
}

static eh_status check_workload(const char *path, const eh_workload *w, eh_error *error)
{
	if (w->summary == NULL || w->params == NULL)
		return refuse(error, path, "its summary or its list of parameters is NULL");
	if (!text_is_clean(w->summary))
		return refuse(error, path, "its summary is not one line of UTF-8");
#define CHECK_FUNCTION(slot)                                                                 \
	if (w->slot == NULL)                                                                 \
		return refuse(error, path, "it lacks the required function '" #slot "'");
	REQUIRED_WORKLOAD_SLOTS(CHECK_FUNCTION)
#undef CHECK_FUNCTION
	return EH_OK;
}

static eh_status check_probe(const char *path, const eh_probe *p, eh_error *error)
{
	const eh_probe_ops *table = p->ops;
	eh_status status = check_words(path, p->title, p->version, p->license, table, error);

	if (status != EH_OK)
		return status;
#define TABLE eh_probe_ops
	REQUIRED_PROBE_SLOTS(CHECK_SLOT)
#undef TABLE
	return EH_OK;
}

static eh_status check_suite(const char *path, const eh_suite *table, eh_error *error)
{
#define TABLE eh_suite
	REQUIRED_SUITE_SLOTS(CHECK_SLOT)
#undef TABLE
	return EH_OK;
}

static eh_status check_conformance(const char *path, const eh_conformance *c, eh_error *error)
{
	const eh_suite *both = c->backend != NULL ? c->probe : NULL;
	eh_status status = check_words(path, c->title, c->version, c->license, both, error);

	if (status == EH_OK)
		status = check_suite(path, c->backend, error);
	return status == EH_OK ? check_suite(path, c->probe, error) : status;
}

#define LOADER(word, kind)                                                                   \
	eh_status plugin_load_##word(const char *path, const eh_##word **out, eh_error *error) \
	{                                                                                    \
		const void *block;                                                           \
		eh_status status = load_block(path, kind, &block, error);                    \
                                                                                             \
		if (status == EH_OK)                                                         \
			status = check_##word(path, block, error);                           \
		if (status == EH_OK)                                                         \
			*out = block;                                                        \
		return status;                                                               \
	}
LOADER(backend, PLUGIN_BACKEND)
LOADER(workload, PLUGIN_WORKLOAD)
LOADER(probe, PLUGIN_PROBE)
LOADER(conformance, PLUGIN_CONFORMANCE)

enum plugin_kind plugin_kind_of(const char *path)
{
	enum plugin_kind kind = PLUGIN_BACKEND;
	size_t count;
	char *names = object_file_exports(path, &count);

	for (size_t i = 0; names != NULL && i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (strstr(names, forms[i].entry) == NULL)
			continue;
		kind = (enum plugin_kind)i;
		break;
	}
	free(names);
	return kind;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that a stack may read its settings from.  What a process opened is not known afterwards, so
 * these are files that exist and that an object names: by an absolute path below the folders for
 * configuration, by the end of a path below the user's, or by a variable that it reads.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "executor/configuration.h"
#include "executor/layer.h"
#include "executor/unrecorded.h"

enum {
	PATH_ROOM = 256,
	ENTRIES_MAX = 2000,     /* that are listed, of all folders together                       */
	FOLDER_MAX = 64,        /* a folder with more files is not one of configuration           */
	BYTES_MAX = 1 << 20     /* nor is a file with more bytes                                  */
};

/* A file or folder that may be configuration. */
typedef struct candidate { char *path; text_list readers; } candidate;

struct configfiles {
	const char *root;
	needles *needles;
	char *home, *config, *data;     /* the user's folders; NULL: there is none                */
	candidate *items;
	size_t count;
	size_t entries;                 /* listed so far                                          */
};

/* ---- candidates ------------------------------------------------------------------------------ */

static size_t candidate_new(configfiles *f, const char *path)
{
	f->items = memory_grow(f->items, (f->count + 1) * sizeof(*f->items));
	f->items[f->count] = (candidate){ .path = memory_text(path) };
	return f->count++;
}

static size_t candidate_of(configfiles *f, const char *path)
{
	for (size_t i = 0; i < f->count; i++)
		if (strcmp(f->items[i].path, path) == 0)
			return i;
	return candidate_new(f, path);
}

static void add_reader(configfiles *f, size_t at, const char *reader)
{
	text_list *readers = &f->items[at].readers;

	if (!text_list_has(readers, reader))
		text_list_add(readers, reader);
}

/* 0 when it does not exist; links are followed. */
static mode_t type_of(const configfiles *f, const char *path)
{
	char *full = memory_format("%s%s", f->root, path);
	struct stat st;
	mode_t type = stat(full, &st) == 0 ? st.st_mode & S_IFMT : 0;

	free(full);
	return type;
}

/* ---- folders --------------------------------------------------------------------------------- */

/* end: the path from a folder on in which the search began. */
typedef void entry_function(configfiles *f, const char *path, const char *end, mode_t type);

/* Without a look at each file where the folder has its type, as a home may lie on a network. */
static mode_t entry_type(const configfiles *f, const char *path, const struct dirent *entry)
{
	return entry->d_type == DT_REG ? S_IFREG : entry->d_type == DT_DIR ? S_IFDIR
	                                                                  : type_of(f, path);
}

/* prefix: the end of the folder's path; "" where the search begins. */
static void list_folder(configfiles *f, const char *folder, const char *prefix,
                        entry_function *each)
{
	char *full = memory_format("%s%s", f->root, folder);
	DIR *dir = opendir(full);
	const struct dirent *entry;

	free(full);
	while (dir != NULL && f->entries < ENTRIES_MAX && (entry = readdir(dir)) != NULL) {
		char *path = memory_format("%s/%s", folder, entry->d_name);
		char *end = memory_format("%s%s%s", prefix, prefix[0] != '\0' ? "/" : "",
		                          entry->d_name);

		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			each(f, path, end, entry_type(f, path, entry));
		f->entries++;
		free(end);
		free(path);
	}
	if (dir != NULL)
		closedir(dir);
}

/* malloc'd: the path below a folder, behind another name for it; NULL when it is not below. */
static char *renamed(const char *path, const char *folder, const char *name)
{
	size_t size = folder != NULL ? strlen(folder) : 0;

	return size > 1 && strncmp(path, folder, size) == 0 && path[size] == '/' ?
	       memory_format("%s%s", name, path + size) : NULL;
}

/* malloc'd: the path, with the same words for every user. */
static char *common_path(const configfiles *f, const char *path)
{
	char *name = renamed(path, f->config, "~/.config");

	if (name == NULL)
		name = renamed(path, f->data, "~/.local/share");
	if (name == NULL)
		name = renamed(path, f->home, "~");
	return name != NULL ? name : memory_text(path);
}

static bool is_recorded(const configfiles *f, const char *path)
{
	char *name = common_path(f, path);
	bool yes = unrecorded_reason(UNRECORDED_FILE, name) == NULL;

	free(name);
	return yes;
}

static void offer(configfiles *f, const char *path, const char *end)
{
	if (is_recorded(f, path))
		needles_add(f->needles, end, NEEDLE_FILE, candidate_new(f, path));
}

static void offer_inner(configfiles *f, const char *path, const char *end, mode_t type)
{
	if (type == S_IFREG || type == S_IFDIR)
		offer(f, path, end);
}

/* A file whose name alone could be any word needs the name of its folder. */
static void offer_outer(configfiles *f, const char *path, const char *end, mode_t type)
{
	if (type == S_IFDIR)
		list_folder(f, path, end, offer_inner);
	else if (type == S_IFREG && strchr(end, '.') != NULL)
		offer(f, path, end);
}

/* The files and folders with a dot, but for those that are listed for themselves. */
static void offer_home(configfiles *f, const char *path, const char *end, mode_t type)
{
	if (end[0] == '.' && !text_matches(".config, .cache, .local", end))
		offer_outer(f, path, end, type);
}

static void offer_start(configfiles *f, const char *path, const char *end, mode_t type)
{
	(void)end;
	(void)type;
	if (is_recorded(f, path))
		needles_add(f->needles, path, NEEDLE_START, 0);
}

/* malloc'd; NULL when neither is an absolute path. */
static char *folder_of(const char *const *environment, const char *variable, const char *home,
                       const char *otherwise)
{
	const char *given = configuration_variable(environment, variable);

	if (given != NULL && given[0] == '/')
		return memory_text(given);
	return home != NULL ? memory_format("%s%s", home, otherwise) : NULL;
}

configfiles *configfiles_new(const char *root, const char *const *environment, needles *n)
{
	static const char *const starts[] = { "/usr/share/", "/usr/local/etc/", "/usr/local/share/" };
	configfiles *f = memory_get(sizeof(*f));

	*f = (configfiles){ .root = root, .needles = n };
	f->home = folder_of(environment, "HOME", NULL, "");
	f->config = folder_of(environment, "XDG_CONFIG_HOME", f->home, "/.config");
	f->data = folder_of(environment, "XDG_DATA_HOME", f->home, "/.local/share");
	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++)
		needles_add(n, starts[i], NEEDLE_START, 0);
	list_folder(f, "/etc", "", offer_start);
	list_folder(f, "/opt", "", offer_start);
	list_folder(f, "/etc/xdg", "", offer_outer);
	if (f->config != NULL)
		list_folder(f, f->config, "", offer_outer);
	if (f->data != NULL)
		list_folder(f, f->data, "", offer_outer);
	if (f->home != NULL)
		list_folder(f, f->home, "", offer_home);
	return f;
}

void configfiles_free(configfiles *f)
{
	for (size_t i = 0; i < f->count; i++) {
		free(f->items[i].path);
		text_list_clear(&f->items[i].readers);
	}
	free(f->items);
	free(f->home);
	free(f->config);
	free(f->data);
	free(f);
}

/* ---- what objects and variables name --------------------------------------------------------- */

/* The path at `at`, up to a byte that paths rarely have.  Where a placeholder ends it
 * ("/etc/x/%s"), the folder remains. */
static void take_path(const char *at, const char *end, char path[PATH_ROOM])
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-+/";
	size_t size = 0;

	while (at + size < end && size < PATH_ROOM - 1 && at[size] != '\0' &&
	       strchr(letters, at[size]) != NULL)
		size++;
	if (at + size < end && strchr("%*$", at[size]) != NULL && at[size] != '\0')
		while (size > 0 && at[size - 1] != '/')
			size--;
	while (size > 0 && at[size - 1] == '/')
		size--;
	memcpy(path, at, size);
	path[size] = '\0';
}

/* Folders of the system's first level hold everybody's files. */
static bool is_deep(const char *path)
{
	return path[0] == '/' && strchr(path + 1, '/') != NULL &&
	       !text_matches("/usr/share, /usr/local, /usr/local/etc, /usr/local/share", path);
}

void configfiles_hit(configfiles *f, enum needle_edges edges, size_t tag, const char *at,
                     const char *end, const configuration_object *object)
{
	char path[PATH_ROOM];

	if (edges == NEEDLE_FILE) {
		add_reader(f, tag, object->name);
		return;
	}
	take_path(at, end, path);
	if (is_deep(path) && type_of(f, path) != 0)
		add_reader(f, candidate_of(f, path), object->name);
}

void configfiles_value(configfiles *f, const char *value, const text_list *readers)
{
	char *copy = memory_text(value), *rest = copy, *path;

	while ((path = strsep(&rest, ":;,")) != NULL)
		for (size_t i = 0; is_deep(path) && type_of(f, path) != 0 && i < readers->count; i++)
			add_reader(f, candidate_of(f, path), readers->items[i]);
	free(copy);
}

/* ---- layers ---------------------------------------------------------------------------------- */

/* Whether it can be read and is no object, which is searched and not read. */
static bool is_settings(const char *full)
{
	int fd = open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	char magic[4] = { 0 };
	struct stat st;
	bool yes = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	           st.st_size <= BYTES_MAX && read(fd, magic, sizeof(magic)) >= 0 &&
	           memcmp(magic, "\177ELF", sizeof(magic)) != 0;

	if (fd >= 0)
		close(fd);
	return yes;
}

static bool has_layer(const record_layer_list *layers, const char *name)
{
	for (size_t i = 0; i < layers->count; i++)
		if (layers->items[i].layer == RECORD_LAYER_CONFIGURATION &&
		    strcmp(layers->items[i].name, name) == 0)
			return true;
	return false;
}

static void add_file(const configfiles *f, const char *path, const text_list *readers,
                     executor_files *files, record_layer_list *layers)
{
	char *name = common_path(f, path), *full = memory_format("%s%s", f->root, path);

	if (is_recorded(f, path) && !has_layer(layers, name) && is_settings(full)) {
		record_layer *layer = configuration_layer(layers, name, readers);

		layer_file(layer, full, files);
		text_set(&layer->path, path);
	}
	free(full);
	free(name);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void add_folder(const configfiles *f, const candidate *c, executor_files *files,
                       record_layer_list *layers)
{
	char *full = memory_format("%s%s", f->root, c->path);
	struct dirent **entries = NULL;
	int count = scandir(full, &entries, is_visible, by_name);

	for (int i = 0; i < count; i++) {
		char *path = memory_format("%s/%s", c->path, entries[i]->d_name);

		if (count <= FOLDER_MAX)
			add_file(f, path, &c->readers, files, layers);
		free(path);
		free(entries[i]);
	}
	free(entries);
	free(full);
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const candidate *)a)->path, ((const candidate *)b)->path);
}

void configfiles_add(configfiles *f, executor_files *files, record_layer_list *layers)
{
	if (f->count > 0)
		qsort(f->items, f->count, sizeof(*f->items), by_path);
	for (size_t i = 0; i < f->count; i++) {
		const candidate *c = &f->items[i];
		mode_t type = c->readers.count > 0 ? type_of(f, c->path) : 0;

		if (type == S_IFREG)
			add_file(f, c->path, &c->readers, files, layers);
		else if (type == S_IFDIR)
			add_folder(f, c, files, layers);
	}
}

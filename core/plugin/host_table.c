/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/host.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "base/paths.h"
#include "base/text.h"
#include "base/trust.h"
#include "evenhand/backend_helper.h"
#include "plugin/cachekey.h"

/* The table of one backend.  Returned texts are valid until the process ends, so nothing here is
 * freed or changed. */
typedef struct lent {
	struct lent *next;
	char *name;
	eh_host table;
	bool library_asked;
	char *library;
	struct lent_cache *caches;
} lent;

/* The cache folder that an assignment names: NULL = the backend's own. */
typedef struct lent_cache { struct lent_cache *next; char *given, *folder; } lent_cache;

/* The assignments and tables of this process. */
static struct {
	pthread_mutex_t lock;
	const char **assignments; /* NULL-terminated */
	bool *used;               /* for each: a backend has read it */
	size_t count;
	lent *tables;
} lending = { .lock = PTHREAD_MUTEX_INITIALIZER };

static size_t word_size(const char *s, const char *more)
{
	size_t size;

	if (s[0] < 'a' || s[0] > 'z')
		return 0;
	size = strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789");
	while (s[size] != '\0' && strchr(more, s[size]) != NULL)
		size += 1 + strspn(s + size + 1, "abcdefghijklmnopqrstuvwxyz0123456789");
	return size;
}

eh_status host_option_set(const char *assignment, eh_error *error)
{
	size_t name = word_size(assignment, "_");
	size_t key =
		name > 0 && assignment[name] == '.' ? word_size(assignment + name + 1, "-_") : 0;

	if (key == 0 || assignment[name + 1 + key] != '=')
		return error_set(error, EH_E_USAGE,
		                 "'%s' is not BACKEND.KEY=VALUE, as in host.threads=4", assignment);
	if (strpbrk(assignment, "\n\r") != NULL)
		return error_set(error, EH_E_USAGE, "a setting may not contain a newline: %.*s",
		                 (int)(name + 1 + key), assignment);
	pthread_mutex_lock(&lending.lock);
	lending.assignments = memory_grow(lending.assignments,
	                                  (lending.count + 2) * sizeof(*lending.assignments));
	lending.used = memory_grow(lending.used, (lending.count + 1) * sizeof(*lending.used));
	lending.used[lending.count] = false;
	lending.assignments[lending.count++] = memory_text(assignment);
	lending.assignments[lending.count] = NULL;
	pthread_mutex_unlock(&lending.lock);
	return EH_OK;
}

const char *const *host_options(void)
{
	static const char *const none[] = { NULL };

	return lending.assignments != NULL ? lending.assignments : none;
}

bool host_option_used(size_t index)
{
	bool used;

	pthread_mutex_lock(&lending.lock);
	used = index < lending.count && lending.used[index];
	pthread_mutex_unlock(&lending.lock);
	return used;
}

/* The value that the user set last, or NULL.  The caller holds the lock. */
static const char *user_value(const char *name, const char *key)
{
	size_t name_size = strlen(name), key_size = strlen(key);
	const char *value = NULL;

	for (size_t i = 0; i < lending.count; i++) {
		const char *a = lending.assignments[i];

		if (strncmp(a, name, name_size) == 0 && a[name_size] == '.' &&
		    strncmp(a + name_size + 1, key, key_size) == 0 &&
		    a[name_size + 1 + key_size] == '=') {
			lending.used[i] = true;
			value = a + name_size + 1 + key_size + 1;
		}
	}
	return value;
}

/* Takes the path of a folder, which may be NULL, and makes it, closed to others; the path without links,
 * NULL when somebody else could change what is in it. */
static char *private_folder(char *folder)
{
	eh_error error = ERROR_INIT;
	char *real = NULL;

	if (folder == NULL)
		return NULL;
	if (trust_place(folder, "cannot make the folder", 0700, NULL, NULL, &error) != EH_OK ||
	    trust_open(folder, TRUST_FOLDER, NULL, &real, &error) != EH_OK)
		log_write(EH_LOG_WARN, "compiled kernels are not cached: %s", error.message);
	free(folder);
	return real;
}

/* The path of the cache folder of this backend under these variables, or NULL. */
static char *own_cache(const char *name)
{
	char *folder = private_folder(paths_cache(name)), *inner, *key;

	if (folder == NULL)
		return NULL;
	key = cachekey_folder((const char *const *)environ);
	if (key == NULL)
		return folder;
	inner = private_folder(path_join(folder, key));
	free(key);
	free(folder);
	return inner;
}

/* The caller holds the lock. */
static const char *cache_folder(lent *l, const char *given)
{
	lent_cache *c = l->caches;

	if (given != NULL && strcmp(given, "none") == 0)
		return NULL;
	while (c != NULL && (given == NULL || c->given == NULL ? given != c->given
	                                                        : strcmp(given, c->given) != 0))
		c = c->next;
	if (c != NULL)
		return c->folder;
	c = memory_get(sizeof(*c));
	*c = (lent_cache){ .next = l->caches, .given = given != NULL ? memory_text(given) : NULL };
	c->folder = given != NULL ? private_folder(memory_text(given)) : own_cache(l->name);
	l->caches = c;
	return c->folder;
}

static void lent_log(void *ctx, int level, const char *message)
{
	const lent *l = ctx;
	char *line = memory_text(message != NULL ? message : "");
	size_t size = strlen(line);

	while (size > 0 && line[size - 1] == '\n')
		line[--size] = '\0';
	text_clean(line);
	log_write(level, "%s: %s", l->name, line);
	free(line);
}

static uint64_t lent_now_ns(void *ctx)
{
	(void)ctx;
	return clock_now_ns();
}

static const char *lent_option(void *ctx, const char *key)
{
	lent *l = ctx;
	const char *value;

	if (key == NULL)
		return NULL;
	pthread_mutex_lock(&lending.lock);
	value = user_value(l->name, key);
	if (strcmp(key, "cache-dir") == 0) {
		value = cache_folder(l, value);
	} else if (strcmp(key, "library-dir") == 0 && value == NULL) {
		if (!l->library_asked)
			l->library = paths_library("");
		l->library_asked = true;
		value = l->library;
	}
	pthread_mutex_unlock(&lending.lock);
	return value;
}

static void lent_sha256(void *ctx, const void *data, size_t size, char hex[65])
{
	(void)ctx;
	digest_bytes(data, size, hex);
}

static eh_status lent_may_load(void *ctx, const char *path, eh_error *error)
{
	eh_error own = ERROR_INIT;
	eh_status status;

	(void)ctx;
	pthread_mutex_lock(&lending.lock); /* the accounts that it asks for are not for threads */
	status = trust_open(path, TRUST_FILE, NULL, NULL, &own);
	pthread_mutex_unlock(&lending.lock);
	if (status != EH_OK && error != NULL)
		eh_give(error, &own, sizeof(own));
	return status;
}

const eh_host *host_table(const char *backend_name)
{
	lent *l;

	pthread_mutex_lock(&lending.lock);
	for (l = lending.tables; l != NULL && strcmp(l->name, backend_name) != 0; l = l->next)
		;
	if (l == NULL) {
		l = memory_get(sizeof(*l));
		l->name = memory_text(backend_name);
		l->table = (eh_host){
			.struct_size = sizeof(eh_host),
			.abi_major = EH_ABI_MAJOR,
			.abi_minor = EH_ABI_MINOR,
			.ctx = l,
			.log = lent_log,
			.now_ns = lent_now_ns,
			.option = lent_option,
			.sha256 = lent_sha256,
			.may_load = lent_may_load,
		};
		l->next = lending.tables;
		lending.tables = l;
	}
	pthread_mutex_unlock(&lending.lock);
	return &l->table;
}

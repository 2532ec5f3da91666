/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A vendor's library, opened at run time by a list of versioned names, and its functions, found all
 * or nothing.  A backend keeps its functions in a struct of pointers and lists them once:
 *
 *   #define MY_FUNCTIONS(X) \
 *           X(mem_alloc, "vdMemAlloc_v2|vdMemAlloc", (void **p, size_t n)) ...
 *   typedef struct my_api {
 *   #define X(field, names, arguments) vdResult (*field) arguments;
 *           MY_FUNCTIONS(X)
 *   #undef X
 *   } my_api;
 *   static const vendorlib_symbol symbols[] = {
 *   #define X(field, names, arguments) VENDORLIB_REQUIRED(my_api, field, names)
 *           MY_FUNCTIONS(X)
 *   #undef X
 *   };
 */
#ifndef SHARED_VENDORLIB_H
#define SHARED_VENDORLIB_H

#include <limits.h>
#include <stdbool.h>

#include "evenhand/backend.h"

typedef struct vendorlib {
	void *handle;         /* NULL = not open                                              */
	char name[PATH_MAX];  /* under which it was found, "libcuda.so.1"                     */
	char path[PATH_MAX];  /* of the file, "" = unknown                                    */
} vendorlib;

typedef struct vendorlib_symbol {
	const char *names;  /* tried in this order, separated by '|'                          */
	size_t offset;      /* of the pointer in the struct                                   */
	bool required;
} vendorlib_symbol;

#define VENDORLIB_REQUIRED(type, field, names) { names, offsetof(type, field), true },
#define VENDORLIB_OPTIONAL(type, field, names) { names, offsetof(type, field), false },

/*
 * Opens the first of names (blank-separated) that can be opened, or only `chosen` (a path or name
 * that the user set, NULL = none).  EH_E_UNAVAILABLE when none can: the message lists the names,
 * says why the last failed when its file is there, and ends with `advice`, a sentence about what to
 * install.  The library is never closed: drivers keep threads and exit handlers in it.  `what` is
 * its name for people, "The NVIDIA driver's library".
 */
eh_status vendorlib_open(vendorlib *library, const char *what, const char *names,
                         const char *chosen, const char *advice, eh_error *error);

/* EH_OK when host->may_load allows code from the file at path, else EH_E_UNAVAILABLE with its sentence.
 * NULL for host, or a host without that function, allows every file.  Ask before the file is opened:
 * nobody else can exchange a file that is allowed. */
eh_status vendorlib_allowed(const eh_host *host, const char *path, eh_error *error);

enum { VENDORLIB_REASON = 400 };

/*
 * Opens the file `name` in `folder`, or as the loader finds it when folder is NULL; false when that
 * is not possible.  A file in a folder is opened only when host->may_load allows it; NULL for host
 * allows every file.  `why` (VENDORLIB_REASON bytes) is the reason when a file is there and cannot
 * be used; a missing one, or a path that is too long to be one, leaves it as it is.
 */
bool vendorlib_try(vendorlib *library, const eh_host *host, const char *folder, const char *name,
                   char *why);

/*
 * Fills the pointers of *table (NULL for an optional function that is missing).  All or nothing:
 * EH_E_INCOMPATIBLE names the first required function that is missing, and every pointer of the
 * list is then NULL.  `advice` is a clause about what to update.
 */
eh_status vendorlib_resolve(const vendorlib *library, const vendorlib_symbol *symbols, size_t count,
                            void *table, const char *advice, eh_error *error);

/* The address of one function by name, NULL when there is none or no library. */
void *vendorlib_find(const vendorlib *library, const char *name);

/* "vdMemAlloc" of "vdMemAlloc_v2|vdMemAlloc": the name in messages. */
void vendorlib_plain_name(const char *names, char *out, size_t size);

/* The file that holds address, links followed, or "" when that is unknown. */
void vendorlib_file_of(const void *address, char *path, size_t size);

#endif

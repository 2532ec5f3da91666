/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plugins: finding shared objects, loading them, and checking their identity blocks.  An object is
 * opened with RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE and is never unloaded.  The checks, in order:
 * owner and permissions on the way to the file, entry symbol (in that object only), magic, size, major
 * version, pointer width, name (equal to the file's), required slots.
 */
#ifndef PLUGIN_PLUGIN_H
#define PLUGIN_PLUGIN_H

#include <stdbool.h>

#include "base/error.h"
#include "evenhand/backend.h"
#include "evenhand/conformance.h"
#include "evenhand/probe.h"
#include "evenhand/workload.h"

enum plugin_kind { PLUGIN_BACKEND, PLUGIN_WORKLOAD, PLUGIN_PROBE, PLUGIN_CONFORMANCE };

typedef struct plugin_file {  /* one candidate on the search path                          */
	char *path;
	char *name;               /* file name without .so                                      */
	eh_status status;         /* EH_OK, or why it must not be loaded                        */
	char *reason;             /* one sentence, NULL when EH_OK                              */
	bool shadowed;            /* refused only because an earlier file has its name          */
} plugin_file;

/* The folders of the search path in order, each once, also those that do not exist;
 * NULL-terminated; free with plugin_folders_free. */
char **plugin_folders(enum plugin_kind kind);
void plugin_folders_free(char **folders);

/*
 * Lists every NAME.so of the search path and loads none.  The search path is
 * $EVENHAND_BACKEND_PATH (colon list; each kind has its variable), the user's data folder and the
 * installed folder.  Files that are not trusted (trust.h) get EH_E_UNAVAILABLE, and those that are no
 * whole object of this machine EH_E_INCOMPATIBLE.  Of the others the first of a name wins; later
 * ones are shadowed: EH_E_INVALID_ARGUMENT and the reason "shadowed by PATH".  Who loads a file and
 * finds it refused (EH_E_INCOMPATIBLE) goes on with plugin_next.  Returns the number of files; free
 * *out with plugin_files_free.
 */
size_t plugin_search(enum plugin_kind kind, plugin_file **out);
/* files[i] was loaded and refused: the first file that it shadows is no longer shadowed, and its place,
 * behind i, is returned; count when there is none. */
size_t plugin_next(plugin_file *files, size_t count, size_t i);
void plugin_files_free(plugin_file *files, size_t count);

/* Loads and checks the object at path; the descriptor lives until the process ends. */
eh_status plugin_load_backend(const char *path, const eh_backend **out, eh_error *error);
eh_status plugin_load_workload(const char *path, const eh_workload **out, eh_error *error);
eh_status plugin_load_probe(const char *path, const eh_probe **out, eh_error *error);
eh_status plugin_load_conformance(const char *path, const eh_conformance **out, eh_error *error);

/* The kind whose entry symbol the file at path exports, read without loading it; PLUGIN_BACKEND if
 * it exports none. */
enum plugin_kind plugin_kind_of(const char *path);
/* "backend", "workload", "probe", "conformance suite". */
const char *plugin_kind_word(enum plugin_kind kind);

/* Finds and loads a workload on the search path.  If there is none, the message lists the folders
 * that were searched and the names that were found.  A plan_finder (protocol/plan.h); context is not
 * used. */
const eh_workload *plugin_find_workload(void *context, const char *name, eh_error *error);
/* The same, with the malloc'd path of the file that was loaded. */
eh_status plugin_find_workload_file(const char *name, const eh_workload **out, char **path,
                                    eh_error *error);
/* Finds and loads the conformance suite. */
eh_status plugin_find_conformance(const eh_conformance **out, eh_error *error);

#endif

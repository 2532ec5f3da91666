/* SPDX-License-Identifier: Apache-2.0 */
/* The settings of a stack: environment variables and files that its objects read. */
#ifndef EXECUTOR_CONFIGURATION_H
#define EXECUTOR_CONFIGURATION_H

#include "executor/executor.h"
#include "executor/needles.h"

/* An object whose constants are searched: a mapped one, or a program that the worker calls. */
typedef struct configuration_object {
	const char *name; /* the end of path */
	char *path;
	bool program;     /* not mapped      */
} configuration_object;

/* The value of a variable, or NULL.  environment: NAME=VALUE, NULL-terminated. */
const char *configuration_variable(const char *const *environment, const char *name);
/* Adds a layer; readers: names of the objects that read it. */
record_layer *configuration_layer(record_layer_list *layers, const char *name,
                                  const text_list *readers);

/* ---- variables (configvariables.c) ---- */

typedef struct configvariables configvariables;
/* Takes the variables that may be recorded, and adds their names to the needles. */
configvariables *configvariables_new(const char *const *environment, needles *n);
void configvariables_free(configvariables *v);
/* An object has the name of the variable with that tag. */
void configvariables_hit(configvariables *v, size_t tag, const configuration_object *object);
/* Names that the object puts together from pieces. */
void configvariables_pieces(configvariables *v, const configuration_object *object);
/* Calls for each variable that an object reads. */
typedef void configvariables_each(void *context, const char *name, const char *value,
                                  const text_list *readers);
void configvariables_visit(const configvariables *v, configvariables_each *each, void *context);
/* Adds their layers.  initial: the environment that the process was started with. */
void configvariables_add(const configvariables *v, const char *const *initial,
                         record_layer_list *layers);

/* ---- files (configfiles.c) ---- */

typedef struct configfiles configfiles;
/* Looks for files below root that may be configuration, and adds what names them to the needles. */
configfiles *configfiles_new(const char *root, const char *const *environment, needles *n);
void configfiles_free(configfiles *f);
/* An object has a path, or the end of one; the arguments are those of needles_hit. */
void configfiles_hit(configfiles *f, enum needle_edges edges, size_t tag, const char *at,
                     const char *end, const configuration_object *object);
/* The files that the value of a variable names. */
void configfiles_value(configfiles *f, const char *value, const text_list *readers);
/* Adds the layers of those that exist. */
void configfiles_add(configfiles *f, executor_files *files, record_layer_list *layers);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/configuration.h"

#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/paths.h"
#include "base/text.h"
#include "executor/layer.h"
#include "executor/objectdata.h"
#include "record/disclosure.h"

/* ---- shared by variables and files ----------------------------------------------------------- */

const char *configuration_variable(const char *const *environment, const char *name)
{
	size_t size = strlen(name);

	for (; *environment != NULL; environment++)
		if (strncmp(*environment, name, size) == 0 && (*environment)[size] == '=')
			return *environment + size + 1;
	return NULL;
}

record_layer *configuration_layer(record_layer_list *layers, const char *name,
                                  const text_list *readers)
{
	record_layer *layer = layer_add(layers, RECORD_LAYER_CONFIGURATION, name, "",
	                                RECORD_SOURCE_MEASURED);
	text t = { 0 };

	for (size_t i = 0; i < readers->count; i++)
		text_add(&t, "%s%s", i > 0 ? ", " : "", readers->items[i]);
	layer_text(layer, "read-by", t.data, RECORD_SOURCE_MEASURED);
	text_free(&t);
	return layer;
}

/* ---- the objects ----------------------------------------------------------------------------- */

typedef struct objects {
	configuration_object *items;
	size_t count;
	char *program, *library; /* evenhand's own */
} objects;

/* evenhand itself, whose settings are recorded by their effect, or an object that is there. */
static bool is_out(const objects *o, const char *path)
{
	if (strcmp(path, text_or_empty(o->program)) == 0 ||
	    strncmp(path, o->library, strlen(o->library)) == 0)
		return true;
	for (size_t i = 0; i < o->count; i++)
		if (strcmp(o->items[i].path, path) == 0)
			return true;
	return false;
}

/* Takes path. */
static void add_object(objects *o, char *path, bool program)
{
	if (path == NULL || is_out(o, path))
		free(path);
	else
		o->items[o->count++] = (configuration_object){ strrchr(path, '/') + 1, path, program };
}

/* The layers with a file: the mapped ones of the stack first, then programs, such as compilers.
 * The paths that a backend names may be links to mapped objects. */
static void collect(objects *o, const record_layer_list *layers, bool mapped)
{
	for (size_t i = 0; i < layers->count; i++) {
		const record_layer *layer = &layers->items[i];

		if ((layer->layer == RECORD_LAYER_MAPPED_OBJECT) == mapped &&
		    text_or_empty(layer->path)[0] == '/' && disclosure_is_stack(layer))
			add_object(o, mapped ? memory_text(layer->path) : realpath(layer->path, NULL),
			           !mapped);
	}
}

static objects objects_of(const record_layer_list *layers)
{
	objects o = { .items = memory_get((layers->count + 1) * sizeof(*o.items)),
		      .program = paths_program(), .library = paths_library("") };

	collect(&o, layers, true);
	collect(&o, layers, false);
	return o;
}

/* ---- the environment that the process was started with --------------------------------------- */

typedef struct initial { char *bytes; const char **list; } initial;

static initial read_initial(const char *root)
{
	char *path = memory_format("%s/proc/self/environ", root);
	initial i = { NULL, memory_get(sizeof(*i.list)) };
	size_t size = 0, count = 0;

	if (file_read(path, &i.bytes, &size, NULL) != EH_OK)
		size = 0;
	for (const char *at = i.bytes; size > 0 && at < i.bytes + size; at += strlen(at) + 1) {
		i.list = memory_grow(i.list, (count + 2) * sizeof(*i.list));
		i.list[count++] = at;
		i.list[count] = NULL;
	}
	free(path);
	return i;
}

/* ---- the whole ------------------------------------------------------------------------------- */

typedef struct search {
	needles *needles;
	configvariables *variables;
	configfiles *files;
	configuration_object object; /* the one that is searched */
} search;

static void found(void *context, enum needle_edges edges, size_t tag, const char *at,
                  const char *end)
{
	search *s = context;

	if (edges == NEEDLE_NAME)
		configvariables_hit(s->variables, tag, &s->object);
	else
		configfiles_hit(s->files, edges, tag, at, end, &s->object);
}

static void search_objects(search *s, const record_layer_list *layers)
{
	objects o = objects_of(layers);

	for (size_t i = 0; i < o.count; i++) {
		s->object = o.items[i];
		if (objectdata_search(s->object.path, s->needles, found, s))
			configvariables_pieces(s->variables, &s->object);
	}
	for (size_t i = 0; i < o.count; i++)
		free(o.items[i].path);
	free(o.library);
	free(o.program);
	free(o.items);
}

static void take_value(void *context, const char *name, const char *value,
                       const text_list *readers)
{
	(void)name;
	configfiles_value(context, value, readers);
}

void executor_configuration(record_layer_list *layers, const char *root,
                            const char *const *environment, executor_files *files)
{
	needles *n = needles_new();
	search s = { n, configvariables_new(environment, n), configfiles_new(root, environment, n),
		     { 0 } };
	initial before = read_initial(root);

	search_objects(&s, layers);
	configvariables_visit(s.variables, take_value, s.files);
	configvariables_add(s.variables, before.list, layers);
	configfiles_add(s.files, files, layers);
	free(before.list);
	free(before.bytes);
	configfiles_free(s.files);
	configvariables_free(s.variables);
	needles_free(n);
}

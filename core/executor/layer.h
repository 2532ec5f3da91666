/* SPDX-License-Identifier: Apache-2.0 */
/* Filling the layers of an executor record, and reading the small files they come from. */
#ifndef EXECUTOR_LAYER_H
#define EXECUTOR_LAYER_H

#include <stdbool.h>

#include "executor/executor.h"

/* Appends a layer with an empty map of fields; it is valid until the next one is appended.  version
 * NULL is "". */
record_layer *layer_add(record_layer_list *layers, enum record_layer_kind kind, const char *name,
                        const char *version, enum record_source source);
/* path, and sha256 where the file can be read. */
void layer_file(record_layer *layer, const char *path, executor_files *files);

/* Of a setting that is no file, and has no value yet, the version is its value.  Returns the layer. */
record_layer *layer_settle(record_layer *layer);

/* Sets a field; a new one beyond LIMIT_FIELDS is left out.  A NULL text is unavailable: value "", source
 * RECORD_SOURCE_UNAVAILABLE. */
void layer_text(record_layer *layer, const char *key, const char *value, enum record_source source);
void layer_number(record_layer *layer, const char *key, double value, enum record_source source);
void layer_bool(record_layer *layer, const char *key, bool value, enum record_source source);

/* malloc'd content of ROOT/PATH without white space at its end, at most 64 KiB; NULL when it
 * cannot be read or is empty. */
char *layer_read(const char *root, const char *path);
/* Sets a field to the content of ROOT/PATH. */
void layer_read_text(record_layer *layer, const char *key, const char *root, const char *path);
/* malloc'd value of the first line "KEY<spaces or tabs>SEPARATOR VALUE"; NULL if there is none.
 * Double quotes around the value are removed. */
char *layer_value(const char *body, const char *key, char separator);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Making the layers of an executor record, and reading the small files they come from. */
#ifndef EXECUTOR_LAYER_H
#define EXECUTOR_LAYER_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "executor/executor.h"

/* Appends a layer without fields; version NULL is "". */
cJSON *layer_add(cJSON *layers, const char *kind, const char *name, const char *version,
                 const char *source);
/* path, and sha256 where the file can be read. */
void layer_file(cJSON *layer, const char *path, executor_files *files);

/* One field.  A NULL text is an unavailable one: value "", source "unavailable". */
void layer_text(cJSON *layer, const char *key, const char *value, const char *source);
void layer_number(cJSON *layer, const char *key, double value, const char *source);
void layer_bool(cJSON *layer, const char *key, bool value, const char *source);
/* Takes value. */
void layer_field(cJSON *layer, const char *key, cJSON *value, const char *source);

/* malloc'd content of ROOT/PATH without white space at its end, at most 64 KiB; NULL when it
 * cannot be read or is empty. */
char *layer_read(const char *root, const char *path);
/* malloc'd value of the first line "KEY<spaces or tabs>SEPARATOR VALUE"; NULL if there is none.
 * Double quotes around the value are taken off. */
char *layer_value(const char *body, const char *key, char separator);

#endif

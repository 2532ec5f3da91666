/* SPDX-License-Identifier: Apache-2.0 */
/* A setting of a stack: a layer of the kind configuration.  It is a variable with the field
 * `value`, or a file with path and digest; the field `read-by` names the objects that read it. */
#ifndef RECORD_SETTING_H
#define RECORD_SETTING_H

#include <stdbool.h>

#include "record/record.h"

bool setting_is(const record_layer *layer);
bool setting_is_file(const record_layer *setting);
/* Whether both have the same value. */
bool setting_same(const record_layer *a, const record_layer *b);
/* malloc'd: the name of the first object that reads it; "" where none is recorded. */
char *setting_reader(const record_layer *setting);
/* Whether objects read it: not so of a setting that somebody declares for the whole stack. */
bool setting_has_readers(const record_layer *setting);
/* Whether a stack has an object that reads it, in whatever version. */
bool setting_is_read(const record_layer *setting, const record_layer_list *layers);
/* malloc'd: its value in one line, cut.  setting NULL: why the stack with these layers lacks the
 * other stack's setting: "(not set)", "(no file)", "(not read)". */
char *setting_words(const record_layer *setting, const record_layer *other,
                    const record_layer_list *layers);

/* malloc'd: the name of a shared object without its version: "libLLVM" of libLLVM-15.so.1. */
char *setting_object_stem(const char *name);

#endif

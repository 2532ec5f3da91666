/* SPDX-License-Identifier: Apache-2.0 */
/* The files behind a site: inside of the executor room. */
#ifndef EXECUTOR_SITE_INSIDE_H
#define EXECUTOR_SITE_INSIDE_H

#include "base/ini.h"
#include "executor/site.h"

/* The site file, the user's owners.ini, the installed makers.ini: in order of precedence. */
enum { SITE_FILES = 3 };

struct site {
	char *paths[SITE_FILES];
	ini_text files[SITE_FILES];
};

/* Whether the section is [WORD NAME]. */
bool site_is_section(const ini_section *section, const char *word);
/* NULL when the section lacks the key. */
const char *site_value_in(const ini_section *section, const char *key);

/* The keys that declare layers: the kinds of layers that a site file declares.  Fills at most
 * `room` words and returns their number. */
size_t site_layer_keys(const char **words, size_t room);
/* EH_E_USAGE with the place where the value of such a key names no layers. */
eh_status site_check_layers(const ini_text *file, const ini_setting *setting, eh_error *error);
/* Appends the layers that the site declares for an executor. */
void site_add_layers(const site *s, const char *executor, record_layer_list *layers);

#endif

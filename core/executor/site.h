/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What only the people of a place can say: the site file (who measures, cooling, price, power
 * policy, what a device does not tell), and who owns which layer.  Both are INI files, read as
 * strictly as protocols.  Format: docs/executor.md.
 */
#ifndef EXECUTOR_SITE_H
#define EXECUTOR_SITE_H

#include <cjson/cJSON.h>

#include "base/error.h"

typedef struct site site;

/* path NULL: $EVENHAND_SITE, else site.ini in the user's configuration, where a missing file is an
 * empty site.  Also reads the owner tables: the site file's [owner NAME] sections, the user's
 * owners.ini, the installed one; the first that matches decides.  EH_E_USAGE with place and
 * remedy for a file that is not sound. */
eh_status site_read(const char *path, site **out, eh_error *error);
void site_free(site *s); /* NULL is fine */

/* The file that was read; "" when there is none. */
const char *site_path(const site *s);
/* What it declares for the key: the first [device NAME] whose `match` fits the executor and which
 * has the key, else [site]; NULL when neither has it.  executor NULL: [site] alone. */
const char *site_value(const site *s, const char *executor, const char *key);
/* The layer "site" of an executor; NULL when nothing is declared for it. */
cJSON *site_layer(const site *s, const char *executor);
/* The owner of a layer; NULL when no table names one. */
const char *site_owner(const site *s, const char *kind, const char *name);
/* Gives each layer its "owner"; one without keeps none. */
void site_own(const site *s, cJSON *layers);
/* A commented site file to begin with; malloc'd. */
char *site_template(void);

#endif

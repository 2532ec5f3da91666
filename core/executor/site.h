/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The site file declares what no program can find out: who measures, cooling, price, power policy,
 * facts that a device does not report.  The owner tables name who can change which layer.  Both are
 * INI files, read as strictly as protocols.  Format: docs/executor.md.
 */
#ifndef EXECUTOR_SITE_H
#define EXECUTOR_SITE_H

#include <stdbool.h>

#include "base/error.h"
#include "record/record.h"

typedef struct site site;

/* path NULL: $EVENHAND_SITE, else site.ini in the user's configuration, where a missing file is an
 * empty site.  Also reads the owner tables: the site file's [owner NAME] sections, the user's
 * owners.ini, the installed one; the first that matches decides.  EH_E_USAGE with place and
 * remedy for a malformed file. */
eh_status site_read(const char *path, site **out, eh_error *error);
void site_free(site *s); /* NULL is fine */

/* The file that was read; "" when there is none. */
const char *site_path(const site *s);
/* What it declares for the key: the first [device NAME] whose `match` fits the executor and which
 * has the key, else [site]; NULL when neither has it.  executor NULL: [site] alone. */
const char *site_value(const site *s, const char *executor, const char *key);
/* Appends the layer "site" of an executor; false when nothing is declared for it. */
bool site_add(const site *s, const char *executor, record_layer_list *layers);
/* The owner of a layer of that kind (record_layer_kind_word); NULL when no table names one. */
const char *site_owner(const site *s, const char *kind, const char *name);
/* Sets the owner of each layer. */
void site_own(const site *s, record_layer_list *layers);
/* A commented site file to begin with; malloc'd. */
char *site_template(void);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The site file declares what no program can find out: who measures, cooling, price, power policy,
 * facts that a device does not report, layers that no backend knows, and which team owns which layer.
 * The table of makers names who makes a layer.  All are INI files, read as strictly as protocols.
 * Format: docs/executor.md.
 */
#ifndef EXECUTOR_SITE_H
#define EXECUTOR_SITE_H

#include <stdbool.h>

#include "base/error.h"
#include "record/record.h"

typedef struct site site;

/* path NULL: $EVENHAND_SITE, else site.ini in the user's configuration, where a missing file is an
 * empty site.  Also reads the user's owners.ini, for [teams], [owner NAME] and [maker NAME] of all
 * sites, and the installed makers.ini; the first that matches decides.  EH_E_USAGE with place and
 * remedy for a malformed file. */
eh_status site_read(const char *path, site **out, eh_error *error);
void site_free(site *s); /* NULL is fine */

/* The file that was read; "" when there is none. */
const char *site_path(const site *s);
/* What it declares for the key: the first [device NAME] whose `match` fits the executor and which
 * has the key, else [site]; NULL when neither has it.  executor NULL: [site] alone. */
const char *site_value(const site *s, const char *executor, const char *key);
/* Appends the layer "site" of an executor, and the layers that are declared for it; false when there
 * are none. */
bool site_add(const site *s, const char *executor, record_layer_list *layers);
/* The maker of a layer of that kind (record_layer_kind_word), and the team that an [owner NAME]
 * section names for it; NULL when no table does.  path: of its file, or NULL. */
const char *site_maker(const site *s, const char *kind, const char *name, const char *path);
const char *site_owner(const site *s, const char *kind, const char *name, const char *path);
/* The team of [teams]; NULL when none is named. */
const char *site_team(const site *s, enum record_area area);
/* Sets maker and owner of each layer.  A maker that the backend names comes before the installed
 * table. */
void site_own(const site *s, record_layer_list *layers);
/* A commented site file to begin with; malloc'd. */
char *site_template(void);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Start and stop: the loader, its drivers, the settings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evenhand/extensions.h"
#include "lz_state.h"
#include "shared/lastcache.h"
#include "shared/vendorcache.h"
#include "shared/wording.h"

/* The cache of the native code that the driver makes of SPIR-V. */
static const vendorcache native_cache = { "neo", "NEO_CACHE_DIR", "NEO_CACHE_PERSISTENT", "0" };

/* *is tells whether a setting of two or three words has the given one; *is keeps its value when the
 * setting is unset or "auto". */
static eh_status read_word(const lz_self *self, const char *key, const char *yes, const char *no,
                           bool *is, eh_error *error)
{
	const char *wanted = self->host->option(self->host->ctx, key);

	if (wanted == NULL || strcmp(wanted, "auto") == 0)
		return EH_OK;
	*is = strcmp(wanted, yes) == 0;
	if (*is || strcmp(wanted, no) == 0)
		return EH_OK;
	return failure_set(error, EH_E_INVALID_ARGUMENT, "start",
	                   "levelzero.%s is %.40s, and it can be auto, %s or %s.", key, wanted, yes, no);
}

eh_status lz_start(const eh_host *host, void **out, eh_error *error)
{
	lz_self *self = calloc(1, sizeof(*self));
	bool present = false;
	eh_status status;

	if (self == NULL)
		return failure_set(error, EH_E_NO_MEMORY, "start", "No memory is left to start.");
	self->host = host;
	self->root = lastcache_root(host);
	self->in_order = true;
	self->native_cache = vendorcache_lead(host, &native_cache);
	/* Used by the first product; asked for here, so that the core knows this setting. */
	(void)host->option(host->ctx, "onednn");
	status = read_word(self, "lists", "regular", "immediate", &self->regular, error);
	if (status == EH_OK)
		status = read_word(self, "order", "list", "barriers", &self->in_order, error);
	if (status == EH_OK)
		status = lz_compilers_start(&self->compilers, host, error);
	if (status == EH_OK)
		status = lz_api_open(&self->api, host->option(host->ctx, "library"), &present, error);
	if (status == EH_OK && present)
		status = lz_places_list(self, error);
	if (status != EH_OK) {
		lz_start_stop(self);
		return status;
	}
	if (self->place_count == 0)
		wording_note(self->notes, sizeof(self->notes),
		             "The Level Zero loader %s finds no device: an Intel GPU needs the package "
		             "intel-level-zero-gpu (or libze-intel-gpu1) and the groups render and video.",
		             self->api.library.path);
	*out = self;
	return EH_OK;
}

void lz_start_stop(void *opaque)
{
	lz_self *self = opaque;

	free(self->places);
	free(self->onednn);
	free(self);
}

void lz_start_notes(void *opaque, char *text, size_t size)
{
	const lz_self *self = opaque;

	if (size > 0)
		snprintf(text, size, "%s", self->notes);
}

const void *lz_start_extension(void *opaque, const char *name)
{
	(void)opaque;
	if (strcmp(name, EH_GRAPH_NAME) == 0)
		return lz_graphs_table();
	if (strcmp(name, EH_PEER_NAME) == 0)
		return lz_peers_table();
	if (strcmp(name, EH_GEMM_NAME) == 0)
		return &lz_gemm_table;
	return NULL;
}

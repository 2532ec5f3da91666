/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The caches of drivers and vendors' compilers.  Other programs filled those of the user, so before
 * a vendor's library is opened its cache is redirected to a folder of the core's cache, or switched
 * off with it.  Variables that the user has set stay.
 */
#ifndef SHARED_VENDORCACHE_H
#define SHARED_VENDORCACHE_H

#include "evenhand/backend.h"

typedef struct vendorcache {
	const char *folder;            /* under the core's; NULL = it is always switched off    */
	const char *folder_variable;   /* environment variable with its folder                  */
	const char *off_variable, *off_value;
} vendorcache;

/* Returns the cache's owner from now on: "evenhand's", "off", "the user's", or "the driver's" when
 * neither could be set. */
const char *vendorcache_lead(const eh_host *host, const vendorcache *cache);

#endif

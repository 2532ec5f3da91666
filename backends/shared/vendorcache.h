/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The caches that drivers and vendors' compilers keep of their own.  What is in the user's was put
 * there by other programs, so before a vendor's library is opened its cache is led into a folder
 * of the one that the core lends, or switched off with it; what the user has set stays.
 */
#ifndef SHARED_VENDORCACHE_H
#define SHARED_VENDORCACHE_H

#include "evenhand/backend.h"

typedef struct vendorcache {
	const char *folder;            /* under the core's; NULL = it is always switched off    */
	const char *folder_variable;   /* of the environment: where it is                       */
	const char *off_variable, *off_value;
} vendorcache;

/* Whose it is from now on: "evenhand's", "off", "the user's", or "the driver's" when neither could be
 * set. */
const char *vendorcache_lead(const eh_host *host, const vendorcache *cache);

#endif

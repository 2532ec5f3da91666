/* SPDX-License-Identifier: Apache-2.0 */
#include "vendorcache.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static bool lead_to(const vendorcache *cache, const char *parent)
{
	char folder[4096];

	return snprintf(folder, sizeof(folder), "%s/%s", parent, cache->folder) < (int)sizeof(folder) &&
	       (mkdir(folder, 0700) == 0 || errno == EEXIST) &&
	       setenv(cache->folder_variable, folder, 1) == 0;
}

const char *vendorcache_lead(const eh_host *host, const vendorcache *cache)
{
	const char *parent = host->option(host->ctx, "cache-dir");

	if (getenv(cache->folder_variable) != NULL || getenv(cache->off_variable) != NULL)
		return "the user's";
	if (parent != NULL && cache->folder != NULL)
		return lead_to(cache, parent) ? "evenhand's" : "the driver's";
	return setenv(cache->off_variable, cache->off_value, 1) == 0 ? "off" : "the driver's";
}

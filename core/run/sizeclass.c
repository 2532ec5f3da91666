/* SPDX-License-Identifier: Apache-2.0 */
#include "run/sizeclass.h"

#include <string.h>

#define MIB (UINT64_C(1) << 20)

static bool is_gpu(const record_device *d)
{
	return d->type != NULL && strcmp(d->type, "gpu") == 0;
}

enum record_size_class sizeclass_of(const record_device *d)
{
	uint64_t cache = d->last_level_cache_bytes != LAYOUT_NO_UINT ? d->last_level_cache_bytes : 0;

	return cache <= 32 * MIB && !is_gpu(d) ? RECORD_SIZE_SMALL :
	       cache <= 128 * MIB ? RECORD_SIZE_MEDIUM : RECORD_SIZE_LARGE;
}

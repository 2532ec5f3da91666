/* SPDX-License-Identifier: Apache-2.0 */
#include "run/sizeclass.h"

#define MIB (UINT64_C(1) << 20)

enum record_size_class sizeclass_of(const record_device *d)
{
	uint64_t cache = d->last_level_cache_bytes != LAYOUT_NO_UINT ? d->last_level_cache_bytes : 0;

	return cache <= 48 * MIB ? RECORD_SIZE_SMALL :
	       cache <= 128 * MIB ? RECORD_SIZE_MEDIUM : RECORD_SIZE_LARGE;
}

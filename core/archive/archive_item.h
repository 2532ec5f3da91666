/* SPDX-License-Identifier: Apache-2.0 */
/* A result made ready for the archive. */
#ifndef ARCHIVE_ARCHIVE_ITEM_H
#define ARCHIVE_ARCHIVE_ITEM_H

#include "archive/archive.h"
#include "contract/evidence.h"

struct archive_item {
	result *of;
	evidence whole;
	comparison_side **sides; /* of its rows                                                  */
	unsigned char *packed;   /* its bytes, by zlib                                           */
	size_t size, packed_size;
	char *signatures, *amendments;
};

#endif

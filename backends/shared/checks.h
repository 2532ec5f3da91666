/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The checks that every backend makes before it calls its API: the caller's mistakes and the
 * device's limits.  Each returns EH_OK or fills *error and returns its code.
 */
#ifndef SHARED_CHECKS_H
#define SHARED_CHECKS_H

#include <stdbool.h>

#include "evenhand/extensions.h"

/* EH_E_INVALID_ARGUMENT for an unknown kind or 0 bytes, EH_E_UNSUPPORTED for a kind that is not in
 * caps, EH_E_NO_MEMORY beyond max_alloc (0 = no limit).  `device` is its name in messages. */
eh_status checks_alloc(const char *device, uint64_t caps, uint64_t max_alloc, uint32_t kind,
                       uint64_t bytes, eh_error *error);

/* Checks that flags has none but those of `known`. */
eh_status checks_flags(const char *slot, uint32_t flags, uint32_t known, eh_error *error);

/* Checks what mark_elapsed asks of its marks: a queue for both, the same one, and times. */
eh_status checks_elapsed(const eh_queue *from, const eh_queue *to, bool timed, eh_error *error);

/* Checks that bytes at offset lie in a buffer of size bytes. */
eh_status checks_range(const char *slot, uint64_t size, uint64_t offset, uint64_t bytes,
                       eh_error *error);

/* The same, and that both are whole 32-bit words. */
eh_status checks_fill(uint64_t size, uint64_t offset, uint64_t bytes, eh_error *error);

/* Checks both ranges, and that they do not overlap in one buffer. */
eh_status checks_copy(bool same, uint64_t to_size, uint64_t to_offset, uint64_t from_size,
                      uint64_t from_offset, uint64_t bytes, eh_error *error);

/* EH_E_INVALID_ARGUMENT for a device as its own peer and for an unknown EH_PEER_*. */
eh_status checks_peers(bool same, uint32_t how, eh_error *error);

/* Checks both ranges, that the buffers belong to the two devices of the link, one to each, and that both
 * are device memory. */
eh_status checks_peer_copy(bool of_link, bool device_memory, uint64_t to_size, uint64_t to_offset,
                           uint64_t from_size, uint64_t from_offset, uint64_t bytes, eh_error *error);

/* The limits of a device's grid; 0 = unlimited or unknown. */
typedef struct checks_limits {
	uint32_t groups[3];
	uint32_t group_size[3];
	uint32_t group_items;
} checks_limits;

enum { CHECKS_ANY_COUNT = -1 };

/* Checks that a launch has work in each dimension, lies in the limits (beyond them:
 * EH_E_UNSUPPORTED), has arguments of a buffer or of 1, 2, 4 or 8 bytes, and as many as the kernel
 * takes. */
eh_status checks_launch(const char *kernel, int64_t takes, const checks_limits *limits,
                        const eh_launch *launch, eh_error *error);

#endif

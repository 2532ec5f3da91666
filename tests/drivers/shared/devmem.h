/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory of a test driver's devices.  One reserved range holds everything: what device i owns
 * lies in the i-th slice, what the host may read too lies in the last.  A device address of memory
 * that the host may not touch carries DEVMEM_TAG, which makes it no address of the machine: a host
 * that dereferences it dies.  Bounds are exact to the byte, with a gap behind every allocation.
 *
 * Not safe for several threads: the driver holds its lock.
 */
#ifndef DRIVERS_DEVMEM_H
#define DRIVERS_DEVMEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DEVMEM_TAG (UINT64_C(1) << 60)
#define DEVMEM_SLICE_BITS 33
#define DEVMEM_SLICE (UINT64_C(1) << DEVMEM_SLICE_BITS)
#define DEVMEM_GRANULE_BITS 8
#define DEVMEM_GRANULE (UINT64_C(1) << DEVMEM_GRANULE_BITS)

enum { DEVMEM_DEVICES = 8, DEVMEM_HOST = DEVMEM_DEVICES };

typedef enum devmem_kind {
	DEVMEM_OWN,    /* the device's own: a tagged address                                    */
	DEVMEM_PINNED, /* host memory that devices reach                                        */
	DEVMEM_SHARED  /* one address for both                                                  */
} devmem_kind;

typedef struct devmem_block {
	uint64_t address; /* as the device sees it                                              */
	uint64_t bytes;
	devmem_kind kind;
	int device;       /* for which it was allocated                                         */
} devmem_block;

/* The range, made at the first call; false when the machine has no room for it. */
bool devmem_start(void);

/* Where offset 0 of the range lies for the host, and how many bytes the range has. */
char *devmem_base(void);
uint64_t devmem_span(void);

/* For every granule of the range, how many of its bytes are allocated, from its start. */
const uint16_t *devmem_shadow(void);

/* A block of `bytes`, filled with a pattern that is neither zero nor a sensible number; 0 when
 * `device` has less than that left of `limit` bytes.  limit does not count host memory. */
uint64_t devmem_allocate(int device, devmem_kind kind, uint64_t bytes, uint64_t limit);

/* False when no block begins at this address. */
bool devmem_release(uint64_t address);

/* The block that holds this address, or NULL; valid until the next allocate or release. */
const devmem_block *devmem_find(uint64_t address);

/* The host's view of `bytes` at a device address, or NULL when they are not all in one block. */
char *devmem_view(uint64_t address, uint64_t bytes);

/* Bytes in use of a device's own memory, and how many blocks live. */
uint64_t devmem_used(int device);
size_t devmem_count(void);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What a translated kernel and the driver that runs it know of each other.  This text is both
 * compiled into the driver and put in front of every translated module. */
#ifndef PTX_BLOCK_H
#define PTX_BLOCK_H

#include <stdint.h>

#define PTX_TAG (UINT64_C(1) << 60)        /* device memory                                */
#define PTX_SHARED (UINT64_C(1) << 58)     /* generic addresses of the block's memory      */
#define PTX_LOCAL (UINT64_C(1) << 57)      /* generic addresses of the thread's memory     */

enum { PTX_OUT_OF_BOUNDS = 1, PTX_MISALIGNED = 2, PTX_TRAP = 3 };

struct ptx_block {
	uint64_t base, span;      /* of the range that holds all memory                     */
	char *memory;             /* its host address                                       */
	const uint16_t *shadow;   /* bytes allocated of every 256                           */
	uint64_t allowed;         /* slices that this device may reach, a bit each          */
	char *shared;
	char *local;              /* of all threads                                         */
	const char *param;
	const uint64_t *globals;  /* addresses of the module's variables                    */
	uint64_t *saved;          /* registers of all threads across a barrier              */
	int32_t *at;              /* where every thread stands: 0 start, -1 end             */
	uint64_t written;         /* the last address of a store, 0 = none                  */
	uint32_t written_bytes;
	uint32_t shared_bytes, local_bytes;
	uint32_t items;           /* threads in the block                                   */
	uint32_t reversed;        /* run the last thread first                              */
	uint32_t ntid[3], ctaid[3], nctaid[3];
	/* Ends the block; never returns. */
	void (*fault)(struct ptx_block *block, int kind, uint64_t address, uint32_t bytes);
	uint64_t (*clock)(void);
};

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What the test runtime and the kernels that run in it know of each other: C and C++, without
 * headers, for it stands in front of every kernel. */
#ifndef EMU_BLOCK_H
#define EMU_BLOCK_H

/* The group that runs, and its item that runs. */
struct emu_block {
	unsigned item[3], group[3], size[3], groups[3];
	unsigned long long base, span;      /* of the memory of all devices                      */
	const unsigned short *shadow;       /* bytes in use of each granule                      */
	unsigned granule_bits, slice_bits;
	unsigned long long tag;             /* of addresses that only a device understands       */
	unsigned long long allowed;         /* slices of memory that this device reaches         */
	unsigned long long stack, stack_end; /* of the item                                       */
	unsigned long long written;         /* where the last store went                         */
	unsigned written_bytes;
	void (*barrier)(struct emu_block *block);
	void (*fault)(struct emu_block *block); /* does not return                               */
};

struct emu_kernel {
	const char *name;
	unsigned most_items;
	unsigned parameter_count;
	const unsigned *parameter_bytes;
	void (*run)(void **parameters);
};

/* The one symbol of a compiled text: "evenhand_test_kernels". */
struct emu_kernels {
	const struct emu_kernel *list;
	unsigned count;
	struct emu_block **block;           /* to be set before run                              */
	char *shared, *shared_end;          /* the group's memory                                */
};

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SHARED_PCINODE_H
#define SHARED_PCINODE_H

#include <stdint.h>

/* The memory node that a PCI device ("0000:3b:00.0") is at; -1 = unknown, or all. */
int32_t pcinode_of(const char *pci);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SHARED_PCINODE_H
#define SHARED_PCINODE_H

#include <stdint.h>

/* The memory node of a PCI device ("0000:3b:00.0"); -1 = unknown, or all.  root: of the file system
 * sys, "" = this machine's. */
int32_t pcinode_of(const char *root, const char *pci);

#endif

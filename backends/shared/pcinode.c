/* SPDX-License-Identifier: Apache-2.0 */
#include "pcinode.h"

#include <stdio.h>

int32_t pcinode_of(const char *pci)
{
	char path[96];
	FILE *file;
	int node = -1;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/numa_node", pci);
	file = fopen(path, "re");
	if (file == NULL)
		return -1;
	if (fscanf(file, "%d", &node) != 1 || node < 0)
		node = -1;
	(void)fclose(file);
	return node;
}

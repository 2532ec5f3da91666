/* SPDX-License-Identifier: Apache-2.0 */
#include "pcinode.h"

#include <limits.h>
#include <stdio.h>

int32_t pcinode_of(const char *root, const char *pci)
{
	char path[PATH_MAX];
	FILE *file;
	int node = -1;

	if (pci[0] == '\0' || snprintf(path, sizeof(path), "%s/sys/bus/pci/devices/%s/numa_node", root,
	                               pci) >= (int)sizeof(path))
		return -1;
	file = fopen(path, "re");
	if (file == NULL)
		return -1;
	if (fscanf(file, "%d", &node) != 1 || node < 0)
		node = -1;
	(void)fclose(file);
	return node;
}

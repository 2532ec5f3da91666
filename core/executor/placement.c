/* SPDX-License-Identifier: Apache-2.0 */
#include "executor/placement.h"

#include <errno.h>
#include <hwloc.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* The processors of the node that the process may use; threads move there. */
static bool bind_threads(hwloc_topology_t topology, hwloc_obj_t node, char **why)
{
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
	bool bound = false;

	if (cpus == NULL || hwloc_get_cpubind(topology, cpus, HWLOC_CPUBIND_PROCESS) != 0) {
		*why = memory_format("its own processors are not known: %s", strerror(errno));
	} else if (!hwloc_bitmap_intersects(cpus, node->cpuset)) {
		*why = memory_text("the process may use no processor of that node");
	} else {
		hwloc_bitmap_and(cpus, cpus, node->cpuset);
		bound = hwloc_set_cpubind(topology, cpus, HWLOC_CPUBIND_PROCESS) == 0;
		if (!bound)
			*why = memory_format("the threads were not bound: %s", strerror(errno));
	}
	hwloc_bitmap_free(cpus);
	return bound;
}

/* Prefers it: a node that is full must not end the process. */
static bool prefer_memory(hwloc_topology_t topology, hwloc_obj_t node, char **why)
{
	if (hwloc_set_membind(topology, node->nodeset, HWLOC_MEMBIND_BIND,
	                      HWLOC_MEMBIND_THREAD | HWLOC_MEMBIND_BYNODESET) == 0)
		return true;
	if (*why == NULL)
		*why = memory_format("the memory was not bound: %s", strerror(errno));
	return false;
}

/* As the system has it afterwards. */
static void read_back(hwloc_topology_t topology, record_placement *out)
{
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
	char *list = NULL;

	if (cpus != NULL && hwloc_get_cpubind(topology, cpus, HWLOC_CPUBIND_PROCESS) == 0 &&
	    hwloc_bitmap_list_asprintf(&list, cpus) >= 0)
		text_set(&out->cpus, list);
	free(list);
	hwloc_bitmap_free(cpus);
}

static void place(hwloc_topology_t topology, record_placement *out)
{
	hwloc_obj_t node = hwloc_get_numanode_obj_by_os_index(topology, (unsigned)out->numa_node);

	if (node == NULL) {
		text_set(&out->reason, "the topology has no such node");
		return;
	}
	out->threads = bind_threads(topology, node, &out->reason);
	out->memory = prefer_memory(topology, node, &out->reason);
	read_back(topology, out);
}

record_placement *placement_near(const eh_device_info *info)
{
	record_placement *out;
	hwloc_topology_t topology;

	if (info->type == EH_DEVICE_CPU || info->numa_node < 0)
		return NULL;
	out = layout_new(record_placement_layout());
	out->numa_node = (uint64_t)info->numa_node;
	if (hwloc_topology_init(&topology) != 0) {
		text_set(&out->reason, "the topology is not known");
		return out;
	}
	if (hwloc_topology_load(topology) == 0)
		place(topology, out);
	else
		text_set(&out->reason, "the topology is not known");
	hwloc_topology_destroy(topology);
	return out;
}

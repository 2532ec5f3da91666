/* SPDX-License-Identifier: Apache-2.0 */
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "executor/executor.h"
#include "executor/layer.h"

static void add_count(record_layer *layer, hwloc_topology_t topology, const char *key,
                      hwloc_obj_type_t type)
{
	int count = hwloc_get_nbobjs_by_type(topology, type);

	if (count > 0)
		layer_number(layer, key, count, RECORD_SOURCE_QUERIED);
	else
		layer_text(layer, key, NULL, RECORD_SOURCE_QUERIED);
}

static void add_cache(record_layer *layer, hwloc_topology_t topology, const char *name,
                      hwloc_obj_type_t type)
{
	int count = hwloc_get_nbobjs_by_type(topology, type);
	hwloc_obj_t cache = count > 0 ? hwloc_get_obj_by_type(topology, type, 0) : NULL;
	char key[32];

	snprintf(key, sizeof(key), "%s-bytes", name);
	if (cache == NULL) {
		layer_text(layer, key, NULL, RECORD_SOURCE_QUERIED);
		return;
	}
	layer_number(layer, key, (double)cache->attr->cache.size, RECORD_SOURCE_QUERIED);
	snprintf(key, sizeof(key), "%s-count", name);
	layer_number(layer, key, count, RECORD_SOURCE_QUERIED);
	snprintf(key, sizeof(key), "%s-line-bytes", name);
	layer_number(layer, key, cache->attr->cache.linesize, RECORD_SOURCE_QUERIED);
}

/* Sizes are facts of the moment: the memory of a virtual machine can change while it runs. */
static void add_memory(record_layer_list *layers, hwloc_topology_t topology)
{
	record_layer *layer = layer_add(layers, RECORD_LAYER_HARDWARE, "memory", "",
	                                RECORD_SOURCE_QUERIED);
	int nodes = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE);
	hwloc_obj_t root = hwloc_get_root_obj(topology);

	if (root->total_memory > 0)
		layer_number(layer, "now-bytes", (double)root->total_memory, RECORD_SOURCE_QUERIED);
	else
		layer_text(layer, "now-bytes", NULL, RECORD_SOURCE_QUERIED);
	for (int i = 0; i < nodes; i++) {
		hwloc_obj_t node = hwloc_get_obj_by_type(topology, HWLOC_OBJ_NUMANODE, (unsigned)i);
		char key[48], *cpus = NULL;

		snprintf(key, sizeof(key), "now-node%u-bytes", node->os_index);
		layer_number(layer, key, (double)node->attr->numanode.local_memory,
		             RECORD_SOURCE_QUERIED);
		if (hwloc_bitmap_list_asprintf(&cpus, node->cpuset) < 0)
			continue;
		snprintf(key, sizeof(key), "node%u-cpus", node->os_index);
		layer_text(layer, key, cpus, RECORD_SOURCE_QUERIED);
		free(cpus);
	}
}

/* Without I/O objects, hwloc's default: looking for them would start vendor drivers. */
void executor_hardware(record_layer_list *layers)
{
	record_layer *layer;
	hwloc_topology_t topology;
	char *cpus = NULL;

	if (hwloc_topology_init(&topology) != 0) {
		layer_add(layers, RECORD_LAYER_HARDWARE, "topology", "", RECORD_SOURCE_UNAVAILABLE);
		return;
	}
	if (hwloc_topology_load(topology) != 0) {
		layer_add(layers, RECORD_LAYER_HARDWARE, "topology", "", RECORD_SOURCE_UNAVAILABLE);
		hwloc_topology_destroy(topology);
		return;
	}
	layer = layer_add(layers, RECORD_LAYER_HARDWARE, "topology", "", RECORD_SOURCE_QUERIED);
	add_count(layer, topology, "packages", HWLOC_OBJ_PACKAGE);
	add_count(layer, topology, "numa-nodes", HWLOC_OBJ_NUMANODE);
	add_count(layer, topology, "cores", HWLOC_OBJ_CORE);
	add_count(layer, topology, "processing-units", HWLOC_OBJ_PU);
	add_cache(layer, topology, "l1d", HWLOC_OBJ_L1CACHE);
	add_cache(layer, topology, "l2", HWLOC_OBJ_L2CACHE);
	add_cache(layer, topology, "l3", HWLOC_OBJ_L3CACHE);
	if (hwloc_bitmap_list_asprintf(&cpus, hwloc_topology_get_allowed_cpuset(topology)) >= 0)
		layer_text(layer, "allowed-cpus", cpus, RECORD_SOURCE_QUERIED);
	free(cpus);
	add_memory(layers, topology);
	hwloc_topology_destroy(topology);
}

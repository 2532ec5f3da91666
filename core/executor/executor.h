/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stack is this: the executor record, layer by layer (docs/result-format.md).  Each layer
 * is {layer, name, version, source, [path, sha256], fields: {key: {value, source}}}; layer is
 * one of hardware, interconnect, firmware, driver, runtime, compiler, library, harness,
 * operating-system, host, mapped-object, site.  A field whose key begins with "now-" is a fact of the
 * moment: recorded, but no part of the stack's identity.
 */
#ifndef EXECUTOR_EXECUTOR_H
#define EXECUTOR_EXECUTOR_H

#include <cjson/cJSON.h>

#include "base/error.h"
#include "evenhand/backend.h"
#include "executor/site.h"

/* Digests of files by path, size and time of change, so that describing twice reads once. */
typedef struct executor_files executor_files;
executor_files *executor_files_new(void);
void executor_files_free(executor_files *files);
/* NULL when the file cannot be read; valid until executor_files_free. */
const char *executor_files_digest(executor_files *files, const char *path);

/* What this room needs of an opened device. */
typedef struct executor_subject {
	const eh_backend *backend;
	const char *plugin_path;
	const eh_backend_ops *ops;
	const eh_device_info *info;
	eh_device *device;             /* NULL: what the device itself would say is left out       */
	const char *const *options;    /* BACKEND.KEY=VALUE of the user, NULL-terminated; or NULL  */
	executor_files *files;
	const site *site;              /* declared facts and owners; NULL: none                    */
} executor_subject;

/* "host:gcc-12", "opencl:pocl-0": backend name, colon, device id. */
char *executor_name(const eh_backend *backend, const eh_device_info *info);

/* The whole record; ask for it after the work was done, so that every library the driver loads
 * late is mapped.  {name, digest, simulated, device: {...}, layers: [...]}. */
cJSON *executor_describe(const executor_subject *subject);

/* What is known of it without its backend: for a device that could not be opened. */
cJSON *executor_outline(const char *name, const eh_device_info *info, const site *declared);

/* The device as its backend describes it, to JSON and back (what JSON lacks stays zero). */
cJSON *executor_device(const eh_device_info *info);
void executor_device_read(const cJSON *json, eh_device_info *info);

/* The pieces, each an array of layers; for tests each reads below a root ("" = the real one). */
cJSON *executor_hardware(void);                         /* topology and memory: hwloc           */
cJSON *executor_link(const char *root, const char *pci); /* the device's place on the bus       */
cJSON *executor_system(const char *root); /* processor, firmware, OS, VM or container, governor */
/* Clocks, power cap, error correction, partition, firmware; how a processor reaches its memory. */
cJSON *executor_device_facts(const char *root, const eh_device_info *info);
/* Every mapped shared object, with digest. */
cJSON *executor_mapped(const char *maps_path, executor_files *files);
/* The program and the plugin: version, commit, dirty, flags, settings. */
cJSON *executor_harness(const eh_backend *backend, const char *plugin_path,
                        const char *const *options, executor_files *files);
/* What the backend says of its stack. */
cJSON *executor_backend_layers(const eh_backend_ops *ops, eh_device *device, executor_files *files);

/* {name, version, commit, dirty, abi, build_flags}: the program alone, as journal and result
 * name it. */
cJSON *executor_program(void);

/* Digest over the layers that identify the stack (not load, not frequencies of the moment, not
 * the kernels and workloads that happen to be mapped). */
void executor_digest(const cJSON *record, char hex[65]);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Fills the executor record (record/record.def): a device with its stack, layer by layer. */
#ifndef EXECUTOR_EXECUTOR_H
#define EXECUTOR_EXECUTOR_H

#include "base/error.h"
#include "evenhand/backend.h"
#include "executor/site.h"
#include "record/record.h"

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
	eh_device *device;             /* NULL: the layers that the device reports are left out    */
	const char *const *options;    /* BACKEND.KEY=VALUE of the user, NULL-terminated; or NULL  */
	executor_files *files;
	const site *site;              /* declared facts and owners; NULL: none                    */
} executor_subject;

/* "host:gcc-12", "opencl:pocl-0": backend name, colon, device id. */
char *executor_name(const eh_backend *backend, const eh_device_info *info);

/* Both fill an initialised record.  Describe after the work was done: then the libraries that a
 * driver loads late are mapped. */
void executor_describe(const executor_subject *subject, record_executor *out);
/* Without the backend, for a device that could not be opened. */
void executor_outline(const char *name, const record_device *device, const site *declared,
                      record_executor *out);

/* Fills an initialised struct from what the backend reports. */
void executor_device(const eh_device_info *info, record_device *out);
bool executor_is_simulated(const record_device *device);

/* The pieces append layers; for tests they read below a root ("" = the real one).  A field whose
 * name begins with "now-" is a fact of the moment: recorded, but no part of the digest. */
void executor_hardware(record_layer_list *layers); /* topology and memory: hwloc               */
/* The device's place on the bus; nothing where pci is NULL or empty. */
void executor_link(record_layer_list *layers, const char *root, const char *pci);
/* Processor, firmware, OS, VM or container, governor. */
void executor_system(record_layer_list *layers, const char *root);
/* Clocks, power cap, error correction, partition, firmware; how a processor reaches its memory. */
void executor_device_facts(record_layer_list *layers, const char *root,
                           const record_device *device);
/* Every mapped shared object, with digest. */
void executor_mapped(record_layer_list *layers, const char *maps_path, executor_files *files);
/* Environment variables and files that the objects of the layers read.  environment: NAME=VALUE,
 * NULL-terminated.  The objects' own paths are not below root. */
void executor_configuration(record_layer_list *layers, const char *root,
                            const char *const *environment, executor_files *files);
/* The program and the plugin: version, commit, dirty, flags, settings. */
void executor_harness(record_layer_list *layers, const eh_backend *backend,
                      const char *plugin_path, const char *const *options, executor_files *files);

/* Fills an initialised struct with the program alone, as journal and result name it. */
void executor_program(record_harness *out);

#endif

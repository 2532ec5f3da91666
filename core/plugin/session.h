/* SPDX-License-Identifier: Apache-2.0 */
/* A started backend with an opened device, as a worker needs it to measure. */
#ifndef PLUGIN_SESSION_H
#define PLUGIN_SESSION_H

#include "evenhand/workload.h"

typedef struct session {
	const eh_backend *backend;
	const eh_backend_ops *ops;
	char *path;               /* the plugin's file                                       */
	void *self;
	eh_device_info info;      /* of the opened device                                    */
	uint32_t index;
	eh_device *device;        /* NULL until session_open                                 */
	eh_queue *queue;          /* timed: for work on the device's clock                   */
	eh_queue *plain;          /* for all that the host times                             */
} session;

/* Loads the plugin at path and starts it.  On failure *s is empty. */
eh_status session_start(session *s, const char *path, eh_error *error);
/* Describes a device: its texts are clean, and a device without an id has its number as id.  *out is
 * filled also when the device is not usable. */
eh_status session_device(const session *s, uint32_t index, eh_device_info *out, eh_error *error);
/* The number of devices.  EH_E_INTERNAL when the backend counts more than EH_MOST_DEVICES. */
eh_status session_count(const session *s, uint32_t *count, eh_error *error);
/* Opens the device by index and creates its queues. */
eh_status session_open(session *s, uint32_t index, eh_error *error);
/* Opens another device: number `ordinal` of those that are not the session's.  The caller closes it.
 * EH_E_UNSUPPORTED when there are not so many. */
eh_status session_open_other(const session *s, uint64_t ordinal, eh_device_info *info,
                             eh_device **device, eh_error *error);
/* Sends what was enqueued to the device, where the backend keeps commands back; else nothing. */
eh_status session_flush(const session *s, eh_queue *queue, eh_error *error);
/* Destroys the queues, closes the device, stops the backend; an empty session is fine. */
void session_close(session *s);

/* Assembles the source of the program `kernel` with `defines` from the texts of session_texts.
 * *out is malloc'd as one block. */
eh_status session_source(const char *kernel, const eh_define *defines, uint32_t count,
                         eh_source **out, eh_error *error);
/* Reads dialect.h from the data folder, and KERNEL.k from the first folder of workloads that has it
 * or else from the data folder.  Both texts are malloc'd. */
eh_status session_texts(const char *kernel, char **prelude, char **body, eh_error *error);

#endif

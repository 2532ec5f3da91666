/* SPDX-License-Identifier: Apache-2.0 */
/* eh.graph.1 on the host: a list of commands, run one after the other. */
#ifndef HOST_RECORDING_H
#define HOST_RECORDING_H

#include "evenhand/extensions.h"
#include "queue.h"

/* One command, ready to run: the function and its context, which belongs to the list. */
typedef struct recorded {
	struct recorded *next;
	void (*run)(const eh_queue *queue, void *context);
	_Alignas(max_align_t) unsigned char context[];
} recorded;

struct recording {
	recorded *first, **end;
};

/* Keeps the command in queue->recording; its context is copied. */
eh_status recording_add(eh_queue *queue, void (*run)(const eh_queue *queue, void *context),
                        const void *context, size_t size, eh_error *error);

/* Drops the recording of the queue, if there is one. */
void recording_drop(eh_queue *queue);

extern const eh_graph_ops recording_table;

#endif

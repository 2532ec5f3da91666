/* SPDX-License-Identifier: Apache-2.0 */
#include "recording.h"

#include <stdlib.h>
#include <string.h>

#include "faults.h"

struct eh_graph {
	struct recording list;
};

static void clear(struct recording *list)
{
	while (list->first != NULL) {
		recorded *next = list->first->next;

		free(list->first);
		list->first = next;
	}
}

eh_status recording_add(eh_queue *queue, void (*run)(const eh_queue *queue, void *context),
                        const void *context, size_t size, eh_error *error)
{
	recorded *r = malloc(sizeof(*r) + size);

	if (r == NULL)
		return faults_set(error, EH_E_NO_MEMORY, "Memory is exhausted");
	r->next = NULL;
	r->run = run;
	memcpy(r->context, context, size);
	*queue->recording->end = r;
	queue->recording->end = &r->next;
	return EH_OK;
}

void recording_drop(eh_queue *queue)
{
	if (queue->recording == NULL)
		return;
	clear(queue->recording);
	free(queue->recording);
	queue->recording = NULL;
}

static eh_status available(eh_device *device, eh_error *error)
{
	(void)device;
	(void)error;
	return EH_OK;
}

static eh_status begin(eh_queue *queue, eh_error *error)
{
	if (queue->recording != NULL)
		return faults_set(error, EH_E_INVALID_ARGUMENT, "The queue is recording already");
	queue->recording = calloc(1, sizeof(*queue->recording));
	if (queue->recording == NULL)
		return faults_set(error, EH_E_NO_MEMORY, "Memory is exhausted");
	queue->recording->end = &queue->recording->first;
	return EH_OK;
}

static eh_status end(eh_queue *queue, eh_graph **graph, eh_error *error)
{
	eh_graph *made;

	if (queue->recording == NULL)
		return faults_set(error, EH_E_INVALID_ARGUMENT, "The queue is not recording");
	if (graph == NULL) {
		recording_drop(queue);
		return EH_OK;
	}
	if (queue->recording->first == NULL) {
		recording_drop(queue);
		return faults_set(error, EH_E_INVALID_ARGUMENT, "Nothing was recorded");
	}
	made = malloc(sizeof(*made));
	if (made == NULL) {
		recording_drop(queue);
		return faults_set(error, EH_E_NO_MEMORY, "Memory is exhausted");
	}
	made->list = *queue->recording;
	free(queue->recording);
	queue->recording = NULL;
	*graph = made;
	return EH_OK;
}

static eh_status launch(eh_queue *queue, eh_graph *graph, eh_error *error)
{
	if (queue->recording != NULL)
		return faults_set(error, EH_E_INVALID_ARGUMENT, "The queue is recording");
	for (recorded *r = graph->list.first; r != NULL; r = r->next)
		r->run(queue, r->context);
	return EH_OK;
}

static void destroy(eh_graph *graph)
{
	if (graph == NULL)
		return;
	clear(&graph->list);
	free(graph);
}

const eh_graph_ops recording_table = {
	.struct_size = sizeof(recording_table),
	.available = available,
	.begin = begin,
	.end = end,
	.launch = launch,
	.destroy = destroy,
};

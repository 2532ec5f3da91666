/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/memory_asked.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

struct memory_asked_buffer {
	const eh_buffer *buffer;
	uint64_t bytes;
	memory_asked_buffer *next;
};

/* The functions of the ABI have no room for a context. */
static const eh_backend_ops *behind;
static memory_asked *counting;

static eh_status alloc(eh_device *device, uint32_t kind, uint64_t bytes, eh_buffer **buffer,
                       eh_error *error)
{
	eh_status status = behind->buffer_alloc(device, kind, bytes, buffer, error);
	memory_asked *m = counting;
	memory_asked_buffer *b;

	if (m == NULL || status != EH_OK || kind == EH_MEMORY_PINNED || device != m->device)
		return status;
	b = memory_get(sizeof(*b));
	*b = (memory_asked_buffer){ .buffer = *buffer, .bytes = bytes, .next = m->list };
	m->list = b;
	m->now += bytes;
	m->most = m->now > m->most ? m->now : m->most;
	return EH_OK;
}

static void release(eh_buffer *buffer)
{
	memory_asked *m = counting;

	for (memory_asked_buffer **at = m != NULL ? &m->list : NULL; at != NULL && *at != NULL; at = &(*at)->next) {
		memory_asked_buffer *b = *at;

		if (b->buffer != buffer)
			continue;
		m->now -= b->bytes;
		*at = b->next;
		free(b);
		break;
	}
	behind->buffer_free(buffer);
}

const eh_backend_ops *memory_asked_begin(memory_asked *m, const eh_backend_ops *backend,
                                         const eh_device *device)
{
	size_t size = backend->struct_size < sizeof(m->ops) ? backend->struct_size : sizeof(m->ops);

	*m = (memory_asked){ .device = device };
	memcpy(&m->ops, backend, size);
	m->ops.struct_size = (uint32_t)size;
	m->ops.buffer_alloc = alloc;
	m->ops.buffer_free = release;
	behind = backend;
	counting = m;
	return &m->ops;
}

uint64_t memory_asked_end(memory_asked *m)
{
	if (counting == m)
		counting = NULL;
	while (m->list != NULL) {
		memory_asked_buffer *b = m->list;

		m->list = b->next;
		free(b);
	}
	return m->most;
}

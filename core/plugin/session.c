/* SPDX-License-Identifier: Apache-2.0 */
#include "plugin/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "plugin/host.h"
#include "plugin/plugin.h"

/* Puts the backend's name before its message unless it is there, as a backend's messages need not
 * name it. */
static eh_status name_error(const eh_backend *backend, const char *doing, eh_status status,
                            eh_error *said, eh_error *error)
{
	if (error == NULL)
		return status;
	error_set(error, status, "backend %s cannot %s: %s", backend->name, doing,
	          error_sentence(said, status));
	error->native_code = said->native_code;
	memcpy(error->native_name, said->native_name, sizeof(error->native_name));
	memcpy(error->where, said->where, sizeof(error->where));
	return status;
}

eh_status session_start(session *s, const char *path, eh_error *error)
{
	const eh_backend *backend;
	eh_error said = ERROR_INIT;
	void *self = NULL;
	eh_status status;

	memset(s, 0, sizeof(*s));
	status = plugin_load_backend(path, &backend, error);
	if (status != EH_OK)
		return status;
	status = backend->ops->start(host_table(backend->name), &self, &said);
	if (status != EH_OK)
		return name_error(backend, "start", status, &said, error);
	s->backend = backend;
	s->ops = backend->ops;
	s->self = self;
	s->path = memory_text(path);
	return EH_OK;
}

static eh_status make_queues(const eh_backend_ops *ops, eh_device *device, eh_queue **timed,
                             eh_queue **plain, eh_error *error)
{
	eh_status status = ops->queue_create(device, EH_TIMED, timed, error);

	if (status != EH_OK)
		return status;
	status = ops->queue_create(device, 0, plain, error);
	if (status != EH_OK)
		ops->queue_destroy(*timed);
	return status;
}

eh_status session_device(const session *s, uint32_t index, eh_device_info *out, eh_error *error)
{
	eh_status status;

	*out = (eh_device_info){ .struct_size = sizeof(*out), .numa_node = -1 };
	status = s->ops->device_info(s->self, index, out, error);
	text_clean_array(out->id);
	text_clean_array(out->name);
	text_clean_array(out->vendor);
	text_clean_array(out->platform);
	text_clean_array(out->pci);
	text_clean_array(out->uuid);
	if (out->id[0] == '\0')
		snprintf(out->id, sizeof(out->id), "%u", index);
	return status;
}

eh_status session_count(const session *s, uint32_t *count, eh_error *error)
{
	uint32_t found = 0;
	eh_status status = s->ops->device_count(s->self, &found, error);

	if (status == EH_OK && found > EH_MOST_DEVICES)
		return error_set(error, EH_E_INTERNAL,
		                 "backend %s counts %u devices and a backend has at most %u: its "
		                 "device_count is wrong", s->backend->name, found,
		                 EH_MOST_DEVICES);
	if (status == EH_OK)
		*count = found;
	return status;
}

eh_status session_open(session *s, uint32_t index, eh_error *error)
{
	eh_error said = ERROR_INIT;
	const char *doing = "count its devices";
	eh_device *device = NULL;
	eh_queue *queue = NULL;
	eh_queue *plain = NULL;
	uint32_t count = 0;
	eh_status status;

	status = session_count(s, &count, &said);
	if (status == EH_OK && index >= count)
		return error_set(error, EH_E_NOT_FOUND, "backend %s has no device %u: it has %u",
		                 s->backend->name, index, count);
	if (status == EH_OK) {
		doing = "describe its device";
		status = session_device(s, index, &s->info, &said);
	}
	if (status == EH_OK) {
		doing = "open its device";
		status = s->ops->device_open(s->self, index, &device, &said);
	}
	if (status == EH_OK) {
		doing = "make a queue";
		status = make_queues(s->ops, device, &queue, &plain, &said);
		if (status != EH_OK)
			s->ops->device_close(device);
	}
	if (status != EH_OK)
		return name_error(s->backend, doing, status, &said, error);
	s->index = index;
	s->device = device;
	s->queue = queue;
	s->plain = plain;
	return EH_OK;
}

eh_status session_open_other(const session *s, uint64_t ordinal, eh_device_info *info,
                             eh_device **device, eh_error *error)
{
	uint32_t count = 0, index;
	eh_status status = session_count(s, &count, error);

	if (status != EH_OK)
		return status;
	if (count < 2)
		return error_set(error, EH_E_UNSUPPORTED, "The backend sees only one device.");
	if (ordinal >= count - 1)
		return error_set(error, EH_E_UNSUPPORTED, "There is no other device %llu: beside this one the "
		                 "backend sees %u, counted from 0.", (unsigned long long)ordinal, count - 1);
	index = (uint32_t)ordinal + (ordinal >= s->index ? 1 : 0);
	status = session_device(s, index, info, error);
	return status == EH_OK ? s->ops->device_open(s->self, index, device, error) : status;
}

eh_status session_flush(const session *s, eh_queue *queue, eh_error *error)
{
	return EH_HAS(s->ops, eh_backend_ops, queue_flush) ? s->ops->queue_flush(queue, error) : EH_OK;
}

void session_close(session *s)
{
	if (s->ops == NULL)
		return;
	if (s->plain != NULL)
		s->ops->queue_destroy(s->plain);
	if (s->queue != NULL)
		s->ops->queue_destroy(s->queue);
	if (s->device != NULL)
		s->ops->device_close(s->device);
	s->ops->stop(s->self);
	free(s->path);
	memset(s, 0, sizeof(*s));
}

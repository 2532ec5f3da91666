/* SPDX-License-Identifier: Apache-2.0 */
/* Devices: opening one in the context of its driver, and the loss of a device. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lz_state.h"

enum { MOST_ENGINES = 16 };

eh_status lz_devices_count(void *opaque, uint32_t *count, eh_error *error)
{
	const lz_self *self = opaque;

	(void)error;
	*count = self->place_count;
	return EH_OK;
}

static eh_status check_index(const lz_self *self, uint32_t index, eh_error *error)
{
	if (index < self->place_count)
		return EH_OK;
	return failure_set(error, EH_E_INVALID_ARGUMENT, "device_info",
	                   "There is no Level Zero device of index %u; there are %u.", (unsigned)index,
	                   (unsigned)self->place_count);
}

eh_status lz_devices_info(void *opaque, uint32_t index, eh_device_info *out, eh_error *error)
{
	const lz_self *self = opaque;
	eh_device d;
	eh_status status = check_index(self, index, error);

	if (status != EH_OK)
		return status;
	memset(&d, 0, sizeof(d));
	d.place = self->places[index];
	status = lz_describe(self, &d, error);
	if (status == EH_OK || status == EH_E_UNAVAILABLE)
		eh_give(out, &d.info, sizeof(d.info));
	wording_say_gaps(self->host, d.info.name, &d.gaps);
	return status;
}

static bool computes(const ze_command_queue_group_properties_t *group)
{
	return (group->flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE) != 0;
}

/* The first group of engines that computes; such engines copy and fill too.  Counts those that only
 * copy. */
static eh_status choose_engine(eh_device *d, eh_error *error)
{
	ze_command_queue_group_properties_t groups[MOST_ENGINES];
	uint32_t count = 0;
	ze_result_t rc;

	memset(groups, 0, sizeof(groups));
	for (size_t i = 0; i < MOST_ENGINES; i++)
		groups[i].stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES;
	rc = d->api->device_engines(d->place.device, &count, NULL);
	if (rc == ZE_RESULT_SUCCESS) {
		count = count > MOST_ENGINES ? MOST_ENGINES : count;
		rc = d->api->device_engines(d->place.device, &count, groups);
	}
	if (rc != ZE_RESULT_SUCCESS)
		return lz_error_as(error, EH_E_UNAVAILABLE, rc, "zeDeviceGetCommandQueueGroupProperties",
		                   "%s does not list its engines", d->info.name);
	for (uint32_t i = 0; i < count && i < MOST_ENGINES; i++)
		if (!computes(&groups[i]) && (groups[i].flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY) != 0)
			d->copy_engines += groups[i].numQueues;
	for (uint32_t i = 0; i < count && i < MOST_ENGINES; i++)
		if (computes(&groups[i])) {
			d->engine = i;
			d->engine_queues = groups[i].numQueues > 0 ? groups[i].numQueues : 1;
			d->fill_pattern = groups[i].maxMemoryFillPatternSize;
			return EH_OK;
		}
	return failure_set(error, EH_E_UNAVAILABLE, "device_open",
	                   "%s has no engine that computes.", d->info.name);
}

static eh_status join_context(eh_device *d, eh_error *error)
{
	const ze_context_desc_t desc = { .stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC };
	lz_driver *driver = d->place.driver;
	ze_result_t rc;

	if (driver->openings == 0) {
		rc = d->api->context_create(driver->handle, &desc, &driver->context);
		if (rc != ZE_RESULT_SUCCESS)
			return lz_error_as(error, EH_E_UNAVAILABLE, rc, "zeContextCreate",
			                   "%s gives no context", d->info.name);
	}
	driver->openings++;
	d->context = driver->context;
	return EH_OK;
}

eh_status lz_devices_open(void *opaque, uint32_t index, eh_device **out, eh_error *error)
{
	lz_self *self = opaque;
	eh_device *d;
	eh_status status = check_index(self, index, error);

	if (status != EH_OK)
		return status;
	d = calloc(1, sizeof(*d));
	if (d == NULL)
		return failure_set(error, EH_E_NO_MEMORY, "device_open",
		                   "No memory is left to open a Level Zero device.");
	d->self = self;
	d->api = &self->api;
	d->place = self->places[index];
	d->lost = ZE_RESULT_SUCCESS;
	status = lz_describe(self, d, error);
	if (status == EH_OK)
		status = choose_engine(d, error);
	if (status == EH_OK)
		status = join_context(d, error);
	if (status != EH_OK) {
		free(d);
		return status;
	}
	*out = d;
	return EH_OK;
}

void lz_devices_close(eh_device *d)
{
	if (d == NULL)
		return;
	lz_gemm_close(d);
	lz_events_free(d);
	if (--d->place.driver->openings == 0)
		(void)d->api->context_destroy(d->context);
	free(d);
}

eh_status lz_devices_enter(const eh_device *d, const char *slot, eh_error *error)
{
	if (d->lost == ZE_RESULT_SUCCESS)
		return EH_OK;
	return failure_native(error, EH_E_DEVICE_LOST, slot, (int64_t)d->lost, lz_error_name(d->lost),
	                      "That was said before; a new process gets a new context.",
	                      "%s is lost since an earlier command", d->info.name);
}

eh_status lz_devices_failed(eh_device *d, eh_error *error, ze_result_t rc, const char *where,
                            const char *format, ...)
{
	char text[200];
	va_list arguments;

	if (lz_error_is_loss(rc))
		d->lost = rc;
	va_start(arguments, format);
	if (vsnprintf(text, sizeof(text), format, arguments) < 0)
		text[0] = '\0';
	va_end(arguments);
	return lz_error_call(error, rc, where, "%s", text);
}

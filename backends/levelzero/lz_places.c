/* SPDX-License-Identifier: Apache-2.0 */
/* Finding every device of every driver: roots, and behind each its sub-devices. */
#include <stdlib.h>
#include <string.h>

#include "lz_state.h"
#include "shared/wording.h"

enum { MOST_DEVICES = 64, MOST_SUB_DEVICES = 16 };

static eh_status add(lz_self *self, lz_place place, eh_error *error)
{
	lz_place *grown = realloc(self->places, (self->place_count + 1) * sizeof(*grown));

	if (grown == NULL)
		return failure_set(error, EH_E_NO_MEMORY, "start", "No memory is left to start.");
	self->places = grown;
	grown[self->place_count++] = place;
	return EH_OK;
}

/* A root device and its sub-devices; one sub-device alone is the root under another name. */
static eh_status add_root(lz_self *self, lz_driver *driver, ze_device_handle_t device,
                          uint32_t root, eh_error *error)
{
	ze_device_handle_t subs[MOST_SUB_DEVICES];
	lz_place place = { driver, device, device, root, -1 };
	eh_status status = add(self, place, error);
	uint32_t count = 0;
	ze_result_t rc;

	if (status != EH_OK)
		return status;
	rc = self->api.device_subdevices(device, &count, NULL);
	if (rc == ZE_RESULT_SUCCESS && count > 1) {
		if (count > MOST_SUB_DEVICES)
			count = MOST_SUB_DEVICES;
		rc = self->api.device_subdevices(device, &count, subs);
	}
	if (rc != ZE_RESULT_SUCCESS) {
		wording_note(self->notes, sizeof(self->notes), "The sub-devices of Level Zero device %u "
		             "are not listed: zeDeviceGetSubDevices returned %s (0x%x).", (unsigned)root,
		             lz_error_name(rc), (unsigned)rc);
		return EH_OK;
	}
	for (uint32_t i = 0; count > 1 && i < count && status == EH_OK; i++) {
		place.device = subs[i];
		place.sub = (int)i;
		status = add(self, place, error);
	}
	return status;
}

/* A driver that does not answer is a note; *error says why, in case it is the only one. */
static eh_status add_driver(lz_self *self, ze_driver_handle_t handle, uint32_t *roots, bool *failed,
                            eh_error *error)
{
	lz_driver *driver = &self->drivers[self->driver_count];
	ze_driver_properties_t properties = { .stype = ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES };
	ze_device_handle_t devices[MOST_DEVICES];
	ze_api_version_t api = ZE_API_VERSION_1_0;
	uint32_t count = 0;
	eh_status status = EH_OK;
	ze_result_t rc;
	const char *where = "zeDriverGetApiVersion";

	memset(driver, 0, sizeof(*driver));
	driver->handle = handle;
	rc = self->api.driver_version(handle, &api);
	if (rc == ZE_RESULT_SUCCESS) {
		where = "zeDriverGetProperties";
		rc = self->api.driver_properties(handle, &properties);
	}
	if (rc == ZE_RESULT_SUCCESS) {
		where = "zeDeviceGet";
		rc = self->api.device_get(handle, &count, NULL);
	}
	if (rc == ZE_RESULT_SUCCESS && count > 0) {
		if (count > MOST_DEVICES)
			count = MOST_DEVICES;
		rc = self->api.device_get(handle, &count, devices);
	}
	if (rc != ZE_RESULT_SUCCESS) {
		wording_note(self->notes, sizeof(self->notes), "A Level Zero driver lists no devices: %s "
		             "returned %s (0x%x).", where, lz_error_name(rc), (unsigned)rc);
		*failed = true;
		(void)lz_error_as(error, EH_E_UNAVAILABLE, rc, where,
		                  "The Level Zero driver does not list its devices");
		return EH_OK;
	}
	driver->api = (uint32_t)api;
	driver->version = properties.driverVersion;
	self->driver_count++;
	for (uint32_t i = 0; i < count && status == EH_OK; i++)
		status = add_root(self, driver, devices[i], (*roots)++, error);
	return status;
}

eh_status lz_places_list(lz_self *self, eh_error *error)
{
	ze_driver_handle_t handles[LZ_MOST_DRIVERS];
	uint32_t count = 0, roots = 0;
	ze_result_t rc = self->api.driver_get(&count, NULL);
	eh_status status = EH_OK;
	bool failed = false;

	if (rc == ZE_RESULT_SUCCESS && count > 0) {
		if (count > LZ_MOST_DRIVERS)
			count = LZ_MOST_DRIVERS;
		rc = self->api.driver_get(&count, handles);
	}
	if (rc != ZE_RESULT_SUCCESS)
		return lz_error_as(error, EH_E_UNAVAILABLE, rc, "zeDriverGet",
		                   "The Level Zero loader does not list its drivers");
	for (uint32_t i = 0; i < count && status == EH_OK; i++)
		status = add_driver(self, handles[i], &roots, &failed, error);
	if (status == EH_OK && failed && self->place_count == 0)
		return EH_E_UNAVAILABLE;
	return status;
}

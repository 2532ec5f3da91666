/* SPDX-License-Identifier: Apache-2.0 */
/* A libze_loader.so.1 with one scripted GPU.  -DNO_INIT: only the older way in. */
#include "script.h"

#include <level_zero/ze_api.h>
#include <level_zero/zes_api.h>

#define ONE(count, list) do { *(count) = 1; if ((list) != NULL) *(list) = (void *)1; } while (0)
#define HANDLES(function, device, type) \
	ze_result_t function(device h, uint32_t *count, type *list) { (void)h; ONE(count, list); return 0; }

#ifndef NO_INIT
ze_result_t zesInit(uint32_t flags) { double v; (void)flags; return (ze_result_t)script("init", 0, &v); }
ze_result_t zesDriverGet(uint32_t *count, zes_driver_handle_t *list) { ONE(count, list); return 0; }
ze_result_t zesDeviceGet(zes_driver_handle_t h, uint32_t *count, zes_device_handle_t *list) { (void)h; ONE(count, list); return 0; }
#endif
ze_result_t zeInit(ze_init_flags_t flags) { (void)flags; return getenv("ZES_ENABLE_SYSMAN") != NULL ? 0 : ZE_RESULT_ERROR_UNINITIALIZED; }
ze_result_t zeDriverGet(uint32_t *count, ze_driver_handle_t *list) { ONE(count, list); return 0; }
HANDLES(zeDeviceGet, ze_driver_handle_t, ze_device_handle_t)
ze_result_t zesDeviceGetProperties(zes_device_handle_t h, zes_device_properties_t *p)
{
	(void)h;
	snprintf(p->core.name, sizeof(p->core.name), "TEST Data Center GPU");
	for (int i = 0; i < 16; i++)
		p->core.uuid.id[15 - i] = (uint8_t)(i * 17);
	return 0;
}
ze_result_t zesDevicePciGetProperties(zes_device_handle_t h, zes_pci_properties_t *p) { (void)h; p->address.bus = 0x4d; return 0; }
HANDLES(zesDeviceEnumPowerDomains, zes_device_handle_t, zes_pwr_handle_t)
ze_result_t zesPowerGetProperties(zes_pwr_handle_t h, zes_power_properties_t *p) { (void)h; p->onSubdevice = 0; return 0; }
ze_result_t zesPowerGetEnergyCounter(zes_pwr_handle_t h, zes_power_energy_counter_t *out)
{
	static uint64_t time;
	double v;
	ze_result_t rc = (ze_result_t)script("energy", 5e6, &v);

	(void)h;
	out->energy = (uint64_t)v;
	out->timestamp = time += 1000000;
	return rc;
}
HANDLES(zesDeviceEnumFrequencyDomains, zes_device_handle_t, zes_freq_handle_t)
ze_result_t zesFrequencyGetProperties(zes_freq_handle_t h, zes_freq_properties_t *p) { (void)h; p->type = ZES_FREQ_DOMAIN_GPU; return 0; }
ze_result_t zesFrequencyGetState(zes_freq_handle_t h, zes_freq_state_t *out)
{
	double v;
	ze_result_t rc = (ze_result_t)script("clock", 1550, &v);

	(void)h;
	out->actual = v;
	(void)script("reasons", 0, &v);
	out->throttleReasons = (uint32_t)v;
	return rc;
}
HANDLES(zesDeviceEnumTemperatureSensors, zes_device_handle_t, zes_temp_handle_t)
ze_result_t zesTemperatureGetProperties(zes_temp_handle_t h, zes_temp_properties_t *p) { (void)h; p->type = ZES_TEMP_SENSORS_GPU; return 0; }
ze_result_t zesTemperatureGetState(zes_temp_handle_t h, double *out) { (void)h; return (ze_result_t)script("temperature", 48.5, out); }
HANDLES(zesDeviceEnumEngineGroups, zes_device_handle_t, zes_engine_handle_t)
ze_result_t zesEngineGetProperties(zes_engine_handle_t h, zes_engine_properties_t *p) { (void)h; p->type = ZES_ENGINE_GROUP_ALL; return 0; }
ze_result_t zesEngineGetActivity(zes_engine_handle_t h, zes_engine_stats_t *out)
{
	static uint64_t time;

	(void)h;
	time += 1000;
	out->activeTime = time / 2;
	out->timestamp = time;
	return 0;
}

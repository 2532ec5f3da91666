/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sysman: the scripted sensors that also stand in for a whole loader in the tests of the probe,
 * here behind the real loader.  What has a name of the core API there is renamed.
 */
#define NO_INIT
#define zeInit tze_stub_zeInit
#define zeDriverGet tze_stub_zeDriverGet
#define zeDeviceGet tze_stub_zeDeviceGet
#include <level_zero/zes_ddi.h>

#include "tze_state.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wunused-function"
#include "../probes/sysman_stub.c"

TZE_TABLE(zesGetDeviceProcAddrTable, zes_device_dditable_t)
{
	(void)version;
	t->pfnGetProperties = zesDeviceGetProperties;
	t->pfnPciGetProperties = zesDevicePciGetProperties;
	t->pfnEnumPowerDomains = zesDeviceEnumPowerDomains;
	t->pfnEnumFrequencyDomains = zesDeviceEnumFrequencyDomains;
	t->pfnEnumTemperatureSensors = zesDeviceEnumTemperatureSensors;
	t->pfnEnumEngineGroups = zesDeviceEnumEngineGroups;
	return ZE_RESULT_SUCCESS;
}

TZE_TABLE(zesGetPowerProcAddrTable, zes_power_dditable_t)
{
	(void)version;
	t->pfnGetProperties = zesPowerGetProperties;
	t->pfnGetEnergyCounter = zesPowerGetEnergyCounter;
	return ZE_RESULT_SUCCESS;
}

TZE_TABLE(zesGetFrequencyProcAddrTable, zes_frequency_dditable_t)
{
	(void)version;
	t->pfnGetProperties = zesFrequencyGetProperties;
	t->pfnGetState = zesFrequencyGetState;
	return ZE_RESULT_SUCCESS;
}

TZE_TABLE(zesGetTemperatureProcAddrTable, zes_temperature_dditable_t)
{
	(void)version;
	t->pfnGetProperties = zesTemperatureGetProperties;
	t->pfnGetState = zesTemperatureGetState;
	return ZE_RESULT_SUCCESS;
}

TZE_TABLE(zesGetEngineProcAddrTable, zes_engine_dditable_t)
{
	(void)version;
	t->pfnGetProperties = zesEngineGetProperties;
	t->pfnGetActivity = zesEngineGetActivity;
	return ZE_RESULT_SUCCESS;
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What this probe uses of the ABI of Level Zero Sysman, declared here, so that it is built without its
 * headers.  Names, values and layouts are those of ze_api.h and zes_api.h of version 1.0 and later;
 * tests/abi/vendor.sh compares each with them, and reads this file in the forms that
 * tests/abi/vendor/facts.awk lists.
 */
#ifndef ZES_ABI_H
#define ZES_ABI_H

#include <stdint.h>

#ifndef ABI_OF_VENDOR /* the test takes these from the vendor's headers instead */

#define ZE_APICALL /* the platform's own calling convention */

typedef enum _ze_result_t {
	ZE_RESULT_SUCCESS = 0,
	ZE_RESULT_ERROR_DEVICE_LOST = 0x70000001,
	ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS = 0x70010000,
	ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE = 0x70020000,
	ZE_RESULT_ERROR_UNINITIALIZED = 0x78000001,
	ZE_RESULT_ERROR_UNSUPPORTED_VERSION = 0x78000002,
	ZE_RESULT_ERROR_UNSUPPORTED_FEATURE = 0x78000003,
} ze_result_t;

typedef enum _ze_structure_type_t {
	ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES = 3,
} ze_structure_type_t;

typedef enum _ze_device_type_t {
	ZE_DEVICE_TYPE_GPU = 1,
} ze_device_type_t;

typedef enum _zes_structure_type_t {
	ZES_STRUCTURE_TYPE_DEVICE_PROPERTIES = 1,
	ZES_STRUCTURE_TYPE_PCI_PROPERTIES = 2,
	ZES_STRUCTURE_TYPE_ENGINE_PROPERTIES = 5,
	ZES_STRUCTURE_TYPE_FREQ_PROPERTIES = 9,
	ZES_STRUCTURE_TYPE_POWER_PROPERTIES = 13,
	ZES_STRUCTURE_TYPE_TEMP_PROPERTIES = 20,
	ZES_STRUCTURE_TYPE_FREQ_STATE = 27,
	ZES_STRUCTURE_TYPE_MEM_STATE = 30,
} zes_structure_type_t;

typedef enum _zes_freq_domain_t {
	ZES_FREQ_DOMAIN_MEMORY = 1,
} zes_freq_domain_t;

typedef enum _zes_temp_sensors_t {
	ZES_TEMP_SENSORS_GLOBAL = 0,
	ZES_TEMP_SENSORS_GPU = 1,
	ZES_TEMP_SENSORS_MEMORY = 2,
} zes_temp_sensors_t;

typedef enum _zes_engine_group_t {
	ZES_ENGINE_GROUP_ALL = 0,
	ZES_ENGINE_GROUP_COMPUTE_ALL = 1,
} zes_engine_group_t;

typedef enum _zes_mem_health_t {
	ZES_MEM_HEALTH_UNKNOWN = 0,
} zes_mem_health_t;

/* Bits of zes_freq_throttle_reason_flags_t. */
enum {
	ZES_FREQ_THROTTLE_REASON_FLAG_AVE_PWR_CAP = 1,
	ZES_FREQ_THROTTLE_REASON_FLAG_BURST_PWR_CAP = 2,
	ZES_FREQ_THROTTLE_REASON_FLAG_CURRENT_LIMIT = 4,
	ZES_FREQ_THROTTLE_REASON_FLAG_THERMAL_LIMIT = 8,
	ZES_FREQ_THROTTLE_REASON_FLAG_PSU_ALERT = 16,
	ZES_FREQ_THROTTLE_REASON_FLAG_SW_RANGE = 32,
	ZES_FREQ_THROTTLE_REASON_FLAG_HW_RANGE = 64,
};

typedef uint8_t ze_bool_t;
typedef uint32_t ze_init_flags_t;
typedef uint32_t zes_init_flags_t;
typedef uint32_t ze_device_property_flags_t;
typedef uint32_t zes_freq_throttle_reason_flags_t;

typedef struct _ze_driver_handle_t *ze_driver_handle_t;
typedef struct _ze_device_handle_t *ze_device_handle_t;
typedef ze_driver_handle_t zes_driver_handle_t;
typedef ze_device_handle_t zes_device_handle_t;
typedef struct _zes_pwr_handle_t *zes_pwr_handle_t;
typedef struct _zes_freq_handle_t *zes_freq_handle_t;
typedef struct _zes_temp_handle_t *zes_temp_handle_t;
typedef struct _zes_engine_handle_t *zes_engine_handle_t;
typedef struct _zes_mem_handle_t *zes_mem_handle_t;
typedef struct _zes_process_state_t zes_process_state_t;

enum {
	ZE_MAX_DEVICE_UUID_SIZE = 16,
	ZE_MAX_DEVICE_NAME = 256,
	ZES_STRING_PROPERTY_SIZE = 64,
};

typedef struct _ze_device_uuid_t {
	uint8_t id[ZE_MAX_DEVICE_UUID_SIZE];
} ze_device_uuid_t;

typedef struct _ze_device_properties_t {
	ze_structure_type_t stype;
	void *pNext;
	ze_device_type_t type;
	uint32_t vendorId;
	uint32_t deviceId;
	ze_device_property_flags_t flags;
	uint32_t subdeviceId;
	uint32_t coreClockRate;
	uint64_t maxMemAllocSize;
	uint32_t maxHardwareContexts;
	uint32_t maxCommandQueuePriority;
	uint32_t numThreadsPerEU;
	uint32_t physicalEUSimdWidth;
	uint32_t numEUsPerSubslice;
	uint32_t numSubslicesPerSlice;
	uint32_t numSlices;
	uint64_t timerResolution;
	uint32_t timestampValidBits;
	uint32_t kernelTimestampValidBits;
	ze_device_uuid_t uuid;
	char name[ZE_MAX_DEVICE_NAME];
} ze_device_properties_t;

typedef struct _zes_device_properties_t {
	zes_structure_type_t stype;
	void *pNext;
	ze_device_properties_t core;
	uint32_t numSubdevices;
	char serialNumber[ZES_STRING_PROPERTY_SIZE];
	char boardNumber[ZES_STRING_PROPERTY_SIZE];
	char brandName[ZES_STRING_PROPERTY_SIZE];
	char modelName[ZES_STRING_PROPERTY_SIZE];
	char vendorName[ZES_STRING_PROPERTY_SIZE];
	char driverVersion[ZES_STRING_PROPERTY_SIZE];
} zes_device_properties_t;

typedef struct _zes_pci_address_t {
	uint32_t domain;
	uint32_t bus;
	uint32_t device;
	uint32_t function;
} zes_pci_address_t;

typedef struct _zes_pci_speed_t {
	int32_t gen;
	int32_t width;
	int64_t maxBandwidth;
} zes_pci_speed_t;

typedef struct _zes_pci_properties_t {
	zes_structure_type_t stype;
	void *pNext;
	zes_pci_address_t address;
	zes_pci_speed_t maxSpeed;
	ze_bool_t haveBandwidthCounters;
	ze_bool_t havePacketCounters;
	ze_bool_t haveReplayCounters;
} zes_pci_properties_t;

typedef struct _zes_power_properties_t {
	zes_structure_type_t stype;
	void *pNext;
	ze_bool_t onSubdevice;
	uint32_t subdeviceId;
	ze_bool_t canControl;
	ze_bool_t isEnergyThresholdSupported;
	int32_t defaultLimit;
	int32_t minLimit;
	int32_t maxLimit;
} zes_power_properties_t;

typedef struct _zes_power_energy_counter_t {
	uint64_t energy;
	uint64_t timestamp;
} zes_power_energy_counter_t;

typedef struct _zes_freq_properties_t {
	zes_structure_type_t stype;
	void *pNext;
	zes_freq_domain_t type;
	ze_bool_t onSubdevice;
	uint32_t subdeviceId;
	ze_bool_t canControl;
	ze_bool_t isThrottleEventSupported;
	double min;
	double max;
} zes_freq_properties_t;

typedef struct _zes_freq_state_t {
	zes_structure_type_t stype;
	const void *pNext;
	double currentVoltage;
	double request;
	double tdp;
	double efficient;
	double actual;
	zes_freq_throttle_reason_flags_t throttleReasons;
} zes_freq_state_t;

typedef struct _zes_freq_throttle_time_t {
	uint64_t throttleTime;
	uint64_t timestamp;
} zes_freq_throttle_time_t;

typedef struct _zes_temp_properties_t {
	zes_structure_type_t stype;
	void *pNext;
	zes_temp_sensors_t type;
	ze_bool_t onSubdevice;
	uint32_t subdeviceId;
	double maxTemperature;
	ze_bool_t isCriticalTempSupported;
	ze_bool_t isThreshold1Supported;
	ze_bool_t isThreshold2Supported;
} zes_temp_properties_t;

typedef struct _zes_engine_properties_t {
	zes_structure_type_t stype;
	void *pNext;
	zes_engine_group_t type;
	ze_bool_t onSubdevice;
	uint32_t subdeviceId;
} zes_engine_properties_t;

typedef struct _zes_engine_stats_t {
	uint64_t activeTime;
	uint64_t timestamp;
} zes_engine_stats_t;

typedef struct _zes_mem_state_t {
	zes_structure_type_t stype;
	const void *pNext;
	zes_mem_health_t health;
	uint64_t free;
	uint64_t size;
} zes_mem_state_t;

#endif

/*
 * The functions: X(field, "name|older name", (arguments)).  zesInit, zesDriverGet and zesDeviceGet are of
 * version 1.5; before it, the drivers and devices of zeInit serve.
 */
#define ZES_REQUIRED(X) \
	X(device_get, "zesDeviceGet|zeDeviceGet", \
	  (zes_driver_handle_t driver, uint32_t *count, zes_device_handle_t *list)) \
	X(properties, "zesDeviceGetProperties", \
	  (zes_device_handle_t device, zes_device_properties_t *out)) \
	X(pci, "zesDevicePciGetProperties", (zes_device_handle_t device, zes_pci_properties_t *out))

#define ZES_OPTIONAL(X) \
	X(init, "zesInit", (zes_init_flags_t flags)) \
	X(driver_get, "zesDriverGet", (uint32_t *count, zes_driver_handle_t *list)) \
	X(old_init, "zeInit", (ze_init_flags_t flags)) \
	X(old_driver_get, "zeDriverGet", (uint32_t *count, ze_driver_handle_t *list)) \
	X(old_device_get, "zeDeviceGet", \
	  (ze_driver_handle_t driver, uint32_t *count, ze_device_handle_t *list)) \
	X(powers, "zesDeviceEnumPowerDomains", \
	  (zes_device_handle_t device, uint32_t *count, zes_pwr_handle_t *list)) \
	X(power_properties, "zesPowerGetProperties", \
	  (zes_pwr_handle_t power, zes_power_properties_t *out)) \
	X(energy, "zesPowerGetEnergyCounter", \
	  (zes_pwr_handle_t power, zes_power_energy_counter_t *out)) \
	X(clocks, "zesDeviceEnumFrequencyDomains", \
	  (zes_device_handle_t device, uint32_t *count, zes_freq_handle_t *list)) \
	X(clock_properties, "zesFrequencyGetProperties", \
	  (zes_freq_handle_t clock, zes_freq_properties_t *out)) \
	X(clock_state, "zesFrequencyGetState", (zes_freq_handle_t clock, zes_freq_state_t *out)) \
	X(throttle_time, "zesFrequencyGetThrottleTime", \
	  (zes_freq_handle_t clock, zes_freq_throttle_time_t *out)) \
	X(sensors, "zesDeviceEnumTemperatureSensors", \
	  (zes_device_handle_t device, uint32_t *count, zes_temp_handle_t *list)) \
	X(sensor_properties, "zesTemperatureGetProperties", \
	  (zes_temp_handle_t sensor, zes_temp_properties_t *out)) \
	X(sensor_state, "zesTemperatureGetState", (zes_temp_handle_t sensor, double *celsius)) \
	X(engines, "zesDeviceEnumEngineGroups", \
	  (zes_device_handle_t device, uint32_t *count, zes_engine_handle_t *list)) \
	X(engine_properties, "zesEngineGetProperties", \
	  (zes_engine_handle_t engine, zes_engine_properties_t *out)) \
	X(activity, "zesEngineGetActivity", (zes_engine_handle_t engine, zes_engine_stats_t *out)) \
	X(memories, "zesDeviceEnumMemoryModules", \
	  (zes_device_handle_t device, uint32_t *count, zes_mem_handle_t *list)) \
	X(memory_state, "zesMemoryGetState", (zes_mem_handle_t memory, zes_mem_state_t *out)) \
	X(users, "zesDeviceProcessesGetState", \
	  (zes_device_handle_t device, uint32_t *count, zes_process_state_t *list))

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What this probe uses of the ABI of NVIDIA's Management Library, declared here, so that it is built
 * without a toolkit.  Names, values and layouts are those of nvml.h of CUDA 11 to 13;
 * tests/abi/vendor.sh compares each with it, and reads this file in the forms that
 * tests/abi/vendor/facts.awk lists.
 */
#ifndef NVML_ABI_H
#define NVML_ABI_H

#ifndef ABI_OF_VENDOR /* the test takes these from the vendor's headers instead */

typedef enum nvmlReturn_enum {
	NVML_SUCCESS = 0,
	NVML_ERROR_NOT_SUPPORTED = 3,
	NVML_ERROR_NO_PERMISSION = 4,
	NVML_ERROR_INSUFFICIENT_SIZE = 7,
	NVML_ERROR_DRIVER_NOT_LOADED = 9,
	NVML_ERROR_TIMEOUT = 10,
	NVML_ERROR_GPU_IS_LOST = 15,
	NVML_ERROR_RESET_REQUIRED = 16,
	NVML_ERROR_LIB_RM_VERSION_MISMATCH = 18,
} nvmlReturn_t;

typedef struct nvmlDevice_st *nvmlDevice_t;

typedef enum nvmlEnableState_enum {
	NVML_FEATURE_DISABLED = 0,
	NVML_FEATURE_ENABLED = 1,
} nvmlEnableState_t;

typedef enum nvmlClockType_enum {
	NVML_CLOCK_SM = 1,
	NVML_CLOCK_MEM = 2,
} nvmlClockType_t;

typedef enum nvmlTemperatureSensors_enum {
	NVML_TEMPERATURE_GPU = 0,
} nvmlTemperatureSensors_t;

typedef enum nvmlPerfPolicyType_enum {
	NVML_PERF_POLICY_POWER = 0,
	NVML_PERF_POLICY_THERMAL = 1,
} nvmlPerfPolicyType_t;

typedef enum nvmlMemoryErrorType_enum {
	NVML_MEMORY_ERROR_TYPE_CORRECTED = 0,
	NVML_MEMORY_ERROR_TYPE_UNCORRECTED = 1,
} nvmlMemoryErrorType_t;

typedef enum nvmlEccCounterType_enum {
	NVML_VOLATILE_ECC = 0,
} nvmlEccCounterType_t;

/* Bits; newer headers also have them as nvmlClocksEventReason... */
enum {
	nvmlClocksThrottleReasonGpuIdle = 0x1,
	nvmlClocksThrottleReasonApplicationsClocksSetting = 0x2,
	nvmlClocksThrottleReasonSwPowerCap = 0x4,
	nvmlClocksThrottleReasonHwSlowdown = 0x8,
	nvmlClocksThrottleReasonSyncBoost = 0x10,
	nvmlClocksThrottleReasonSwThermalSlowdown = 0x20,
	nvmlClocksThrottleReasonHwThermalSlowdown = 0x40,
	nvmlClocksThrottleReasonHwPowerBrakeSlowdown = 0x80,
	nvmlClocksThrottleReasonDisplayClockSetting = 0x100,
};

/* Fields of nvmlDeviceGetFieldValues. */
enum {
	NVML_FI_DEV_MEMORY_TEMP = 82,
	NVML_FI_DEV_POWER_INSTANT = 186,
};

typedef enum nvmlValueType_enum {
	NVML_VALUE_TYPE_DOUBLE = 0,
	NVML_VALUE_TYPE_UNSIGNED_INT = 1,
	NVML_VALUE_TYPE_UNSIGNED_LONG = 2,
	NVML_VALUE_TYPE_UNSIGNED_LONG_LONG = 3,
	NVML_VALUE_TYPE_SIGNED_LONG_LONG = 4,
	NVML_VALUE_TYPE_SIGNED_INT = 5,
} nvmlValueType_t;

typedef union nvmlValue_st {
	double dVal;
	int siVal;
	unsigned uiVal;
	unsigned long ulVal;
	unsigned long long ullVal;
	long long sllVal;
} nvmlValue_t;

typedef struct nvmlFieldValue_st {
	unsigned fieldId;
	unsigned scopeId;
	long long timestamp;
	long long latencyUsec;
	nvmlValueType_t valueType;
	nvmlReturn_t nvmlReturn;
	nvmlValue_t value;
} nvmlFieldValue_t;

typedef struct nvmlPciInfo_st {
	char busIdLegacy[16];
	unsigned domain;
	unsigned bus;
	unsigned device;
	unsigned pciDeviceId;
	unsigned pciSubSystemId;
	char busId[32];
} nvmlPciInfo_t;

typedef struct nvmlUtilization_st {
	unsigned gpu;
	unsigned memory;
} nvmlUtilization_t;

typedef struct nvmlMemory_st {
	unsigned long long total;
	unsigned long long free;
	unsigned long long used;
} nvmlMemory_t;

typedef struct nvmlViolationTime_st {
	unsigned long long referenceTime;
	unsigned long long violationTime;
} nvmlViolationTime_t;

/* Only pointed to: its layout changed with CUDA 11.1. */
typedef struct nvmlProcessInfo_st nvmlProcessInfo_t;

#endif

/* The functions: X(field, "name|older name", (arguments)). */
#define NVML_REQUIRED(X) \
	X(init, "nvmlInit_v2", (void)) \
	X(shutdown, "nvmlShutdown", (void)) \
	X(count, "nvmlDeviceGetCount_v2", (unsigned *count)) \
	X(handle, "nvmlDeviceGetHandleByIndex_v2", (unsigned index, nvmlDevice_t *device)) \
	X(name, "nvmlDeviceGetName", (nvmlDevice_t device, char *name, unsigned size)) \
	X(uuid, "nvmlDeviceGetUUID", (nvmlDevice_t device, char *uuid, unsigned size)) \
	X(pci, "nvmlDeviceGetPciInfo_v3", (nvmlDevice_t device, nvmlPciInfo_t *pci))

/* The list of processes is asked for its length alone, so that its element does not matter. */
#define NVML_OPTIONAL(X) \
	X(energy, "nvmlDeviceGetTotalEnergyConsumption", \
	  (nvmlDevice_t device, unsigned long long *millijoules)) \
	X(power, "nvmlDeviceGetPowerUsage", (nvmlDevice_t device, unsigned *milliwatts)) \
	X(capability, "nvmlDeviceGetCudaComputeCapability", \
	  (nvmlDevice_t device, int *major, int *minor)) \
	X(fields, "nvmlDeviceGetFieldValues", \
	  (nvmlDevice_t device, int count, nvmlFieldValue_t *values)) \
	X(clock, "nvmlDeviceGetClockInfo", \
	  (nvmlDevice_t device, nvmlClockType_t type, unsigned *mhz)) \
	X(temperature, "nvmlDeviceGetTemperature", \
	  (nvmlDevice_t device, nvmlTemperatureSensors_t sensor, unsigned *celsius)) \
	X(reasons, "nvmlDeviceGetCurrentClocksEventReasons|nvmlDeviceGetCurrentClocksThrottleReasons", \
	  (nvmlDevice_t device, unsigned long long *bits)) \
	X(violation, "nvmlDeviceGetViolationStatus", \
	  (nvmlDevice_t device, nvmlPerfPolicyType_t policy, nvmlViolationTime_t *time)) \
	X(rates, "nvmlDeviceGetUtilizationRates", (nvmlDevice_t device, nvmlUtilization_t *rates)) \
	X(memory, "nvmlDeviceGetMemoryInfo", (nvmlDevice_t device, nvmlMemory_t *memory)) \
	X(ecc_errors, "nvmlDeviceGetTotalEccErrors", \
	  (nvmlDevice_t device, nvmlMemoryErrorType_t type, nvmlEccCounterType_t counter, \
	   unsigned long long *errors)) \
	X(ecc_mode, "nvmlDeviceGetEccMode", \
	  (nvmlDevice_t device, nvmlEnableState_t *now, nvmlEnableState_t *later)) \
	X(mig_mode, "nvmlDeviceGetMigMode", \
	  (nvmlDevice_t device, unsigned *now, unsigned *later)) \
	X(limit, "nvmlDeviceGetEnforcedPowerLimit", (nvmlDevice_t device, unsigned *milliwatts)) \
	X(processes, "nvmlDeviceGetComputeRunningProcesses_v3|nvmlDeviceGetComputeRunningProcesses", \
	  (nvmlDevice_t device, unsigned *count, nvmlProcessInfo_t *list))

#endif

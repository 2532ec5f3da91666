/* SPDX-License-Identifier: Apache-2.0 */
/* What this probe uses of NVIDIA's Management Library, as its public reference defines it. */
#ifndef NVML_API_H
#define NVML_API_H

typedef struct nvml_device_st *nvml_device;
typedef int nvml_return; /* nvmlReturn_t */
enum {
	NVML_OK = 0,
	NVML_NOT_SUPPORTED = 3,
	NVML_NO_PERMISSION = 4,
	NVML_INSUFFICIENT_SIZE = 7,
	NVML_DRIVER_NOT_LOADED = 9,
	NVML_TIMEOUT = 10,
	NVML_GPU_IS_LOST = 15,
	NVML_RESET_REQUIRED = 16,
	NVML_VERSION_MISMATCH = 18
};

typedef struct nvml_pci { /* nvmlPciInfo_t */
	char legacy_id[16];
	unsigned domain, bus, device, device_id, subsystem_id;
	char id[32];
} nvml_pci;

typedef struct nvml_field { /* nvmlFieldValue_t */
	unsigned field, scope;
	long long timestamp_us, latency_us;
	int type;            /* nvmlValueType_t: what of value is set                            */
	nvml_return status;
	union { double d; unsigned u; unsigned long ul; unsigned long long ull; long long ll; } value;
} nvml_field;
enum { NVML_TYPE_DOUBLE = 0, NVML_TYPE_UINT = 1, NVML_TYPE_ULONG = 2, NVML_TYPE_ULLONG = 3 };
enum { NVML_FIELD_MEMORY_TEMPERATURE = 82, NVML_FIELD_POWER_INSTANT = 186 };

typedef struct nvml_rates { unsigned gpu, memory; } nvml_rates;       /* nvmlUtilization_t    */
typedef struct nvml_memory { unsigned long long total, free, used; } nvml_memory;
typedef struct nvml_violation { unsigned long long reference_us, violation_ns; } nvml_violation;

/* name of the field, of the function (alternatives by '|'), its arguments */
#define NVML_REQUIRED(X)                                                                     \
	X(init, "nvmlInit_v2", (void))                                                       \
	X(shutdown, "nvmlShutdown", (void))                                                  \
	X(count, "nvmlDeviceGetCount_v2", (unsigned *))                                      \
	X(handle, "nvmlDeviceGetHandleByIndex_v2", (unsigned, nvml_device *))                \
	X(name, "nvmlDeviceGetName", (nvml_device, char *, unsigned))                        \
	X(uuid, "nvmlDeviceGetUUID", (nvml_device, char *, unsigned))                        \
	X(pci, "nvmlDeviceGetPciInfo_v3", (nvml_device, nvml_pci *))

#define NVML_OPTIONAL(X)                                                                     \
	X(energy, "nvmlDeviceGetTotalEnergyConsumption", (nvml_device, unsigned long long *)) \
	X(power, "nvmlDeviceGetPowerUsage", (nvml_device, unsigned *))                       \
	X(fields, "nvmlDeviceGetFieldValues", (nvml_device, int, nvml_field *))              \
	X(clock, "nvmlDeviceGetClockInfo", (nvml_device, int, unsigned *))                   \
	X(temperature, "nvmlDeviceGetTemperature", (nvml_device, int, unsigned *))           \
	X(reasons, "nvmlDeviceGetCurrentClocksEventReasons|nvmlDeviceGetCurrentClocksThrottleReasons", \
	  (nvml_device, unsigned long long *))                                               \
	X(violation, "nvmlDeviceGetViolationStatus", (nvml_device, int, nvml_violation *))   \
	X(rates, "nvmlDeviceGetUtilizationRates", (nvml_device, nvml_rates *))               \
	X(memory, "nvmlDeviceGetMemoryInfo", (nvml_device, nvml_memory *))                   \
	X(ecc_errors, "nvmlDeviceGetTotalEccErrors", (nvml_device, int, int, unsigned long long *)) \
	X(ecc_mode, "nvmlDeviceGetEccMode", (nvml_device, unsigned *, unsigned *))           \
	X(mig_mode, "nvmlDeviceGetMigMode", (nvml_device, unsigned *, unsigned *))           \
	X(limit, "nvmlDeviceGetEnforcedPowerLimit", (nvml_device, unsigned *))               \
	X(processes, "nvmlDeviceGetComputeRunningProcesses_v3|nvmlDeviceGetComputeRunningProcesses", \
	  (nvml_device, unsigned *, void *))

typedef struct nvml_api {
#define X(field, names, arguments) nvml_return (*field) arguments;
	NVML_REQUIRED(X)
	NVML_OPTIONAL(X)
#undef X
} nvml_api;

#endif

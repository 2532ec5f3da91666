/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What this probe uses of the ABI of ROCm SMI, declared here, so that it is built without ROCm.
 * Names and values are those of rocm_smi/rocm_smi.h of ROCm 5 to 7; tests/abi/vendor.sh compares each
 * with it, and reads this file in the forms that tests/abi/vendor/facts.awk lists.
 */
#ifndef RSMI_ABI_H
#define RSMI_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifndef ABI_OF_VENDOR /* the test takes these from the vendor's headers instead */

typedef enum rsmi_status_t {
	RSMI_STATUS_SUCCESS = 0,
	RSMI_STATUS_NOT_SUPPORTED = 2,
	RSMI_STATUS_FILE_ERROR = 3,
	RSMI_STATUS_PERMISSION = 4,
	RSMI_STATUS_INIT_ERROR = 8,
	RSMI_STATUS_NOT_YET_IMPLEMENTED = 9,
	RSMI_STATUS_NOT_FOUND = 10,
	RSMI_STATUS_NO_DATA = 14,
} rsmi_status_t;

typedef enum rsmi_clk_type_t {
	RSMI_CLK_TYPE_SYS = 0,
	RSMI_CLK_TYPE_MEM = 4,
} rsmi_clk_type_t;

typedef enum rsmi_temperature_metric_t {
	RSMI_TEMP_CURRENT = 0,
} rsmi_temperature_metric_t;

/* Sensors, which rsmi_dev_temp_metric_get takes as uint32_t. */
enum {
	RSMI_TEMP_TYPE_EDGE = 0,
	RSMI_TEMP_TYPE_JUNCTION = 1,
	RSMI_TEMP_TYPE_MEMORY = 2,
};

typedef enum rsmi_memory_type_t {
	RSMI_MEM_TYPE_VRAM = 0,
} rsmi_memory_type_t;

/* Only pointed to: its layout changed with ROCm 6.  rocm_frequencies has both. */
typedef struct rsmi_frequencies_t rsmi_frequencies_t;

#endif

/* The functions: X(field, "name", (arguments)). */
#define RSMI_REQUIRED(X) \
	X(init, "rsmi_init", (uint64_t flags)) \
	X(shut_down, "rsmi_shut_down", (void)) \
	X(count, "rsmi_num_monitor_devices", (uint32_t *count)) \
	X(pci, "rsmi_dev_pci_id_get", (uint32_t device, uint64_t *id))

#define RSMI_OPTIONAL(X) \
	X(name, "rsmi_dev_name_get", (uint32_t device, char *name, size_t size)) \
	X(power, "rsmi_dev_power_ave_get", \
	  (uint32_t device, uint32_t sensor, uint64_t *microwatts)) \
	X(socket_power, "rsmi_dev_current_socket_power_get", \
	  (uint32_t device, uint64_t *microwatts)) \
	X(cap, "rsmi_dev_power_cap_get", \
	  (uint32_t device, uint32_t sensor, uint64_t *microwatts)) \
	X(energy, "rsmi_dev_energy_count_get", \
	  (uint32_t device, uint64_t *units, float *resolution, uint64_t *time)) \
	X(temperature, "rsmi_dev_temp_metric_get", \
	  (uint32_t device, uint32_t sensor, rsmi_temperature_metric_t metric, \
	   int64_t *millicelsius)) \
	X(clock, "rsmi_dev_gpu_clk_freq_get", \
	  (uint32_t device, rsmi_clk_type_t type, rsmi_frequencies_t *frequencies)) \
	X(busy, "rsmi_dev_busy_percent_get", (uint32_t device, uint32_t *percent)) \
	X(memory_busy, "rsmi_dev_memory_busy_percent_get", (uint32_t device, uint32_t *percent)) \
	X(memory, "rsmi_dev_memory_usage_get", \
	  (uint32_t device, rsmi_memory_type_t type, uint64_t *bytes))

#endif

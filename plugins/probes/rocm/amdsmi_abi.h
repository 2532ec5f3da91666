/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What this probe uses of the ABI of AMD SMI, declared here, so that it is built without ROCm.
 * Names, values and layouts are those of amd_smi/amdsmi.h of ROCm 5.7 to 7; tests/abi/vendor.sh
 * compares each with it, and reads this file in the forms that tests/abi/vendor/facts.awk lists.
 */
#ifndef AMDSMI_ABI_H
#define AMDSMI_ABI_H

#include <stdint.h>

#ifndef ABI_OF_VENDOR /* the test takes these from the vendor's headers instead */

typedef enum amdsmi_status_t {
	AMDSMI_STATUS_SUCCESS = 0,
	AMDSMI_STATUS_NOT_SUPPORTED = 2,
	AMDSMI_STATUS_NOT_YET_IMPLEMENTED = 3,
	AMDSMI_STATUS_FAIL_LOAD_MODULE = 4,
	AMDSMI_STATUS_TIMEOUT = 8,
	AMDSMI_STATUS_NO_PERM = 10,
	AMDSMI_STATUS_FILE_ERROR = 14,
	AMDSMI_STATUS_INIT_ERROR = 18,
	AMDSMI_STATUS_NO_DATA = 40,
} amdsmi_status_t;

/* A bit of what amdsmi_init takes as uint64_t. */
enum {
	AMDSMI_INIT_AMD_GPUS = 2,
};

typedef void *amdsmi_socket_handle;
typedef void *amdsmi_processor_handle;

typedef enum amdsmi_clk_type_t {
	AMDSMI_CLK_TYPE_SYS = 0,
	AMDSMI_CLK_TYPE_MEM = 4,
} amdsmi_clk_type_t;

typedef enum amdsmi_temperature_type_t {
	AMDSMI_TEMPERATURE_TYPE_EDGE = 0,
	AMDSMI_TEMPERATURE_TYPE_HOTSPOT = 1,
	AMDSMI_TEMPERATURE_TYPE_VRAM = 2,
} amdsmi_temperature_type_t;

typedef enum amdsmi_temperature_metric_t {
	AMDSMI_TEMP_CURRENT = 0,
} amdsmi_temperature_metric_t;

typedef enum amdsmi_memory_type_t {
	AMDSMI_MEM_TYPE_VRAM = 0,
} amdsmi_memory_type_t;

/* From bit 0: 3 bits of function, 5 of device, 8 of bus, 48 of domain. */
typedef union amdsmi_bdf_t {
	uint64_t as_uint;
} amdsmi_bdf_t;

typedef struct amdsmi_engine_usage_t {
	uint32_t gfx_activity;
	uint32_t umc_activity;
	uint32_t mm_activity;
	uint32_t reserved[13];
} amdsmi_engine_usage_t;

/* The head of it: counts, and the count of all ticks before them.  The rest changes. */
typedef struct amdsmi_violation_status_t {
	uint64_t reference_timestamp;
	uint64_t violation_timestamp;
	uint64_t acc_counter;
	uint64_t acc_prochot_thrm;
	uint64_t acc_ppt_pwr;
	uint64_t acc_socket_thrm;
	uint64_t acc_vr_thrm;
	uint64_t acc_hbm_thrm;
} amdsmi_violation_status_t;

/* Only pointed to: every release has another layout.  It begins with a text, market_name. */
typedef struct amdsmi_asic_info_t amdsmi_asic_info_t;

/* Only pointed to: its layout changed with ROCm 6.  rocm_frequencies has both. */
typedef struct amdsmi_frequencies_t amdsmi_frequencies_t;

#endif

/* The functions: X(field, "name", (arguments)). */
#define AMDSMI_REQUIRED(X) \
	X(init, "amdsmi_init", (uint64_t flags)) \
	X(shut_down, "amdsmi_shut_down", (void)) \
	X(sockets, "amdsmi_get_socket_handles", (uint32_t *count, amdsmi_socket_handle *list)) \
	X(processors, "amdsmi_get_processor_handles", \
	  (amdsmi_socket_handle socket, uint32_t *count, amdsmi_processor_handle *list)) \
	X(bdf, "amdsmi_get_gpu_device_bdf", (amdsmi_processor_handle device, amdsmi_bdf_t *bdf))

#define AMDSMI_OPTIONAL(X) \
	X(uuid, "amdsmi_get_gpu_device_uuid", \
	  (amdsmi_processor_handle device, unsigned *size, char *uuid)) \
	X(asic, "amdsmi_get_gpu_asic_info", \
	  (amdsmi_processor_handle device, amdsmi_asic_info_t *info)) \
	X(energy, "amdsmi_get_energy_count", \
	  (amdsmi_processor_handle device, uint64_t *units, float *resolution, uint64_t *time)) \
	X(temperature, "amdsmi_get_temp_metric", \
	  (amdsmi_processor_handle device, amdsmi_temperature_type_t sensor, \
	   amdsmi_temperature_metric_t metric, int64_t *celsius)) \
	X(clock, "amdsmi_get_clk_freq", \
	  (amdsmi_processor_handle device, amdsmi_clk_type_t type, \
	   amdsmi_frequencies_t *frequencies)) \
	X(activity, "amdsmi_get_gpu_activity", \
	  (amdsmi_processor_handle device, amdsmi_engine_usage_t *usage)) \
	X(memory, "amdsmi_get_gpu_memory_usage", \
	  (amdsmi_processor_handle device, amdsmi_memory_type_t type, uint64_t *bytes)) \
	X(violation, "amdsmi_get_violation_status", \
	  (amdsmi_processor_handle device, amdsmi_violation_status_t *status))

#endif

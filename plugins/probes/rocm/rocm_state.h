/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the two libraries for AMD's sensors, AMD SMI and ROCm SMI. */
#ifndef ROCM_STATE_H
#define ROCM_STATE_H

#include "../shared/kit.h"

typedef struct rocm_probe rocm_probe;

/* Bytes for structs that AMD SMI fills; they grow from release to release. */
enum { AMDSMI_VIOLATION_ROOM = 16384, AMDSMI_ASIC_ROOM = 4096 };

/* rsmi_frequencies_t and amdsmi_frequencies_t, which have the same layouts: `old` up to ROCm 5,
 * `now` since ROCm 6.  Fill it with zeros before the library writes to it. */
typedef union rocm_frequencies {
	struct { uint32_t num_supported, current; uint64_t frequency[32]; } old;
	struct { bool has_deep_sleep; uint32_t num_supported, current; uint64_t frequency[33]; } now;
	unsigned char room[512];
} rocm_frequencies;
/* The current frequency in Hz; 0 when there is none or it is not plausible in either layout. */
uint64_t rocm_current_hz(const rocm_frequencies *f);

/* Spells a PCI address.  The lower 16 bits have bus, device and function, as in rsmi_dev_pci_id_get
 * and amdsmi_bdf_t. */
void rocm_spell_pci(unsigned domain, unsigned bus_device_function, char out[16]);

/* Opens the library and adds its GPUs; EH_E_UNAVAILABLE when the library or its driver is
 * missing. */
typedef struct amdsmi_use amdsmi_use;
typedef struct rsmi_use rsmi_use;
eh_status amdsmi_start(kit *k, amdsmi_use **out, eh_error *error);
void amdsmi_stop(amdsmi_use *use);
eh_status rsmi_start(kit *k, rsmi_use **out, eh_error *error);
void rsmi_stop(rsmi_use *use);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What the two ways to AMD's sensors share. */
#ifndef ROCM_STATE_H
#define ROCM_STATE_H

#include "../shared/kit.h"

typedef struct rocm_probe rocm_probe;

/* Bytes for what AMD SMI fills, which grows from release to release. */
enum { AMDSMI_VIOLATION_ROOM = 16384, AMDSMI_ASIC_ROOM = 4096 };

/* The list of frequencies, rsmi_frequencies_t and amdsmi_frequencies_t alike: up to ROCm 5, and since
 * ROCm 6 with a flag before it.  To be filled with zeros before it is given to the library. */
typedef union rocm_frequencies {
	struct { uint32_t num_supported, current; uint64_t frequency[32]; } old;
	struct { bool has_deep_sleep; uint32_t num_supported, current; uint64_t frequency[33]; } now;
	unsigned char room[512];
} rocm_frequencies;
/* Hz of the current frequency; 0 when none is, or when it makes no sense in either layout. */
uint64_t rocm_current_hz(const rocm_frequencies *f);

/* Domain in the upper half, then bus, device, function: the form of rsmi_dev_pci_id_get and of
 * amdsmi_bdf_t alike in their lower 16 bits. */
void rocm_spell_pci(unsigned domain, unsigned bus_device_function, char out[16]);

/* Opens one library and adds its GPUs; EH_E_UNAVAILABLE when it or its driver is not there. */
typedef struct amdsmi_use amdsmi_use;
typedef struct rsmi_use rsmi_use;
eh_status amdsmi_start(kit *k, amdsmi_use **out, eh_error *error);
void amdsmi_stop(amdsmi_use *use);
eh_status rsmi_start(kit *k, rsmi_use **out, eh_error *error);
void rsmi_stop(rsmi_use *use);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What the two ways to AMD's sensors share. */
#ifndef ROCM_STATE_H
#define ROCM_STATE_H

#include "../shared/kit.h"

typedef struct rocm_probe rocm_probe;

/* Layouts of the frequency list: releases put a flag before it and made it longer. */
typedef union rocm_frequencies {
	struct { uint32_t count, current; uint64_t hz[32]; } old;
	struct { uint32_t deep_sleep, count, current, pad; uint64_t hz[33]; } now;
	unsigned char room[512];
} rocm_frequencies;
/* Hz of the current frequency; 0 when neither layout makes sense. */
uint64_t rocm_current_hz(const rocm_frequencies *f);
/* To be given to the library: room that is told apart from what it writes. */
void rocm_frequencies_init(rocm_frequencies *f);

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

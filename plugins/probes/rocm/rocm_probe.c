/* SPDX-License-Identifier: Apache-2.0 */
/* The probe of AMD GPUs, through AMD SMI, or ROCm SMI if there is no AMD SMI. */
#include "rocm_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rocm_probe {
	kit base; /* first: the kit's slots take it for self */
	amdsmi_use *amdsmi;
	rsmi_use *rsmi;
};

/* Whether the frequency is plausible for a GPU. */
static bool is_clock(uint64_t hz)
{
	return hz >= UINT64_C(1000000) && hz <= UINT64_C(100000000000);
}

uint64_t rocm_current_hz(const rocm_frequencies *f)
{
	uint64_t hz = 0;

	/* In the new layout the first word is a flag and the second a count of at least 1. */
	if (f->old.num_supported > 1 || (f->old.num_supported == 1 && f->old.current == 0)) {
		if (f->old.num_supported <= 32 && f->old.current < f->old.num_supported)
			hz = f->old.frequency[f->old.current];
	} else if (f->now.num_supported <= 33 && f->now.current < f->now.num_supported) {
		hz = f->now.frequency[f->now.current];
	}
	return is_clock(hz) ? hz : 0;
}

void rocm_spell_pci(unsigned domain, unsigned bus_device_function, char out[16])
{
	(void)snprintf(out, 16, "%04x:%02x:%02x.%x", domain & 0xffff,
	               (bus_device_function >> 8) & 0xff, (bus_device_function >> 3) & 0x1f,
	               bus_device_function & 7);
}

static eh_status rocm_start(const eh_host *host, void **self, eh_error *error)
{
	rocm_probe *p = calloc(1, sizeof(*p));
	eh_error first = { .struct_size = sizeof(first) };
	eh_error second = { .struct_size = sizeof(second) };
	eh_status status;

	if (p == NULL)
		return kit_fail(error, EH_E_NO_MEMORY, "no memory for a list of sensors");
	p->base.host = host;
	status = amdsmi_start(&p->base, &p->amdsmi, &first);
	if (status != EH_OK) {
		kit_clear(&p->base);
		status = rsmi_start(&p->base, &p->rsmi, &second);
	}
	if (status != EH_OK) {
		kit_clear(&p->base);
		free(p);
		return kit_fail(error, status, "%.170s; %.170s", first.message, second.message);
	}
	*self = p;
	return EH_OK;
}

static void rocm_stop(void *self)
{
	rocm_probe *p = self;

	amdsmi_stop(p->amdsmi);
	rsmi_stop(p->rsmi);
	kit_clear(&p->base);
	free(p);
}

static const eh_probe_ops ops = KIT_OPS(rocm_start, rocm_stop);

static const eh_probe probe = {
	.magic = EH_PROBE_MAGIC,
	.struct_size = sizeof(eh_probe),
	.abi_major = EH_ABI_MAJOR,
	.abi_minor = EH_ABI_MINOR,
	.pointer_bytes = sizeof(void *),
	.name = "rocm",
	.title = "AMD SMI and ROCm SMI",
	.version = "1.0",
	.license = "Apache-2.0",
	.ops = &ops,
};

EH_EXPORT const eh_probe *eh_probe_entry_v1(void)
{
	return &probe;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The probe of Linux itself: RAPL, hwmon, cpufreq, thermal zones, /proc. */
#include "sysfs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static eh_status linux_start(const eh_host *host, void **self, eh_error *error)
{
	const char *root = host->option(host->ctx, "root");
	linux_probe *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return kit_fail(error, EH_E_NO_MEMORY, "no memory for a list of sensors");
	p->base.host = host;
	if (root != NULL && strlen(root) >= sizeof(p->root)) {
		free(p);
		return kit_fail(error, EH_E_INVALID_ARGUMENT, "linux.root is longer than %zu bytes",
		                sizeof(p->root) - 1);
	}
	(void)snprintf(p->root, sizeof(p->root), "%s", root != NULL ? root : "");
	linux_add_host(p);
	linux_add_energy(p);
	linux_add_clocks(p);
	linux_add_hwmon(p);
	/* Sensors below another root are those of a recorded machine. */
	for (uint32_t i = 0; root != NULL && i < p->base.place_count; i++)
		p->base.places[i].info.flags |= EH_PLACE_SIMULATED;
	*self = p;
	return EH_OK;
}

static void linux_stop(void *self)
{
	linux_probe *p = self;

	kit_clear(&p->base);
	free(p);
}

static const eh_probe_ops ops = KIT_OPS(linux_start, linux_stop);

static const eh_probe probe = {
	.magic = EH_PROBE_MAGIC,
	.struct_size = sizeof(eh_probe),
	.abi_major = EH_ABI_MAJOR,
	.abi_minor = EH_ABI_MINOR,
	.pointer_bytes = sizeof(void *),
	.name = "linux",
	.title = "Linux: RAPL, hwmon, cpufreq, thermal zones, /proc",
	.version = "1.0",
	.license = "Apache-2.0",
	.ops = &ops,
};

EH_EXPORT const eh_probe *eh_probe_entry_v1(void)
{
	return &probe;
}

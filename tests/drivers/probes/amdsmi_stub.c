/* SPDX-License-Identifier: Apache-2.0 */
/* A libamd_smi.so with one scripted GPU. */
#include "script.h"

#include <stdint.h>

int amdsmi_init(uint64_t flags) { double v; (void)flags; return script("init", 0, &v); }
int amdsmi_shut_down(void) { return 0; }
int amdsmi_get_socket_handles(uint32_t *count, void **out) { *count = 1; if (out != NULL) out[0] = (void *)1; return 0; }
int amdsmi_get_processor_handles(void *s, uint32_t *count, void **out) { (void)s; *count = 1; if (out != NULL) out[0] = (void *)2; return 0; }
int amdsmi_get_gpu_device_bdf(void *d, uint64_t *bdf) { (void)d; *bdf = 0x4300; return 0; }
int amdsmi_get_gpu_asic_info(void *d, void *out) { (void)d; strcpy(out, "TEST Instinct"); return 0; }
int amdsmi_get_energy_count(void *d, uint64_t *out, float *resolution, uint64_t *time)
{
	double v;
	int rc = script("energy", 1000, &v);

	(void)d;
	*out = (uint64_t)v;
	*resolution = 15.25f;
	*time = 0;
	return rc;
}
int amdsmi_get_temp_metric(void *d, int sensor, int metric, int64_t *out)
{
	double v;
	int rc = script(sensor == 1 ? "hotspot" : "edge", 55, &v);

	(void)d;
	(void)metric;
	*out = (int64_t)v;
	return rc;
}
int amdsmi_get_clk_freq(void *d, int type, void *out)
{
	struct { uint32_t sleep, count, current; uint64_t hz[33]; } now = { 0, 2, 1, { 500000000, 1700000000 } };

	(void)d;
	(void)type;
	memcpy(out, &now, sizeof(now));
	return 0;
}
int amdsmi_get_gpu_activity(void *d, uint32_t *out) { double v; int rc = script("busy", 88, &v); (void)d; out[0] = (uint32_t)v; out[1] = 30; return rc; }
int amdsmi_get_violation_status(void *d, uint64_t *out)
{
	static uint64_t ticks;
	double v;
	int rc = script("ppt", 50, &v);

	(void)d;
	ticks += 1000;
	out[2] = ticks;
	out[3] = 0;
	out[4] = (uint64_t)v;
	out[5] = out[6] = 0;
	out[7] = UINT64_MAX;
	return rc;
}

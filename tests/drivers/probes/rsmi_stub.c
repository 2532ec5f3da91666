/* SPDX-License-Identifier: Apache-2.0 */
/* A librocm_smi64.so with one scripted GPU.  -DNEW_LAYOUT: the frequency list of newer releases. */
#include "script.h"

#include <stdint.h>

int rsmi_init(uint64_t flags) { double v; (void)flags; return script("init", 0, &v); }
int rsmi_shut_down(void) { return 0; }
int rsmi_num_monitor_devices(uint32_t *count) { *count = 1; return 0; }
int rsmi_dev_pci_id_get(uint32_t i, uint64_t *id) { (void)i; *id = 0x4300; return 0; }
int rsmi_dev_name_get(uint32_t i, char *out, size_t size) { (void)i; snprintf(out, size, "TEST Instinct"); return 0; }
int rsmi_dev_power_ave_get(uint32_t i, uint32_t s, uint64_t *out) { double v; int rc = script("power", 300e6, &v); (void)i; (void)s; *out = (uint64_t)v; return rc; }
int rsmi_dev_power_cap_get(uint32_t i, uint32_t s, uint64_t *out) { double v; int rc = script("cap", 500e6, &v); (void)i; (void)s; *out = (uint64_t)v; return rc; }
int rsmi_dev_energy_count_get(uint32_t i, uint64_t *out, float *resolution, uint64_t *time)
{
	double v;
	int rc = script("energy", 1000, &v);

	(void)i;
	*out = (uint64_t)v;
	*resolution = 15.25f;
	*time = 0;
	return rc;
}
int rsmi_dev_temp_metric_get(uint32_t i, uint32_t sensor, int metric, int64_t *out)
{
	double v;
	int rc = script(sensor == 1 ? "hotspot" : sensor == 0 ? "edge" : "temperature-memory", 55000, &v);

	(void)i;
	(void)metric;
	*out = (int64_t)v;
	return rc;
}
int rsmi_dev_gpu_clk_freq_get(uint32_t i, int type, void *out)
{
	struct { uint32_t count, current; uint64_t hz[32]; } old = { 2, 1, { 500000000, 1700000000 } };
	struct { uint32_t sleep, count, current; uint64_t hz[33]; } now = { 0, 2, 1, { 500000000, 1700000000 } };
	double v;
	int rc = script(type == 0 ? "clock" : "clock-memory", 0, &v);

	(void)i;
#ifdef NEW_LAYOUT
	memcpy(out, &now, sizeof(now));
	(void)old;
#else
	memcpy(out, &old, sizeof(old));
	(void)now;
#endif
	return rc;
}
int rsmi_dev_busy_percent_get(uint32_t i, uint32_t *out) { double v; int rc = script("busy", 88, &v); (void)i; *out = (uint32_t)v; return rc; }
int rsmi_dev_memory_usage_get(uint32_t i, int type, uint64_t *out) { double v; int rc = script("memory", 2097152, &v); (void)i; (void)type; *out = (uint64_t)v; return rc; }

/* SPDX-License-Identifier: Apache-2.0 */
/* A libnvidia-ml.so.1 with one GPU whose sensors are scripted.  -DOLD leaves out what old drivers
 * lack. */
#include "script.h"

typedef struct { char old[16]; unsigned domain, bus, device, id, subsystem; char text[32]; } pci_info;
typedef struct {
	unsigned field, scope;
	long long time, latency;
	int type, status;
	union { double d; unsigned u; unsigned long long ull; } value;
} field_value;

int nvmlInit_v2(void) { double v; return script("init", 0, &v); }
int nvmlShutdown(void) { return 0; }
int nvmlDeviceGetCount_v2(unsigned *count) { double v; int rc = script("count", 1, &v); *count = (unsigned)v; return rc; }
int nvmlDeviceGetHandleByIndex_v2(unsigned i, void **device) { double v; *device = (void *)(size_t)(i + 1); return script("handle", 0, &v); }
int nvmlDeviceGetName(void *d, char *out, unsigned size) { (void)d; snprintf(out, size, "TEST Hopper"); return 0; }
int nvmlDeviceGetUUID(void *d, char *out, unsigned size) { (void)d; snprintf(out, size, "GPU-00112233-4455-6677-8899-aabbccddeeff"); return 0; }
int nvmlDeviceGetPciInfo_v3(void *d, pci_info *p)
{
	(void)d;
	memset(p, 0, sizeof(*p));
	p->bus = 0x3b;
	return 0;
}

#define SENSOR(function, type, name, fallback) \
	int function(void *d, type *out) { double v; int rc = script(name, fallback, &v); (void)d; *out = (type)v; return rc; }
SENSOR(nvmlDeviceGetTotalEnergyConsumption, unsigned long long, "energy", 1000)
SENSOR(nvmlDeviceGetPowerUsage, unsigned, "power", 250000)
SENSOR(nvmlDeviceGetEnforcedPowerLimit, unsigned, "limit", 700000)
SENSOR(nvmlDeviceGetCurrentClocksThrottleReasons, unsigned long long, "reasons", 4)
int nvmlDeviceGetClockInfo(void *d, int type, unsigned *out)
{
	double v;
	int rc = script(type == 2 ? "clock-memory" : "clock", type == 2 ? 2619 : 1980, &v);

	(void)d;
	*out = (unsigned)v;
	return rc;
}
int nvmlDeviceGetTemperature(void *d, int kind, unsigned *out)
{
	double v;
	int rc = script("temperature", 61, &v);

	(void)d;
	(void)kind;
	*out = (unsigned)v;
	return rc;
}
int nvmlDeviceGetUtilizationRates(void *d, unsigned out[2])
{
	double v;
	int rc = script("utilisation", 97, &v);

	(void)d;
	out[0] = (unsigned)v;
	out[1] = 40;
	return rc;
}
int nvmlDeviceGetMemoryInfo(void *d, unsigned long long out[3])
{
	double v;
	int rc = script("memory", 1048576, &v);

	(void)d;
	out[0] = 1ull << 36;
	out[2] = (unsigned long long)v;
	out[1] = out[0] - out[2];
	return rc;
}
int nvmlDeviceGetTotalEccErrors(void *d, int type, int counter, unsigned long long *out)
{
	double v;
	int rc = script("ecc", 0, &v);

	(void)d;
	(void)type;
	(void)counter;
	*out = (unsigned long long)v;
	return rc;
}
int nvmlDeviceGetEccMode(void *d, unsigned *now, unsigned *later) { (void)d; *now = *later = 1; return 0; }
int nvmlDeviceGetMigMode(void *d, unsigned *now, unsigned *later) { double v; int rc = script("mig", 0, &v); (void)d; *now = *later = (unsigned)v; return rc; }
#ifndef OLD
/* "capability 80": compute capability 8.0. */
int nvmlDeviceGetCudaComputeCapability(void *d, int *major, int *minor)
{
	double v;
	int rc = script("capability", 90, &v);

	(void)d;
	*major = (int)v / 10;
	*minor = (int)v % 10;
	return rc;
}
int nvmlDeviceGetFieldValues(void *d, int count, field_value *f)
{
	double v;

	(void)d;
	(void)count;
	f->status = script(f->field == 186 ? "power-instant" : "temperature-memory",
	                   f->field == 186 ? 251500 : 70, &v);
	f->type = 1;
	f->value.u = (unsigned)v;
	return 0;
}
int nvmlDeviceGetComputeRunningProcesses_v3(void *d, unsigned *count, void *list)
{
	double v;
	int rc = script("processes", 1, &v);

	(void)d;
	(void)list;
	*count = (unsigned)v;
	return rc != 0 ? rc : v > 0 ? 7 : 0;
}
int nvmlDeviceGetViolationStatus(void *d, int policy, unsigned long long out[2])
{
	double v;
	int rc = script(policy == 0 ? "violation-power" : "violation-thermal", 0, &v);

	(void)d;
	out[0] = 0;
	out[1] = (unsigned long long)v;
	return rc;
}
#endif

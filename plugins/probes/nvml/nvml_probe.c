/* SPDX-License-Identifier: Apache-2.0 */
/* The probe of NVIDIA GPUs through their Management Library. */
#include "../shared/kit.h"
#include "nvml_abi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct nvml_api {
#define X(field, names, arguments) nvmlReturn_t (*field) arguments;
	NVML_REQUIRED(X)
	NVML_OPTIONAL(X)
#undef X
} nvml_api;

typedef struct nvml_probe {
	kit base;       /* first: the kit's slots take it for self                                */
	nvml_api api;
} nvml_probe;

static const eh_bit reasons[] = {
	{ nvmlClocksThrottleReasonGpuIdle, "idle", "nothing runs, so the clocks are low", 1, 0 },
	{ nvmlClocksThrottleReasonApplicationsClocksSetting, "application-clocks", "the clocks are held by an application-clocks setting: "
	  "nvidia-smi -rac resets it", 0, EH_CAUSE_SETTING },
	{ nvmlClocksThrottleReasonSwPowerCap, "sw-power-cap", "the power limit was reached: raise it with nvidia-smi -pl where the "
	  "board allows it, or state it beside the result", 0, EH_CAUSE_POWER },
	{ nvmlClocksThrottleReasonHwSlowdown, "hw-slowdown", "the hardware halved the clocks or more: look for heat or a weak power "
	  "supply (hw-thermal, power-brake)", 0, 0 },
	{ nvmlClocksThrottleReasonSyncBoost, "sync-boost", "the clocks follow another GPU of the same group", 0, EH_CAUSE_SETTING },
	{ nvmlClocksThrottleReasonSwThermalSlowdown, "sw-thermal", "the driver lowered the clocks because of heat: improve the cooling", 0, 0 },
	{ nvmlClocksThrottleReasonHwThermalSlowdown, "hw-thermal", "the hardware lowered the clocks because of heat: improve the cooling", 0, 0 },
	{ nvmlClocksThrottleReasonHwPowerBrakeSlowdown, "power-brake", "the power supply asked for less: look at it and its cables", 0, 0 },
	{ nvmlClocksThrottleReasonDisplayClockSetting, "display-clocks", "the clocks follow a display's setting", 1, 0 },
};

static eh_status translate(nvmlReturn_t code, const char *call, eh_error *error)
{
	eh_status status = EH_E_DEVICE;
	const char *advice = "see what nvidia-smi says";

	if (code == NVML_SUCCESS)
		return EH_OK;
	if (code == NVML_ERROR_NOT_SUPPORTED) {
		status = EH_E_UNSUPPORTED;
		advice = "this GPU or its driver does not offer it";
	} else if (code == NVML_ERROR_NO_PERMISSION) {
		status = EH_E_UNAVAILABLE;
		advice = "the driver keeps it for root: run as root, or have the administrator allow it";
	} else if (code == NVML_ERROR_DRIVER_NOT_LOADED) {
		status = EH_E_UNAVAILABLE;
		advice = "the kernel's NVIDIA driver is not loaded: modprobe nvidia, or install it";
	} else if (code == NVML_ERROR_LIB_RM_VERSION_MISMATCH) {
		status = EH_E_INCOMPATIBLE;
		advice = "library and kernel driver are of different versions: reboot after an update";
	} else if (code == NVML_ERROR_GPU_IS_LOST || code == NVML_ERROR_RESET_REQUIRED) {
		status = EH_E_DEVICE_LOST;
		advice = "the GPU fell off the bus or needs a reset";
	} else if (code == NVML_ERROR_TIMEOUT) {
		status = EH_E_TIMEOUT;
	}
	return eh_fail_native(error, status, call, (int64_t)code, "", "%s answered %d: %s", call, (int)code, advice);
}

static eh_status absent(const char *call, eh_error *error)
{
	return kit_fail(error, EH_E_UNSUPPORTED,
	                "libnvidia-ml has no %s: a newer driver may have it", call);
}

static const nvml_api *api_of(const kit_channel *c)
{
	return &((const nvml_probe *)c->owner)->api;
}

#define CALL(field, name, ...)                                                               \
	const nvml_api *api = api_of(c);                                                     \
	nvmlReturn_t code;                                                                    \
	if (api->field == NULL)                                                              \
		return absent(name, error);                                                  \
	code = api->field(c->object, __VA_ARGS__);                                           \
	if (code != NVML_SUCCESS)                                                                 \
		return translate(code, name, error)

static eh_status read_energy(const kit_channel *c, eh_reading *out, eh_error *error)
{
	unsigned long long millijoules = 0;
	CALL(energy, "nvmlDeviceGetTotalEnergyConsumption", &millijoules);

	out->count = millijoules * 1000;
	return EH_OK;
}

static eh_status read_power(const kit_channel *c, eh_reading *out, eh_error *error)
{
	unsigned milliwatts = 0;
	CALL(power, "nvmlDeviceGetPowerUsage", &milliwatts);

	out->value = milliwatts * 1e-3;
	return EH_OK;
}

static eh_status read_limit(const kit_channel *c, eh_reading *out, eh_error *error)
{
	unsigned milliwatts = 0;
	CALL(limit, "nvmlDeviceGetEnforcedPowerLimit", &milliwatts);

	out->value = milliwatts * 1e-3;
	return EH_OK;
}

static eh_status read_field(const kit_channel *c, eh_reading *out, eh_error *error)
{
	nvmlFieldValue_t field = { .fieldId = (unsigned)c->argument };
	CALL(fields, "nvmlDeviceGetFieldValues", 1, &field);

	if (field.nvmlReturn != NVML_SUCCESS)
		return translate(field.nvmlReturn, "nvmlDeviceGetFieldValues", error);
	switch (field.valueType) {
	case NVML_VALUE_TYPE_DOUBLE: out->value = field.value.dVal; break;
	case NVML_VALUE_TYPE_UNSIGNED_INT: out->value = field.value.uiVal; break;
	case NVML_VALUE_TYPE_UNSIGNED_LONG: out->value = (double)field.value.ulVal; break;
	case NVML_VALUE_TYPE_UNSIGNED_LONG_LONG: out->value = (double)field.value.ullVal; break;
	case NVML_VALUE_TYPE_SIGNED_LONG_LONG: out->value = (double)field.value.sllVal; break;
	case NVML_VALUE_TYPE_SIGNED_INT: out->value = field.value.siVal; break;
	default:
		return kit_fail(error, EH_E_INCOMPATIBLE, "nvmlDeviceGetFieldValues answered with a "
		                "value of type %d, which this probe does not know: update evenhand",
		                (int)field.valueType);
	}
	out->value *= c->scale;
	return EH_OK;
}

static eh_status read_clock(const kit_channel *c, eh_reading *out, eh_error *error)
{
	unsigned mhz = 0;
	CALL(clock, "nvmlDeviceGetClockInfo", (nvmlClockType_t)c->argument, &mhz);

	out->value = mhz;
	return EH_OK;
}

static eh_status read_temperature(const kit_channel *c, eh_reading *out, eh_error *error)
{
	unsigned celsius = 0;
	CALL(temperature, "nvmlDeviceGetTemperature", NVML_TEMPERATURE_GPU, &celsius);

	out->value = celsius;
	return EH_OK;
}

static eh_status read_reasons(const kit_channel *c, eh_reading *out, eh_error *error)
{
	unsigned long long bits = 0;
	CALL(reasons, "nvmlDeviceGetCurrentClocksEventReasons", &bits);

	out->count = bits;
	return EH_OK;
}

static eh_status read_violation(const kit_channel *c, eh_reading *out, eh_error *error)
{
	nvmlViolationTime_t time = { 0 };
	CALL(violation, "nvmlDeviceGetViolationStatus", (nvmlPerfPolicyType_t)c->argument, &time);

	out->count = time.violationTime;
	out->native = out->time_ns;
	return EH_OK;
}

static eh_status read_rates(const kit_channel *c, eh_reading *out, eh_error *error)
{
	nvmlUtilization_t rates = { 0 };
	CALL(rates, "nvmlDeviceGetUtilizationRates", &rates);

	out->value = c->argument == 0 ? rates.gpu : rates.memory;
	return EH_OK;
}

static eh_status read_memory(const kit_channel *c, eh_reading *out, eh_error *error)
{
	nvmlMemory_t memory = { 0 };
	CALL(memory, "nvmlDeviceGetMemoryInfo", &memory);

	out->value = (double)memory.used;
	return EH_OK;
}

static eh_status read_ecc_errors(const kit_channel *c, eh_reading *out, eh_error *error)
{
	unsigned long long errors = 0;
	CALL(ecc_errors, "nvmlDeviceGetTotalEccErrors", (nvmlMemoryErrorType_t)c->argument,
	     NVML_VOLATILE_ECC, &errors);

	out->count = errors;
	return EH_OK;
}

static eh_status read_ecc_mode(const kit_channel *c, eh_reading *out, eh_error *error)
{
	nvmlEnableState_t now = NVML_FEATURE_DISABLED, later = NVML_FEATURE_DISABLED;
	CALL(ecc_mode, "nvmlDeviceGetEccMode", &now, &later);

	out->value = now;
	return EH_OK;
}

static eh_status read_mig_mode(const kit_channel *c, eh_reading *out, eh_error *error)
{
	unsigned now = 0, later = 0;
	CALL(mig_mode, "nvmlDeviceGetMigMode", &now, &later);

	out->value = now;
	return EH_OK;
}

/* Called with room for no element, NVML still reports the number. */
static eh_status read_processes(const kit_channel *c, eh_reading *out, eh_error *error)
{
	const nvml_api *api = api_of(c);
	unsigned count = 0;
	nvmlReturn_t code;

	if (api->processes == NULL)
		return absent("nvmlDeviceGetComputeRunningProcesses", error);
	code = api->processes(c->object, &count, NULL);
	if (code != NVML_SUCCESS && code != NVML_ERROR_INSUFFICIENT_SIZE)
		return translate(code, "nvmlDeviceGetComputeRunningProcesses", error);
	out->value = count;
	return EH_OK;
}

/* ---- listing GPUs and channels ------------------------------------------------------- */

#define SECOND UINT64_C(1000000000)
#define CHANNEL(k, p, f, n, u) .info = { .kind = EH_CHANNEL_##k, .part = EH_PART_##p, \
	.form = EH_FORM_##f, .name = n, .unit = u }
#define RARE(k, p, f, n, u) .info = { .kind = EH_CHANNEL_##k, .part = EH_PART_##p, \
	.form = EH_FORM_##f, .flags = EH_CHANNEL_RARE, .name = n, .unit = u }

static const kit_channel channels[] = {
	{ CHANNEL(ENERGY, ALL, COUNTER, "energy", "uJ"), .read = read_energy },
	{ CHANNEL(POWER, ALL, INSTANT, "power-instant", "W"), .read = read_field,
	  .argument = NVML_FI_DEV_POWER_INSTANT, .scale = 1e-3 },
	/* Its form is the device's: name_method. */
	{ CHANNEL(POWER, ALL, AVERAGE, "power", "W"), .read = read_power },
	{ CHANNEL(CLOCK, CORE, INSTANT, "clock-sm", "MHz"), .read = read_clock,
	  .argument = NVML_CLOCK_SM },
	{ CHANNEL(CLOCK, MEMORY, INSTANT, "clock-memory", "MHz"), .read = read_clock,
	  .argument = NVML_CLOCK_MEM },
	{ CHANNEL(TEMPERATURE, CORE, INSTANT, "temperature", "C"), .read = read_temperature },
	{ CHANNEL(TEMPERATURE, MEMORY, INSTANT, "temperature-memory", "C"), .read = read_field,
	  .argument = NVML_FI_DEV_MEMORY_TEMP, .scale = 1 },
	{ .info = { .kind = EH_CHANNEL_THROTTLE, .part = EH_PART_ALL, .form = EH_FORM_BITS,
	            .name = "throttle", .bits = reasons,
	            .bit_count = sizeof(reasons) / sizeof(reasons[0]) }, .read = read_reasons },
	{ .info = { .kind = EH_CHANNEL_THROTTLE, .part = EH_PART_ALL, .form = EH_FORM_COUNTER,
	            .name = "throttle-power", .unit = "ns", .cause = EH_CAUSE_POWER },
	  .read = read_violation, .argument = NVML_PERF_POLICY_POWER },
	{ CHANNEL(THROTTLE, ALL, COUNTER, "throttle-thermal", "ns"), .read = read_violation,
	  .argument = NVML_PERF_POLICY_THERMAL },
	{ .info = { .kind = EH_CHANNEL_UTILISATION, .part = EH_PART_CORE, .form = EH_FORM_AVERAGE,
	            .name = "utilisation", .unit = "%" }, .read = read_rates },
	{ .info = { .kind = EH_CHANNEL_UTILISATION, .part = EH_PART_MEMORY, .form = EH_FORM_AVERAGE,
	            .name = "utilisation-memory", .unit = "%" }, .read = read_rates, .argument = 1 },
	{ CHANNEL(MEMORY, ALL, INSTANT, "memory-used", "bytes"), .read = read_memory },
	{ RARE(LIMIT, ALL, INSTANT, "power-limit", "W"), .read = read_limit },
	{ RARE(USERS, ALL, INSTANT, "processes", "processes"), .read = read_processes },
	{ RARE(COUNT, MEMORY, COUNTER, "ecc-corrected", "errors"), .read = read_ecc_errors,
	  .argument = NVML_MEMORY_ERROR_TYPE_CORRECTED },
	{ RARE(COUNT, MEMORY, COUNTER, "ecc-uncorrected", "errors"), .read = read_ecc_errors,
	  .argument = NVML_MEMORY_ERROR_TYPE_UNCORRECTED },
	{ RARE(OTHER, ALL, INSTANT, "ecc-mode", "on"), .read = read_ecc_mode },
	{ RARE(OTHER, ALL, INSTANT, "mig-mode", "on"), .read = read_mig_mode },
};

/*
 * NVML documents nvmlDeviceGetPowerUsage as the mean of a second from Ampere on, except GA100, and as
 * instantaneous on GA100 (compute capability 8.0) and all before.
 */
static void name_method(const nvml_probe *p, nvmlDevice_t device, eh_channel_info *power)
{
	int major = 0, minor = 0;

	power->form = EH_FORM_AVERAGE;
	power->window_ns = 0;
	if (p->api.capability == NULL || p->api.capability(device, &major, &minor) != NVML_SUCCESS)
		return;
	if (10 * major + minor <= 80)
		power->form = EH_FORM_INSTANT;
	else
		power->window_ns = SECOND;
}

static eh_status add_device(nvml_probe *p, unsigned index, eh_error *error)
{
	char name[96] = "", uuid[96] = "", id[32];
	nvmlDevice_t device = NULL;
	nvmlPciInfo_t pci;
	kit_place *place;
	nvmlReturn_t code = p->api.handle(index, &device);

	(void)snprintf(id, sizeof(id), "gpu-%u", index);
	if (code != NVML_SUCCESS) {
		eh_error own = { .struct_size = sizeof(own) };

		(void)translate(code, "nvmlDeviceGetHandleByIndex_v2", &own);
		kit_note(&p->base, "GPU %u cannot be read: %s", index, own.message);
		return EH_OK;
	}
	if (p->api.name(device, name, sizeof(name)) != NVML_SUCCESS)
		(void)snprintf(name, sizeof(name), "NVIDIA GPU %u", index);
	place = kit_add_place(&p->base, EH_PLACE_DEVICE, id, name);
	if (place == NULL)
		return kit_fail(error, EH_E_NO_MEMORY, "no memory for a list of sensors");
	/* Without "GPU-": the ABI's field has no room for it. */
	if (p->api.uuid(device, uuid, sizeof(uuid)) == NVML_SUCCESS)
		(void)snprintf(place->info.uuid, sizeof(place->info.uuid), "%.36s",
		               strncmp(uuid, "GPU-", 4) == 0 ? uuid + 4 : uuid);
	memset(&pci, 0, sizeof(pci));
	if (p->api.pci(device, &pci) == NVML_SUCCESS)
		(void)snprintf(place->info.pci, sizeof(place->info.pci), "%04x:%02x:%02x.0",
		               pci.domain & 0xffff, pci.bus & 0xff, pci.device & 0xff);
	for (size_t i = 0; i < sizeof(channels) / sizeof(channels[0]); i++) {
		kit_channel made = channels[i];
		kit_channel *c;
		eh_reading reading = { 0 };

		made.owner = p;
		made.object = device;
		if (made.read == read_power)
			name_method(p, device, &made.info);
		c = kit_add_channel(&p->base, place, &made);
		if (c == NULL)
			return kit_fail(error, EH_E_NO_MEMORY, "no memory for a list of sensors");
		kit_try(&p->base, c);
		if (made.read == read_mig_mode && made.read(c, &reading, NULL) == EH_OK && reading.value > 0)
			kit_note(&p->base, "%s (%s): MIG is on, so power, clocks and temperature are those of "
			         "the whole GPU, which other instances share", id, name);
	}
	return EH_OK;
}

static eh_status nvml_start(const eh_host *host, void **self, eh_error *error)
{
	nvml_probe *p;
	unsigned count = 0;
	eh_status status = EH_OK;
	nvmlReturn_t code;
	void *library = kit_open("NVIDIA's Management Library", "libnvidia-ml.so.1",
	                         host->option(host->ctx, "library"), "it comes with NVIDIA's driver "
	                         "(Debian: libnvidia-ml1); in a container, ask for the driver's "
	                         "capability 'utility'", error);

	if (library == NULL)
		return EH_E_UNAVAILABLE;
	p = calloc(1, sizeof(*p));
	if (p == NULL)
		return kit_fail(error, EH_E_NO_MEMORY, "no memory for a list of sensors");
	p->base.host = host;
#define X(field, names, arguments)                                                           \
	if (!kit_find(library, names, &p->api.field, sizeof(p->api.field))) {                 \
		free(p);                                                                     \
		return kit_fail(error, EH_E_INCOMPATIBLE, "libnvidia-ml has no %s: its driver is " \
		                "too old, install a newer one", names);                      \
	}
	NVML_REQUIRED(X)
#undef X
#define X(field, names, arguments) (void)kit_find(library, names, &p->api.field, sizeof(p->api.field));
	NVML_OPTIONAL(X)
#undef X
	code = p->api.init();
	if (code != NVML_SUCCESS) {
		free(p);
		return translate(code, "nvmlInit_v2", error);
	}
	code = p->api.count(&count);
	if (code != NVML_SUCCESS)
		status = translate(code, "nvmlDeviceGetCount_v2", error);
	for (unsigned i = 0; status == EH_OK && i < count; i++)
		status = add_device(p, i, error);
	if (status != EH_OK) {
		(void)p->api.shutdown();
		kit_clear(&p->base);
		free(p);
		return status;
	}
	*self = p;
	return EH_OK;
}

static void nvml_stop(void *self)
{
	nvml_probe *p = self;

	(void)p->api.shutdown();
	kit_clear(&p->base);
	free(p);
}

static const eh_probe_ops ops = KIT_OPS(nvml_start, nvml_stop);

static const eh_probe probe = {
	.magic = EH_PROBE_MAGIC,
	.struct_size = sizeof(eh_probe),
	.abi_major = EH_ABI_MAJOR,
	.abi_minor = EH_ABI_MINOR,
	.pointer_bytes = sizeof(void *),
	.name = "nvml",
	.title = "NVIDIA Management Library",
	.version = "1.0",
	.license = "Apache-2.0",
	.ops = &ops,
};

EH_EXPORT const eh_probe *eh_probe_entry_v1(void)
{
	return &probe;
}

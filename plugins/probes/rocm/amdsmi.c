/* SPDX-License-Identifier: Apache-2.0 */
/* AMD SMI, ROCm SMI's successor.  Only calls whose structures kept their layout are used; power is
 * the difference of the energy counter. */
#include "rocm_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SOCKETS 64
#define MOST_PROCESSORS 64

enum {
	SMI_NOT_SUPPORTED = 2,
	SMI_NOT_YET_IMPLEMENTED = 3,
	SMI_FAIL_LOAD_MODULE = 4,
	SMI_TIMEOUT = 8,
	SMI_NO_PERM = 10,
	SMI_FILE_ERROR = 14,
	SMI_INIT_ERROR = 18,
	SMI_NO_DATA = 40
};
enum { INIT_AMD_GPUS = 2, CLOCK_SYSTEM = 0, CLOCK_MEMORY = 4, TEMPERATURE_EDGE = 0,
       TEMPERATURE_HOTSPOT = 1, TEMPERATURE_VRAM = 2 };

/* The head of amdsmi_violation_status_t: counts, and the count of all ticks beside them.  Later
 * releases append to it, so it is given ample room. */
typedef union violations {
	struct {
		uint64_t reference_us, time_ms, all, prochot, ppt, socket, vr, hbm;
	} now;
	unsigned char room[16384];
} violations;

#define REQUIRED(X)                                                                          \
	X(init, "amdsmi_init", (uint64_t))                                                   \
	X(shut_down, "amdsmi_shut_down", (void))                                             \
	X(sockets, "amdsmi_get_socket_handles", (uint32_t *, void **))                       \
	X(processors, "amdsmi_get_processor_handles", (void *, uint32_t *, void **))         \
	X(bdf, "amdsmi_get_gpu_device_bdf", (void *, uint64_t *))
#define OPTIONAL(X)                                                                          \
	X(uuid, "amdsmi_get_gpu_device_uuid", (void *, unsigned *, char *))                  \
	X(asic, "amdsmi_get_gpu_asic_info", (void *, void *))                                \
	X(energy, "amdsmi_get_energy_count", (void *, uint64_t *, float *, uint64_t *))      \
	X(temperature, "amdsmi_get_temp_metric", (void *, int, int, int64_t *))              \
	X(clock, "amdsmi_get_clk_freq", (void *, int, rocm_frequencies *))                   \
	X(activity, "amdsmi_get_gpu_activity", (void *, uint32_t *))                         \
	X(memory, "amdsmi_get_gpu_memory_usage", (void *, int, uint64_t *))                  \
	X(violation, "amdsmi_get_violation_status", (void *, violations *))

struct amdsmi_use {
#define X(field, names, arguments) int (*field) arguments;
	REQUIRED(X)
	OPTIONAL(X)
#undef X
};

static eh_status translate(int code, const char *call, eh_error *error)
{
	eh_status status = EH_E_DEVICE;
	const char *advice = "see what amd-smi says";

	if (code == 0)
		return EH_OK;
	if (code == SMI_NOT_SUPPORTED || code == SMI_NOT_YET_IMPLEMENTED || code == SMI_NO_DATA) {
		status = EH_E_UNSUPPORTED;
		advice = "this GPU or its driver does not offer it";
	} else if (code == SMI_NO_PERM) {
		status = EH_E_UNAVAILABLE;
		advice = "the driver keeps it for others: join the groups video and render, or run as root";
	} else if (code == SMI_INIT_ERROR || code == SMI_FAIL_LOAD_MODULE) {
		status = EH_E_UNAVAILABLE;
		advice = "no AMD GPU with the kernel driver amdgpu is here";
	} else if (code == SMI_TIMEOUT) {
		status = EH_E_TIMEOUT;
	} else if (code == SMI_FILE_ERROR) {
		status = EH_E_DEVICE_LOST;
		advice = "its file in sysfs is gone or cannot be read: was the GPU removed?";
	}
	if (error != NULL) {
		error->native_code = code;
		(void)snprintf(error->where, sizeof(error->where), "%s", call);
	}
	return kit_fail(error, status, "%s answered %d: %s", call, code, advice);
}

#define CALL(field, name, ...)                                                               \
	const amdsmi_use *use = c->owner;                                                    \
	int code;                                                                            \
	if (use->field == NULL)                                                              \
		return kit_fail(error, EH_E_UNSUPPORTED, "libamd_smi has no " name               \
		                ": a newer ROCm may have it");                               \
	code = use->field(c->object, __VA_ARGS__);                                           \
	if (code != 0)                                                                       \
		return translate(code, name, error)

static eh_status read_energy(const kit_channel *c, eh_reading *out, eh_error *error)
{
	uint64_t units = 0, time = 0;
	float resolution = 0;
	CALL(energy, "amdsmi_get_energy_count", &units, &resolution, &time);

	out->count = (uint64_t)((double)units * (double)resolution);
	out->native = time;
	return EH_OK;
}

static eh_status read_temperature(const kit_channel *c, eh_reading *out, eh_error *error)
{
	int64_t celsius = 0;
	CALL(temperature, "amdsmi_get_temp_metric", (int)c->argument, 0, &celsius);

	out->value = (double)celsius;
	return EH_OK;
}

static eh_status read_clock(const kit_channel *c, eh_reading *out, eh_error *error)
{
	rocm_frequencies f;
	uint64_t hz;
	rocm_frequencies_init(&f);
	CALL(clock, "amdsmi_get_clk_freq", (int)c->argument, &f);

	hz = rocm_current_hz(&f);
	if (hz == 0)
		return kit_fail(error, EH_E_INCOMPATIBLE, "amdsmi_get_clk_freq answered in a layout "
		                "that this probe does not know: update evenhand");
	out->value = (double)hz * 1e-6;
	return EH_OK;
}

/* amdsmi_engine_usage_t: gfx, umc (memory), mm, and room for more. */
static eh_status read_activity(const kit_channel *c, eh_reading *out, eh_error *error)
{
	uint32_t percent[64] = { 0 };
	CALL(activity, "amdsmi_get_gpu_activity", percent);

	if (percent[c->argument] > 100)
		return kit_fail(error, EH_E_UNSUPPORTED, "this GPU does not tell how busy it is");
	out->value = percent[c->argument];
	return EH_OK;
}

static eh_status read_memory(const kit_channel *c, eh_reading *out, eh_error *error)
{
	uint64_t used = 0;
	CALL(memory, "amdsmi_get_gpu_memory_usage", 0, &used);

	out->value = (double)used;
	return EH_OK;
}

/* The library takes 100 ms for this, so the five channels of one read share one call. */
static eh_status read_violation(const kit_channel *c, eh_reading *out, eh_error *error)
{
	static const uint64_t fresh_ns = 250000000;
	static _Thread_local struct { void *device; uint64_t time_ns; violations v; } last;
	const uint64_t *counts;

	if (last.device != c->object || out->time_ns - last.time_ns > fresh_ns) {
		memset(&last.v, 0, sizeof(last.v.now));
		last.device = NULL;
		CALL(violation, "amdsmi_get_violation_status", &last.v);
		last.device = c->object;
		last.time_ns = out->time_ns;
	}
	counts = &last.v.now.prochot;
	if (counts[c->argument] == UINT64_MAX || last.v.now.all == UINT64_MAX)
		return kit_fail(error, EH_E_UNSUPPORTED, "this GPU does not count this violation");
	out->count = counts[c->argument];
	out->native = last.v.now.all;
	return EH_OK;
}

#define CHANNEL(k, p, f, n, u) .info = { .kind = EH_CHANNEL_##k, .part = EH_PART_##p, \
	.form = EH_FORM_##f, .name = n, .unit = u }
#define VIOLATION(n, place) { .info = { .kind = EH_CHANNEL_THROTTLE, .part = EH_PART_ALL, \
	.form = EH_FORM_COUNTER, .flags = EH_CHANNEL_RARE, .name = "throttle-" n, .unit = "ticks" }, \
	.read = read_violation, .argument = place }
static const kit_channel channels[] = {
	{ CHANNEL(ENERGY, ALL, COUNTER, "energy", "uJ"), .read = read_energy },
	{ CHANNEL(CLOCK, CORE, INSTANT, "clock", "MHz"), .read = read_clock, .argument = CLOCK_SYSTEM },
	{ CHANNEL(CLOCK, MEMORY, INSTANT, "clock-memory", "MHz"), .read = read_clock,
	  .argument = CLOCK_MEMORY },
	{ CHANNEL(TEMPERATURE, CORE, INSTANT, "temperature-hotspot", "C"), .read = read_temperature,
	  .argument = TEMPERATURE_HOTSPOT },
	{ CHANNEL(TEMPERATURE, OTHER, INSTANT, "temperature-edge", "C"), .read = read_temperature,
	  .argument = TEMPERATURE_EDGE },
	{ CHANNEL(TEMPERATURE, MEMORY, INSTANT, "temperature-memory", "C"), .read = read_temperature,
	  .argument = TEMPERATURE_VRAM },
	{ CHANNEL(UTILISATION, CORE, AVERAGE, "utilisation", "%"), .read = read_activity },
	{ CHANNEL(UTILISATION, MEMORY, AVERAGE, "utilisation-memory", "%"), .read = read_activity,
	  .argument = 1 },
	{ CHANNEL(MEMORY, ALL, INSTANT, "memory-used", "bytes"), .read = read_memory },
	VIOLATION("prochot", 0),
	VIOLATION("package-power", 1),
	VIOLATION("socket-thermal", 2),
	VIOLATION("voltage-regulator", 3),
	VIOLATION("hbm-thermal", 4),
};

static eh_status add_device(kit *k, amdsmi_use *use, void *device, uint32_t number, eh_error *error)
{
	char id[32], asic[4096] = "", name[96];
	unsigned size = sizeof(((eh_place_info *)0)->uuid);
	uint64_t bdf = 0;
	kit_place *place;

	if (use->bdf(device, &bdf) != 0)
		return EH_OK; /* no GPU */
	(void)snprintf(id, sizeof(id), "gpu-%u", number);
	/* The structure begins with the market name in every release. */
	if (use->asic == NULL || use->asic(device, asic) != 0 || asic[0] == '\0')
		(void)snprintf(asic, sizeof(asic), "AMD GPU %u", number);
	asic[sizeof(asic) - 1] = '\0';
	(void)snprintf(name, sizeof(name), "%.90s", asic);
	place = kit_add_place(k, EH_PLACE_DEVICE, id, name);
	if (place == NULL)
		return kit_fail(error, EH_E_NO_MEMORY, "no memory for a list of sensors");
	/* amdsmi_bdf_t: 48 bits of domain above 16 of bus, device and function. */
	rocm_spell_pci((unsigned)(bdf >> 16), (unsigned)(bdf & 0xffff), place->info.pci);
	if (use->uuid == NULL || use->uuid(device, &size, place->info.uuid) != 0)
		place->info.uuid[0] = '\0';
	for (size_t i = 0; i < sizeof(channels) / sizeof(channels[0]); i++) {
		kit_channel made = channels[i];
		kit_channel *c;

		made.owner = use;
		made.object = device;
		c = kit_add_channel(k, place, &made);
		if (c != NULL)
			kit_try(k, c);
	}
	return EH_OK;
}

static eh_status add_devices(kit *k, amdsmi_use *use, eh_error *error)
{
	void *sockets[MOST_SOCKETS];
	uint32_t socket_count = 0, number = 0;
	eh_status status = translate(use->sockets(&socket_count, NULL), "amdsmi_get_socket_handles", error);

	if (socket_count > MOST_SOCKETS)
		socket_count = MOST_SOCKETS;
	if (status == EH_OK)
		status = translate(use->sockets(&socket_count, sockets), "amdsmi_get_socket_handles", error);
	for (uint32_t s = 0; status == EH_OK && s < socket_count; s++) {
		void *processors[MOST_PROCESSORS];
		uint32_t count = 0;

		if (use->processors(sockets[s], &count, NULL) != 0)
			continue;
		if (count > MOST_PROCESSORS)
			count = MOST_PROCESSORS;
		if (use->processors(sockets[s], &count, processors) != 0)
			continue;
		for (uint32_t i = 0; status == EH_OK && i < count; i++)
			status = add_device(k, use, processors[i], number++, error);
	}
	if (status == EH_OK && k->place_count == 0)
		status = kit_fail(error, EH_E_UNAVAILABLE, "AMD SMI lists no GPU");
	return status;
}

eh_status amdsmi_start(kit *k, amdsmi_use **out, eh_error *error)
{
	amdsmi_use *use;
	eh_status status;
	void *library = kit_open("AMD SMI", "libamd_smi.so.26 libamd_smi.so.25 libamd_smi.so.24 "
	                         "libamd_smi.so",
	                         k->host->option(k->host->ctx, "amdsmi-library"),
	                         "it comes with ROCm (package amd-smi-lib)", error);

	if (library == NULL)
		return EH_E_UNAVAILABLE;
	use = calloc(1, sizeof(*use));
	if (use == NULL)
		return kit_fail(error, EH_E_NO_MEMORY, "no memory for a list of sensors");
#define X(field, names, arguments)                                                           \
	if (!kit_find(library, names, &use->field, sizeof(use->field))) {                    \
		free(use);                                                                   \
		return kit_fail(error, EH_E_INCOMPATIBLE, "libamd_smi has no %s: install a newer one", \
		                names);                                                      \
	}
	REQUIRED(X)
#undef X
#define X(field, names, arguments) (void)kit_find(library, names, &use->field, sizeof(use->field));
	OPTIONAL(X)
#undef X
	status = translate(use->init(INIT_AMD_GPUS), "amdsmi_init", error);
	if (status == EH_OK)
		status = add_devices(k, use, error);
	if (status != EH_OK) {
		(void)use->shut_down();
		free(use);
		return status;
	}
	*out = use;
	return EH_OK;
}

void amdsmi_stop(amdsmi_use *use)
{
	if (use == NULL)
		return;
	(void)use->shut_down();
	free(use);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* AMD SMI, the successor of ROCm SMI.  Power is not read, as its struct changed its layout from
 * release to release: it follows from the energy counter. */
#include "rocm_state.h"
#include "amdsmi_abi.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SOCKETS 64
#define MOST_PROCESSORS 64

typedef union violations {
	amdsmi_violation_status_t head;
	unsigned char room[AMDSMI_VIOLATION_ROOM];
} violations;

struct amdsmi_use {
#define X(field, names, arguments) amdsmi_status_t (*field) arguments;
	AMDSMI_REQUIRED(X)
	AMDSMI_OPTIONAL(X)
#undef X
};

static eh_status translate(amdsmi_status_t code, const char *call, eh_error *error)
{
	eh_status status = EH_E_DEVICE;
	const char *advice = "see what amd-smi says";

	if (code == AMDSMI_STATUS_SUCCESS)
		return EH_OK;
	if (code == AMDSMI_STATUS_NOT_SUPPORTED || code == AMDSMI_STATUS_NOT_YET_IMPLEMENTED ||
	    code == AMDSMI_STATUS_NO_DATA) {
		status = EH_E_UNSUPPORTED;
		advice = "this GPU or its driver does not offer it";
	} else if (code == AMDSMI_STATUS_NO_PERM) {
		status = EH_E_UNAVAILABLE;
		advice = "the driver keeps it for others: join the groups video and render, or run as root";
	} else if (code == AMDSMI_STATUS_INIT_ERROR || code == AMDSMI_STATUS_FAIL_LOAD_MODULE) {
		status = EH_E_UNAVAILABLE;
		advice = "no AMD GPU with the kernel driver amdgpu is here";
	} else if (code == AMDSMI_STATUS_TIMEOUT) {
		status = EH_E_TIMEOUT;
	} else if (code == AMDSMI_STATUS_FILE_ERROR) {
		status = EH_E_DEVICE_LOST;
		advice = "its file in sysfs is gone or cannot be read: was the GPU removed?";
	}
	return eh_fail_native(error, status, call, (int64_t)code, "", "%s answered %d: %s", call, (int)code, advice);
}

#define CALL(field, name, ...)                                                               \
	const amdsmi_use *use = c->owner;                                                    \
	amdsmi_status_t code;                                                                \
	if (use->field == NULL)                                                              \
		return kit_fail(error, EH_E_UNSUPPORTED, "libamd_smi has no " name               \
		                ": a newer ROCm may have it");                               \
	code = use->field(c->object, __VA_ARGS__);                                           \
	if (code != AMDSMI_STATUS_SUCCESS)                                                   \
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
	CALL(temperature, "amdsmi_get_temp_metric", (amdsmi_temperature_type_t)c->argument,
	     AMDSMI_TEMP_CURRENT, &celsius);

	out->value = (double)celsius;
	return EH_OK;
}

static eh_status read_clock(const kit_channel *c, eh_reading *out, eh_error *error)
{
	rocm_frequencies f = { .room = { 0 } };
	uint64_t hz;
	CALL(clock, "amdsmi_get_clk_freq", (amdsmi_clk_type_t)c->argument,
	     (amdsmi_frequencies_t *)(void *)&f);

	hz = rocm_current_hz(&f);
	if (hz == 0)
		return kit_fail(error, EH_E_UNSUPPORTED, "amdsmi_get_clk_freq names no current clock, "
		                "or in a layout that this probe does not know");
	out->value = (double)hz * 1e-6;
	return EH_OK;
}

static eh_status read_activity(const kit_channel *c, eh_reading *out, eh_error *error)
{
	amdsmi_engine_usage_t usage = { 0 };
	uint32_t percent;
	CALL(activity, "amdsmi_get_gpu_activity", &usage);

	percent = c->info.part == EH_PART_CORE ? usage.gfx_activity : usage.umc_activity;
	if (percent > 100)
		return kit_fail(error, EH_E_UNSUPPORTED, "this GPU does not report utilisation");
	out->value = percent;
	return EH_OK;
}

static eh_status read_memory(const kit_channel *c, eh_reading *out, eh_error *error)
{
	uint64_t used = 0;
	CALL(memory, "amdsmi_get_gpu_memory_usage", AMDSMI_MEM_TYPE_VRAM, &used);

	out->value = (double)used;
	return EH_OK;
}

/* The library takes 100 ms for this, so the channels of one read share one call. */
static eh_status read_violation(const kit_channel *c, eh_reading *out, eh_error *error)
{
	static const uint64_t fresh_ns = 250000000;
	static _Thread_local struct { void *device; uint64_t time_ns; violations v; } last;
	uint64_t count;

	if (last.device != c->object || out->time_ns - last.time_ns > fresh_ns) {
		memset(&last.v.head, 0, sizeof(last.v.head));
		last.device = NULL;
		CALL(violation, "amdsmi_get_violation_status", &last.v.head);
		last.device = c->object;
		last.time_ns = out->time_ns;
	}
	memcpy(&count, last.v.room + c->argument, sizeof(count));
	if (count == UINT64_MAX || last.v.head.acc_counter == UINT64_MAX)
		return kit_fail(error, EH_E_UNSUPPORTED, "this GPU does not count this violation");
	out->count = count;
	out->native = last.v.head.acc_counter;
	return EH_OK;
}

#define CHANNEL(k, p, f, n, u) .info = { .kind = EH_CHANNEL_##k, .part = EH_PART_##p, \
	.form = EH_FORM_##f, .name = n, .unit = u }
#define VIOLATION(n, member, why) { .info = { .kind = EH_CHANNEL_THROTTLE, .part = EH_PART_ALL, \
	.form = EH_FORM_COUNTER, .flags = EH_CHANNEL_RARE, .name = "throttle-" n, .unit = "ticks", \
	.cause = EH_CAUSE_##why }, \
	.read = read_violation, .argument = offsetof(amdsmi_violation_status_t, member) }
static const kit_channel channels[] = {
	{ CHANNEL(ENERGY, ALL, COUNTER, "energy", "uJ"), .read = read_energy },
	{ CHANNEL(CLOCK, CORE, INSTANT, "clock", "MHz"), .read = read_clock,
	  .argument = AMDSMI_CLK_TYPE_SYS },
	{ CHANNEL(CLOCK, MEMORY, INSTANT, "clock-memory", "MHz"), .read = read_clock,
	  .argument = AMDSMI_CLK_TYPE_MEM },
	{ CHANNEL(TEMPERATURE, CORE, INSTANT, "temperature-hotspot", "C"), .read = read_temperature,
	  .argument = AMDSMI_TEMPERATURE_TYPE_HOTSPOT },
	{ CHANNEL(TEMPERATURE, OTHER, INSTANT, "temperature-edge", "C"), .read = read_temperature,
	  .argument = AMDSMI_TEMPERATURE_TYPE_EDGE },
	{ CHANNEL(TEMPERATURE, MEMORY, INSTANT, "temperature-memory", "C"), .read = read_temperature,
	  .argument = AMDSMI_TEMPERATURE_TYPE_VRAM },
	{ CHANNEL(UTILISATION, CORE, AVERAGE, "utilisation", "%"), .read = read_activity },
	{ CHANNEL(UTILISATION, MEMORY, AVERAGE, "utilisation-memory", "%"), .read = read_activity },
	{ CHANNEL(MEMORY, ALL, INSTANT, "memory-used", "bytes"), .read = read_memory },
	VIOLATION("prochot", acc_prochot_thrm, OTHER),
	VIOLATION("package-power", acc_ppt_pwr, POWER),
	VIOLATION("socket-thermal", acc_socket_thrm, OTHER),
	VIOLATION("voltage-regulator", acc_vr_thrm, OTHER),
	VIOLATION("hbm-thermal", acc_hbm_thrm, OTHER),
};

static eh_status add_device(kit *k, amdsmi_use *use, amdsmi_processor_handle device,
                            uint32_t number, eh_error *error)
{
	_Alignas(max_align_t) char asic[AMDSMI_ASIC_ROOM] = "";
	char id[32], name[96];
	unsigned size = sizeof(((eh_place_info *)0)->uuid);
	amdsmi_bdf_t bdf = { .as_uint = 0 };
	kit_place *place;

	if (use->bdf(device, &bdf) != AMDSMI_STATUS_SUCCESS)
		return EH_OK; /* no GPU */
	(void)snprintf(id, sizeof(id), "gpu-%u", number);
	if (use->asic == NULL ||
	    use->asic(device, (amdsmi_asic_info_t *)(void *)asic) != AMDSMI_STATUS_SUCCESS ||
	    asic[0] == '\0')
		(void)snprintf(asic, sizeof(asic), "AMD GPU %u", number);
	asic[sizeof(asic) - 1] = '\0';
	(void)snprintf(name, sizeof(name), "%.90s", asic);
	place = kit_add_place(k, EH_PLACE_DEVICE, id, name);
	if (place == NULL)
		return kit_fail(error, EH_E_NO_MEMORY, "no memory for a list of sensors");
	rocm_spell_pci((unsigned)(bdf.as_uint >> 16), (unsigned)(bdf.as_uint & 0xffff),
	               place->info.pci);
	if (use->uuid == NULL || use->uuid(device, &size, place->info.uuid) != AMDSMI_STATUS_SUCCESS)
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
	amdsmi_socket_handle sockets[MOST_SOCKETS];
	uint32_t socket_count = 0, number = 0;
	eh_status status = translate(use->sockets(&socket_count, NULL), "amdsmi_get_socket_handles", error);

	if (socket_count > MOST_SOCKETS)
		socket_count = MOST_SOCKETS;
	if (status == EH_OK)
		status = translate(use->sockets(&socket_count, sockets), "amdsmi_get_socket_handles", error);
	for (uint32_t s = 0; status == EH_OK && s < socket_count; s++) {
		amdsmi_processor_handle processors[MOST_PROCESSORS];
		uint32_t count = 0;

		if (use->processors(sockets[s], &count, NULL) != AMDSMI_STATUS_SUCCESS)
			continue;
		if (count > MOST_PROCESSORS)
			count = MOST_PROCESSORS;
		if (use->processors(sockets[s], &count, processors) != AMDSMI_STATUS_SUCCESS)
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
	void *library = kit_open("AMD SMI", "libamd_smi.so.27 libamd_smi.so.26 libamd_smi.so.25 "
	                         "libamd_smi.so.24 libamd_smi.so.0 libamd_smi.so",
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
	AMDSMI_REQUIRED(X)
#undef X
#define X(field, names, arguments) (void)kit_find(library, names, &use->field, sizeof(use->field));
	AMDSMI_OPTIONAL(X)
#undef X
	status = translate(use->init(AMDSMI_INIT_AMD_GPUS), "amdsmi_init", error);
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

/* SPDX-License-Identifier: Apache-2.0 */
/* ROCm SMI. */
#include "rocm_state.h"
#include "rsmi_abi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rsmi_use {
#define X(field, names, arguments) rsmi_status_t (*field) arguments;
	RSMI_REQUIRED(X)
	RSMI_OPTIONAL(X)
#undef X
};

static eh_status translate(rsmi_status_t code, const char *call, eh_error *error)
{
	eh_status status = EH_E_DEVICE;
	const char *advice = "see what rocm-smi says";

	if (code == RSMI_STATUS_SUCCESS)
		return EH_OK;
	if (code == RSMI_STATUS_NOT_SUPPORTED || code == RSMI_STATUS_NOT_YET_IMPLEMENTED ||
	    code == RSMI_STATUS_NO_DATA) {
		status = EH_E_UNSUPPORTED;
		advice = "this GPU or its driver does not offer it";
	} else if (code == RSMI_STATUS_PERMISSION) {
		status = EH_E_UNAVAILABLE;
		advice = "the driver keeps it for others: join the groups video and render, or run as root";
	} else if (code == RSMI_STATUS_INIT_ERROR || code == RSMI_STATUS_NOT_FOUND) {
		status = EH_E_UNAVAILABLE;
		advice = "no AMD GPU with the kernel driver amdgpu is here";
	} else if (code == RSMI_STATUS_FILE_ERROR) {
		status = EH_E_DEVICE_LOST;
		advice = "its file in sysfs is gone or cannot be read: was the GPU removed?";
	}
	return eh_fail_native(error, status, call, (int64_t)code, "", "%s answered %d: %s", call, (int)code, advice);
}

#define DEVICE(c) ((uint32_t)(uintptr_t)(c)->object)
#define CALL(field, name, ...)                                                               \
	const rsmi_use *use = c->owner;                                                      \
	rsmi_status_t code;                                                                  \
	if (use->field == NULL)                                                              \
		return kit_fail(error, EH_E_UNSUPPORTED, "librocm_smi64 has no " name            \
		                ": a newer ROCm may have it");                               \
	code = use->field(DEVICE(c), __VA_ARGS__);                                           \
	if (code != RSMI_STATUS_SUCCESS)                                                     \
		return translate(code, name, error)

/* The accumulator counts in units of `resolution` uJ. */
static eh_status read_energy(const kit_channel *c, eh_reading *out, eh_error *error)
{
	uint64_t units = 0, time = 0;
	float resolution = 0;
	CALL(energy, "rsmi_dev_energy_count_get", &units, &resolution, &time);

	out->count = (uint64_t)((double)units * (double)resolution);
	out->native = time;
	return EH_OK;
}

static eh_status read_power(const kit_channel *c, eh_reading *out, eh_error *error)
{
	uint64_t microwatts = 0;
	CALL(power, "rsmi_dev_power_ave_get", 0, &microwatts);

	out->value = (double)microwatts * 1e-6;
	return EH_OK;
}

static eh_status read_socket_power(const kit_channel *c, eh_reading *out, eh_error *error)
{
	uint64_t microwatts = 0;
	CALL(socket_power, "rsmi_dev_current_socket_power_get", &microwatts);

	out->value = (double)microwatts * 1e-6;
	return EH_OK;
}

static eh_status read_cap(const kit_channel *c, eh_reading *out, eh_error *error)
{
	uint64_t microwatts = 0;
	CALL(cap, "rsmi_dev_power_cap_get", 0, &microwatts);

	out->value = (double)microwatts * 1e-6;
	return EH_OK;
}

static eh_status read_temperature(const kit_channel *c, eh_reading *out, eh_error *error)
{
	int64_t millicelsius = 0;
	CALL(temperature, "rsmi_dev_temp_metric_get", (uint32_t)c->argument,
	     RSMI_TEMP_CURRENT, &millicelsius);

	out->value = (double)millicelsius * 1e-3;
	return EH_OK;
}

static eh_status read_clock(const kit_channel *c, eh_reading *out, eh_error *error)
{
	rocm_frequencies f = { .room = { 0 } };
	uint64_t hz;
	CALL(clock, "rsmi_dev_gpu_clk_freq_get", (rsmi_clk_type_t)c->argument,
	     (rsmi_frequencies_t *)(void *)&f);

	hz = rocm_current_hz(&f);
	if (hz == 0)
		return kit_fail(error, EH_E_UNSUPPORTED, "rsmi_dev_gpu_clk_freq_get names no current "
		                "clock, or in a layout that this probe does not know");
	out->value = (double)hz * 1e-6;
	return EH_OK;
}

static eh_status read_busy(const kit_channel *c, eh_reading *out, eh_error *error)
{
	uint32_t percent = 0;
	CALL(busy, "rsmi_dev_busy_percent_get", &percent);

	out->value = percent;
	return EH_OK;
}

static eh_status read_memory_busy(const kit_channel *c, eh_reading *out, eh_error *error)
{
	uint32_t percent = 0;
	CALL(memory_busy, "rsmi_dev_memory_busy_percent_get", &percent);

	out->value = percent;
	return EH_OK;
}

static eh_status read_memory(const kit_channel *c, eh_reading *out, eh_error *error)
{
	uint64_t used = 0;
	CALL(memory, "rsmi_dev_memory_usage_get", RSMI_MEM_TYPE_VRAM, &used);

	out->value = (double)used;
	return EH_OK;
}

#define CHANNEL(k, p, f, n, u) .info = { .kind = EH_CHANNEL_##k, .part = EH_PART_##p, \
	.form = EH_FORM_##f, .name = n, .unit = u }
static const kit_channel channels[] = {
	{ CHANNEL(ENERGY, ALL, COUNTER, "energy", "uJ"), .read = read_energy },
	{ CHANNEL(POWER, ALL, INSTANT, "power-instant", "W"), .read = read_socket_power },
	{ CHANNEL(POWER, ALL, AVERAGE, "power", "W"), .read = read_power },
	{ CHANNEL(CLOCK, CORE, INSTANT, "clock", "MHz"), .read = read_clock,
	  .argument = RSMI_CLK_TYPE_SYS },
	{ CHANNEL(CLOCK, MEMORY, INSTANT, "clock-memory", "MHz"), .read = read_clock,
	  .argument = RSMI_CLK_TYPE_MEM },
	{ CHANNEL(TEMPERATURE, CORE, INSTANT, "temperature-hotspot", "C"), .read = read_temperature,
	  .argument = RSMI_TEMP_TYPE_JUNCTION },
	{ CHANNEL(TEMPERATURE, OTHER, INSTANT, "temperature-edge", "C"), .read = read_temperature,
	  .argument = RSMI_TEMP_TYPE_EDGE },
	{ CHANNEL(TEMPERATURE, MEMORY, INSTANT, "temperature-memory", "C"), .read = read_temperature,
	  .argument = RSMI_TEMP_TYPE_MEMORY },
	{ CHANNEL(UTILISATION, CORE, AVERAGE, "utilisation", "%"), .read = read_busy },
	{ CHANNEL(UTILISATION, MEMORY, AVERAGE, "utilisation-memory", "%"), .read = read_memory_busy },
	{ CHANNEL(MEMORY, ALL, INSTANT, "memory-used", "bytes"), .read = read_memory },
	{ .info = { .kind = EH_CHANNEL_LIMIT, .part = EH_PART_ALL, .form = EH_FORM_INSTANT,
	            .flags = EH_CHANNEL_RARE, .name = "power-limit", .unit = "W" }, .read = read_cap },
};

static eh_status add_device(kit *k, rsmi_use *use, uint32_t index, eh_error *error)
{
	char id[32], name[96] = "";
	uint64_t where = 0;
	kit_place *place;

	(void)snprintf(id, sizeof(id), "gpu-%u", index);
	if (use->name == NULL || use->name(index, name, sizeof(name)) != RSMI_STATUS_SUCCESS)
		(void)snprintf(name, sizeof(name), "AMD GPU %u", index);
	name[sizeof(name) - 1] = '\0';
	place = kit_add_place(k, EH_PLACE_DEVICE, id, name);
	if (place == NULL)
		return kit_fail(error, EH_E_NO_MEMORY, "no memory for a list of sensors");
	if (use->pci(index, &where) == RSMI_STATUS_SUCCESS)
		rocm_spell_pci((unsigned)(where >> 32), (unsigned)(where & 0xffff), place->info.pci);
	for (size_t i = 0; i < sizeof(channels) / sizeof(channels[0]); i++) {
		kit_channel made = channels[i];
		kit_channel *c;

		made.owner = use;
		made.object = (void *)(uintptr_t)index;
		c = kit_add_channel(k, place, &made);
		if (c != NULL)
			kit_try(k, c);
	}
	return EH_OK;
}

eh_status rsmi_start(kit *k, rsmi_use **out, eh_error *error)
{
	rsmi_use *use;
	uint32_t count = 0;
	eh_status status;
	void *library = kit_open("ROCm SMI", "librocm_smi64.so.7 librocm_smi64.so.6 librocm_smi64.so.5 "
	                         "librocm_smi64.so.1 librocm_smi64.so",
	                         k->host->option(k->host->ctx, "rsmi-library"),
	                         "install it (Debian: librocm-smi64-1)", error);

	if (library == NULL)
		return EH_E_UNAVAILABLE;
	use = calloc(1, sizeof(*use));
	if (use == NULL)
		return kit_fail(error, EH_E_NO_MEMORY, "no memory for a list of sensors");
#define X(field, names, arguments)                                                           \
	if (!kit_find(library, names, &use->field, sizeof(use->field))) {                    \
		free(use);                                                                   \
		return kit_fail(error, EH_E_INCOMPATIBLE, "librocm_smi64 has no %s: install a newer " \
		                "one", names);                                               \
	}
	RSMI_REQUIRED(X)
#undef X
#define X(field, names, arguments) (void)kit_find(library, names, &use->field, sizeof(use->field));
	RSMI_OPTIONAL(X)
#undef X
	status = translate(use->init(0), "rsmi_init", error);
	if (status == EH_OK)
		status = translate(use->count(&count), "rsmi_num_monitor_devices", error);
	for (uint32_t i = 0; status == EH_OK && i < count; i++)
		status = add_device(k, use, i, error);
	if (status != EH_OK) {
		free(use);
		return status;
	}
	*out = use;
	return EH_OK;
}

void rsmi_stop(rsmi_use *use)
{
	if (use == NULL)
		return;
	(void)use->shut_down();
	free(use);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The probe of Intel GPUs through Level Zero Sysman. */
#include "../shared/kit.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "zes_abi.h"

#define MOST_HANDLES 32 /* of one kind on one device */

typedef struct sysman_api {
#define X(field, names, arguments) ze_result_t(ZE_APICALL *field) arguments;
	ZES_REQUIRED(X)
	ZES_OPTIONAL(X)
#undef X
} sysman_api;

typedef struct sysman_probe {
	kit base; /* first: the kit's slots take it for self */
	sysman_api api;
} sysman_probe;

static const eh_bit reasons[] = {
	{ ZES_FREQ_THROTTLE_REASON_FLAG_AVE_PWR_CAP, "average-power-cap",
	  "the sustained power limit was reached: raise it, or state it beside the result", 0, EH_CAUSE_POWER },
	{ ZES_FREQ_THROTTLE_REASON_FLAG_BURST_PWR_CAP, "burst-power-cap",
	  "the burst power limit was reached", 0, EH_CAUSE_POWER },
	{ ZES_FREQ_THROTTLE_REASON_FLAG_CURRENT_LIMIT, "current-limit",
	  "the electrical limit of the board was reached", 0, 0 },
	{ ZES_FREQ_THROTTLE_REASON_FLAG_THERMAL_LIMIT, "thermal",
	  "the clocks were lowered because of heat: improve the cooling", 0, 0 },
	{ ZES_FREQ_THROTTLE_REASON_FLAG_PSU_ALERT, "power-supply",
	  "the power supply asked for less: look at it and its cables", 0, 0 },
	{ ZES_FREQ_THROTTLE_REASON_FLAG_SW_RANGE, "sw-range",
	  "the clocks are held by a setting: reset the frequency range", 0, EH_CAUSE_SETTING },
	{ ZES_FREQ_THROTTLE_REASON_FLAG_HW_RANGE, "hw-range",
	  "a part of the chip allows no higher clocks", 0, 0 },
};

static eh_status translate(ze_result_t code, const char *call, eh_error *error)
{
	eh_status status = EH_E_DEVICE;
	const char *advice = "see what the driver's own tools say";

	if (code == ZE_RESULT_SUCCESS)
		return EH_OK;
	if (code == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE || code == ZE_RESULT_ERROR_UNSUPPORTED_VERSION) {
		status = EH_E_UNSUPPORTED;
		advice = "this GPU or its driver does not offer it";
	} else if (code == ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS) {
		status = EH_E_UNAVAILABLE;
		advice = "the driver keeps it for others: join the group render, or run as root";
	} else if (code == ZE_RESULT_ERROR_DEVICE_LOST) {
		status = EH_E_DEVICE_LOST;
		advice = "the GPU was lost";
	} else if (code == ZE_RESULT_ERROR_UNINITIALIZED ||
	           code == ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE) {
		status = EH_E_UNAVAILABLE;
		advice = "there is no driver with Sysman: install Intel's "
		         "(Debian: intel-level-zero-gpu), and set ZES_ENABLE_SYSMAN=1";
	}
	return eh_fail_native(error, status, call, (int64_t)code, "", "%s answered 0x%x: %s", call, (unsigned)code, advice);
}

#define CALL(field, name, ...)                                                               \
	const sysman_api *api = &((const sysman_probe *)c->owner)->api;                      \
	ze_result_t code;                                                                    \
	if (api->field == NULL)                                                              \
		return kit_fail(error, EH_E_UNSUPPORTED, "libze_loader has no " name             \
		                ": a newer one may have it");                                \
	code = api->field(c->object, __VA_ARGS__);                                           \
	if (code != ZE_RESULT_SUCCESS)                                                       \
		return translate(code, name, error)

/* The driver's timestamps are in microseconds of its own clock. */
static eh_status read_energy(const kit_channel *c, eh_reading *out, eh_error *error)
{
	zes_power_energy_counter_t counter = { 0 };
	CALL(energy, "zesPowerGetEnergyCounter", &counter);

	out->count = counter.energy;
	out->native = counter.timestamp * 1000;
	return EH_OK;
}

static eh_status read_clock(const kit_channel *c, eh_reading *out, eh_error *error)
{
	zes_freq_state_t state = { .stype = ZES_STRUCTURE_TYPE_FREQ_STATE };
	CALL(clock_state, "zesFrequencyGetState", &state);

	if (state.actual < 0)
		return kit_fail(error, EH_E_UNSUPPORTED, "the driver does not know this clock");
	out->value = state.actual;
	return EH_OK;
}

static eh_status read_reasons(const kit_channel *c, eh_reading *out, eh_error *error)
{
	zes_freq_state_t state = { .stype = ZES_STRUCTURE_TYPE_FREQ_STATE };
	CALL(clock_state, "zesFrequencyGetState", &state);

	out->count = state.throttleReasons;
	return EH_OK;
}

static eh_status read_throttle_time(const kit_channel *c, eh_reading *out, eh_error *error)
{
	zes_freq_throttle_time_t time = { 0 };
	CALL(throttle_time, "zesFrequencyGetThrottleTime", &time);

	out->count = time.throttleTime * 1000;
	out->native = time.timestamp * 1000;
	return EH_OK;
}

static eh_status read_temperature(const kit_channel *c, eh_reading *out, eh_error *error)
{
	double celsius = 0;
	CALL(sensor_state, "zesTemperatureGetState", &celsius);

	out->value = celsius;
	return EH_OK;
}

static eh_status read_activity(const kit_channel *c, eh_reading *out, eh_error *error)
{
	zes_engine_stats_t stats = { 0 };
	CALL(activity, "zesEngineGetActivity", &stats);

	out->count = stats.activeTime * 1000;
	out->native = stats.timestamp * 1000;
	return EH_OK;
}

static eh_status read_memory(const kit_channel *c, eh_reading *out, eh_error *error)
{
	zes_mem_state_t state = { .stype = ZES_STRUCTURE_TYPE_MEM_STATE };
	CALL(memory_state, "zesMemoryGetState", &state);

	if (state.free > state.size)
		return kit_fail(error, EH_E_DEVICE,
		                "zesMemoryGetState reports more free memory than the total");
	out->value = (double)(state.size - state.free);
	return EH_OK;
}

static eh_status read_users(const kit_channel *c, eh_reading *out, eh_error *error)
{
	uint32_t count = 0;
	CALL(users, "zesDeviceProcessesGetState", &count, NULL);

	out->value = count;
	return EH_OK;
}

/* ---- listing GPUs and channels ------------------------------------------------------- */

typedef struct adding { sysman_probe *p; kit_place *place; eh_error *error; } adding;

/* Adds a channel called `name`; the second of its kind is "name-2". */
static void add(adding *a, kit_channel what, const char *name, void *object)
{
	uint32_t earlier = 0;
	kit_channel *c;

	for (uint32_t i = 0; i < a->place->info.channel_count; i++) {
		const char *other = a->place->channels[i].info.name;

		earlier += strncmp(other, name, strlen(name)) == 0 &&
		           (other[strlen(name)] == '\0' ||
		            (other[strlen(name)] == '-' && other[strlen(name) + 1] >= '0' &&
		             other[strlen(name) + 1] <= '9'));
	}
	if (earlier == 0)
		(void)snprintf(what.info.name, sizeof(what.info.name), "%s", name);
	else
		(void)snprintf(what.info.name, sizeof(what.info.name), "%s-%u", name, earlier + 1);
	what.owner = a->p;
	what.object = object;
	c = kit_add_channel(&a->p->base, a->place, &what);
	if (c != NULL)
		kit_try(&a->p->base, c);
}

#define CHANNEL(k, p, f, u) { .kind = EH_CHANNEL_##k, .part = EH_PART_##p, .form = EH_FORM_##f, \
	.unit = u }

/* The number of handles of one kind, at most MOST_HANDLES; adds a note when there are none. */
static uint32_t listed(adding *a, const char *what, ze_result_t code, uint32_t count)
{
	eh_error error = { .struct_size = sizeof(error), .message = "the driver lists none" };

	if (code == ZE_RESULT_SUCCESS && count > 0)
		return count < MOST_HANDLES ? count : MOST_HANDLES;
	(void)translate(code, "listing it", &error);
	kit_note(&a->p->base, "%s (%s): no %s: %s", a->place->info.id, a->place->info.name, what,
	         error.message);
	return 0;
}

/* Lists the handles of one kind: count of them in list, an array of MOST_HANDLES. */
#define HANDLES(function, what)                                                              \
	uint32_t count = 0;                                                                  \
	ze_result_t code = (function) != NULL ? (function)(device, &count, NULL)             \
	                                      : ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;         \
	if (count > MOST_HANDLES)                                                            \
		count = MOST_HANDLES;                                                        \
	if (code == ZE_RESULT_SUCCESS && count > 0)                                          \
		code = (function)(device, &count, list);                                     \
	count = listed(a, what, code, count)

static void add_energy(adding *a, zes_device_handle_t device)
{
	zes_pwr_handle_t list[MOST_HANDLES];
	HANDLES(a->p->api.powers, "energy");

	for (uint32_t i = 0; i < count; i++) {
		zes_power_properties_t about = { .stype = ZES_STRUCTURE_TYPE_POWER_PROPERTIES };
		kit_channel c = { .info = CHANNEL(ENERGY, ALL, COUNTER, "uJ"), .read = read_energy };

		if (a->p->api.power_properties != NULL &&
		    a->p->api.power_properties(list[i], &about) == ZE_RESULT_SUCCESS && about.onSubdevice)
			c.info.part = EH_PART_OTHER;
		add(a, c, c.info.part == EH_PART_ALL ? "energy" : "energy-tile", list[i]);
	}
}

static void add_clocks(adding *a, zes_device_handle_t device)
{
	zes_freq_handle_t list[MOST_HANDLES];
	HANDLES(a->p->api.clocks, "clocks");

	for (uint32_t i = 0; i < count; i++) {
		zes_freq_properties_t about = { .stype = ZES_STRUCTURE_TYPE_FREQ_PROPERTIES };
		bool memory = a->p->api.clock_properties != NULL &&
		              a->p->api.clock_properties(list[i], &about) == ZE_RESULT_SUCCESS &&
		              about.type == ZES_FREQ_DOMAIN_MEMORY;
		kit_channel clock = { .info = CHANNEL(CLOCK, CORE, INSTANT, "MHz"), .read = read_clock };
		kit_channel bits = { .info = CHANNEL(THROTTLE, CORE, BITS, ""), .read = read_reasons };
		kit_channel time = { .info = CHANNEL(THROTTLE, CORE, COUNTER, "ns"),
		                     .read = read_throttle_time };

		if (memory)
			clock.info.part = bits.info.part = time.info.part = EH_PART_MEMORY;
		bits.info.bits = reasons;
		bits.info.bit_count = sizeof(reasons) / sizeof(reasons[0]);
		add(a, clock, memory ? "clock-memory" : "clock", list[i]);
		add(a, bits, memory ? "throttle-memory" : "throttle", list[i]);
		add(a, time, memory ? "throttle-time-memory" : "throttle-time", list[i]);
	}
}

static void add_temperatures(adding *a, zes_device_handle_t device)
{
	zes_temp_handle_t list[MOST_HANDLES];
	HANDLES(a->p->api.sensors, "temperature");

	for (uint32_t i = 0; i < count; i++) {
		zes_temp_properties_t about = { .stype = ZES_STRUCTURE_TYPE_TEMP_PROPERTIES };
		kit_channel c = { .info = CHANNEL(TEMPERATURE, ALL, INSTANT, "C"),
		                  .read = read_temperature };
		const char *name = "temperature";

		if (a->p->api.sensor_properties != NULL &&
		    a->p->api.sensor_properties(list[i], &about) == ZE_RESULT_SUCCESS) {
			if (about.type == ZES_TEMP_SENSORS_GPU) {
				c.info.part = EH_PART_CORE;
				name = "temperature-core";
			} else if (about.type == ZES_TEMP_SENSORS_MEMORY) {
				c.info.part = EH_PART_MEMORY;
				name = "temperature-memory";
			} else if (about.type != ZES_TEMP_SENSORS_GLOBAL) {
				continue;
			}
		}
		add(a, c, name, list[i]);
	}
}

static void add_activity(adding *a, zes_device_handle_t device)
{
	zes_engine_handle_t list[MOST_HANDLES];
	HANDLES(a->p->api.engines, "utilisation");

	for (uint32_t i = 0; i < count; i++) {
		zes_engine_properties_t about = { .stype = ZES_STRUCTURE_TYPE_ENGINE_PROPERTIES };

		if (a->p->api.engine_properties == NULL ||
		    a->p->api.engine_properties(list[i], &about) != ZE_RESULT_SUCCESS)
			continue;
		if (about.type == ZES_ENGINE_GROUP_ALL || about.type == ZES_ENGINE_GROUP_COMPUTE_ALL)
			add(a, (kit_channel){ .info = CHANNEL(UTILISATION, CORE, COUNTER, "ns"),
			                      .read = read_activity },
			    about.type == ZES_ENGINE_GROUP_ALL ? "utilisation" : "utilisation-compute", list[i]);
	}
}

static void add_memory(adding *a, zes_device_handle_t device)
{
	zes_mem_handle_t list[MOST_HANDLES];
	HANDLES(a->p->api.memories, "memory");

	for (uint32_t i = 0; i < count; i++)
		add(a, (kit_channel){ .info = CHANNEL(MEMORY, ALL, INSTANT, "bytes"), .read = read_memory },
		    "memory-used", list[i]);
}

/* As Level Zero's ze backend spells it: bytes from the last to the first, 8-4-4-4-12. */
static void spell_uuid(const uint8_t id[16], char out[40])
{
	size_t at = 0;

	for (int i = 15; i >= 0; i--) {
		at += (size_t)snprintf(out + at, 40 - at, "%02x", id[i]);
		if (i == 12 || i == 10 || i == 8 || i == 6)
			out[at++] = '-';
	}
	out[at] = '\0';
}

static eh_status add_device(sysman_probe *p, zes_device_handle_t device, uint32_t number,
                            eh_error *error)
{
	zes_device_properties_t about = { .stype = ZES_STRUCTURE_TYPE_DEVICE_PROPERTIES };
	zes_pci_properties_t pci = { .stype = ZES_STRUCTURE_TYPE_PCI_PROPERTIES };
	char id[32], name[96];
	adding a = { .p = p, .error = error };
	ze_result_t code = p->api.properties(device, &about);

	(void)snprintf(id, sizeof(id), "gpu-%u", number);
	if (code != ZE_RESULT_SUCCESS) {
		eh_error own = { .struct_size = sizeof(own) };

		(void)translate(code, "zesDeviceGetProperties", &own);
		kit_note(&p->base, "GPU %u cannot be read: %s", number, own.message);
		return EH_OK;
	}
	(void)snprintf(name, sizeof(name), "%.90s",
	               about.core.name[0] != '\0' ? about.core.name : about.modelName);
	a.place = kit_add_place(&p->base, EH_PLACE_DEVICE, id, name);
	if (a.place == NULL)
		return kit_fail(error, EH_E_NO_MEMORY, "no memory for a list of sensors");
	if (p->api.pci(device, &pci) == ZE_RESULT_SUCCESS)
		(void)snprintf(a.place->info.pci, sizeof(a.place->info.pci), "%04x:%02x:%02x.%x",
		               pci.address.domain & 0xffff, pci.address.bus & 0xff,
		               pci.address.device & 0x1f, pci.address.function & 7);
	spell_uuid(about.core.uuid.id, a.place->info.uuid);
	add_energy(&a, device);
	add_clocks(&a, device);
	add_temperatures(&a, device);
	add_activity(&a, device);
	add_memory(&a, device);
	add(&a, (kit_channel){ .info = { .kind = EH_CHANNEL_USERS, .part = EH_PART_ALL,
	                                 .form = EH_FORM_INSTANT, .flags = EH_CHANNEL_RARE,
	                                 .unit = "processes" }, .read = read_users },
	    "processes", device);
	return EH_OK;
}

/*
 * Lists the drivers.  zesInit is independent of the program's own use of Level Zero.  Older loaders
 * have only zeInit, which shares the program's devices: there a driver offers Sysman only when
 * ZES_ENABLE_SYSMAN was set before the process first used it.
 */
static ze_result_t list_drivers(sysman_probe *p, uint32_t *count, zes_driver_handle_t *drivers,
                                const char **call)
{
	ze_result_t code = ZE_RESULT_ERROR_UNINITIALIZED;

	*call = "zesInit";
	if (p->api.init != NULL && p->api.driver_get != NULL) {
		code = p->api.init(0);
		if (code == ZE_RESULT_SUCCESS)
			code = p->api.driver_get(count, drivers);
		if (code == ZE_RESULT_SUCCESS && *count > 0)
			return code;
	}
	if (p->api.old_init == NULL || p->api.old_driver_get == NULL || p->api.old_device_get == NULL)
		return code;
	*call = "zeInit";
	*count = MOST_HANDLES;
	code = p->api.old_init(0);
	if (code == ZE_RESULT_SUCCESS)
		code = p->api.old_driver_get(count, drivers);
	p->api.device_get = p->api.old_device_get;
	return code;
}

static eh_status find_devices(sysman_probe *p, eh_error *error)
{
	zes_driver_handle_t drivers[MOST_HANDLES] = { NULL };
	uint32_t driver_count = MOST_HANDLES, number = 0;
	const char *call;
	ze_result_t code = list_drivers(p, &driver_count, drivers, &call);
	eh_status status = translate(code, call, error);

	for (uint32_t d = 0; status == EH_OK && d < driver_count; d++) {
		zes_device_handle_t devices[MOST_HANDLES] = { NULL };
		uint32_t count = MOST_HANDLES;

		if (p->api.device_get(drivers[d], &count, devices) != ZE_RESULT_SUCCESS) {
			kit_note(&p->base, "driver %u lists no devices", d);
			continue;
		}
		for (uint32_t i = 0; status == EH_OK && i < count; i++)
			status = add_device(p, devices[i], number++, error);
	}
	return status;
}

static eh_status sysman_start(const eh_host *host, void **self, eh_error *error)
{
	sysman_probe *p;
	eh_status status;
	void *library = kit_open("Level Zero's loader", "libze_loader.so.1",
	                         host->option(host->ctx, "library"), "install it (Debian: libze1) and "
	                         "Intel's driver", error);

	if (library == NULL)
		return EH_E_UNAVAILABLE;
	p = calloc(1, sizeof(*p));
	if (p == NULL)
		return kit_fail(error, EH_E_NO_MEMORY, "no memory for a list of sensors");
	p->base.host = host;
#define X(field, names, arguments)                                                           \
	if (!kit_find(library, names, &p->api.field, sizeof(p->api.field))) {                 \
		free(p);                                                                     \
		return kit_fail(error, EH_E_INCOMPATIBLE, "libze_loader has no %s: install a newer " \
		                "one", names);                                               \
	}
	ZES_REQUIRED(X)
#undef X
#define X(field, names, arguments) (void)kit_find(library, names, &p->api.field, sizeof(p->api.field));
	ZES_OPTIONAL(X)
#undef X
	if (setenv("ZES_ENABLE_SYSMAN", "1", 0) != 0) {
		free(p);
		return kit_fail(error, EH_E_NO_MEMORY, "no memory for a list of sensors");
	}
	status = find_devices(p, error);
	if (status != EH_OK) {
		/* A library that is not used must not appear among the mapped objects. */
		(void)dlclose(library);
		kit_clear(&p->base);
		free(p);
		return status;
	}
	*self = p;
	return EH_OK;
}

static void sysman_stop(void *self)
{
	sysman_probe *p = self;

	kit_clear(&p->base);
	free(p);
}

static const eh_probe_ops ops = KIT_OPS(sysman_start, sysman_stop);

static const eh_probe probe = {
	.magic = EH_PROBE_MAGIC,
	.struct_size = sizeof(eh_probe),
	.abi_major = EH_ABI_MAJOR,
	.abi_minor = EH_ABI_MINOR,
	.pointer_bytes = sizeof(void *),
	.name = "sysman",
	.title = "Level Zero Sysman",
	.version = "1.0",
	.license = "Apache-2.0",
	.ops = &ops,
};

EH_EXPORT const eh_probe *eh_probe_entry_v1(void)
{
	return &probe;
}

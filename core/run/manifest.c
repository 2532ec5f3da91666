/* SPDX-License-Identifier: Apache-2.0 */
#include "run/manifest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/json.h"
#include "base/text.h"
#include "executor/executor.h"
#include "plugin/plugin.h"

#define FORMAT 1

static manifest *manifest_blank(protocol *p, plan *made, size_t executors)
{
	manifest *m = memory_get(sizeof(*m));

	m->protocol = p;
	m->plan = made;
	m->executor_count = executors;
	m->names = memory_get((executors + 1) * sizeof(*m->names));
	m->plugins = memory_get((executors + 1) * sizeof(*m->plugins));
	m->indices = memory_get((executors + 1) * sizeof(*m->indices));
	m->devices = memory_get((executors + 1) * sizeof(*m->devices));
	for (size_t i = 0; i < executors; i++)
		layout_init(record_device_layout(), &m->devices[i]);
	return m;
}

static void set_slots(manifest *m, uint64_t executions, uint64_t most)
{
	m->executions = executions;
	m->most = most > executions ? most : executions;
	m->slots = schedule_slots(m->protocol->seed, m->protocol->interleave, executions,
	                          m->executor_count);
	m->slot_count = (size_t)executions * m->executor_count;
}

eh_status manifest_new(protocol *p, plan *made, uint64_t executions, const selected *chosen,
                       size_t chosen_count, const char *const *options, manifest **out,
                       eh_error *error)
{
	manifest *m = manifest_blank(p, made, chosen_count);
	uint64_t most = 0;
	size_t count = 0;

	for (size_t i = 0; i < chosen_count; i++) {
		m->names[i] = memory_text(chosen[i].device->executor);
		m->plugins[i] = memory_text(chosen[i].backend->path);
		m->indices[i] = (uint32_t)chosen[i].device->index;
		layout_copy(record_device_layout(), &chosen[i].device->device, &m->devices[i]);
	}
	while (options != NULL && options[count] != NULL)
		count++;
	m->options = memory_get((count + 1) * sizeof(*m->options));
	for (size_t i = 0; i < count; i++)
		m->options[i] = memory_text(options[i]);
	if (executions == 0) {
		executions = p->executions;
		most = p->executions_max;
	}
	if (executions > 1000000 / (chosen_count > 0 ? chosen_count : 1)) {
		manifest_free(m);
		return error_set(error, EH_E_USAGE, "%llu executions are too many",
		                 (unsigned long long)executions);
	}
	set_slots(m, executions, most);
	*out = m;
	return EH_OK;
}

void manifest_free(manifest *m)
{
	if (m == NULL)
		return;
	for (size_t i = 0; i < m->executor_count; i++) {
		free(m->names[i]);
		free(m->plugins[i]);
		layout_clear(record_device_layout(), &m->devices[i]);
	}
	for (size_t i = 0; m->options != NULL && m->options[i] != NULL; i++)
		free(m->options[i]);
	free(m->options);
	free(m->names);
	free(m->plugins);
	free(m->indices);
	free(m->devices);
	free(m->slots);
	site_free(m->site);
	plan_free(m->plan);
	protocol_free(m->protocol);
	free(m);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* The environment, which may be empty on purpose, comes before the site file. */
static const char *who_of(const manifest *m, const char *variable, const char *key)
{
	const char *value = getenv(variable);

	if (value == NULL && m->site != NULL)
		value = site_value(m->site, NULL, key);
	return value != NULL ? value : "";
}

eh_status manifest_who(const manifest *m, record_who *out, eh_error *error)
{
	static const char *const parties[] = { "", "vendor", "buyer", "third-party" };
	const char *party = who_of(m, "EVENHAND_PARTY", "party");
	bool known = false;

	for (size_t i = 0; i < sizeof(parties) / sizeof(*parties) && !known; i++)
		known = strcmp(party, parties[i]) == 0;
	if (!known)
		return error_set(error, EH_E_USAGE, "EVENHAND_PARTY is '%s'; set it to vendor, buyer or "
		                 "third-party, or unset it", party);
	text_set(&out->tester, who_of(m, "EVENHAND_TESTER", "tester"));
	text_set(&out->party, party);
	text_set(&out->sponsor, who_of(m, "EVENHAND_SPONSOR", "sponsor"));
	return EH_OK;
}

static void add_protocol(cJSON *line, const manifest *m)
{
	const protocol *p = m->protocol;
	cJSON *object = json_add_object(line, "protocol"), *list;
	char *deviation;

	json_add_string(object, "name", p->name);
	json_add_uint(object, "version", p->version);
	json_add_string(object, "digest", m->plan->digest);
	json_add_string(object, "text", p->text);
	json_set(object, "canonical", layout_encode(record_plan_layout(), m->plan->canonical));
	list = json_add_array(object, "deviations");
	if (m->executions == p->executions)
		return;
	deviation = memory_format("executions: %llu instead of %llu", (unsigned long long)m->executions,
	                          (unsigned long long)p->executions);
	json_append_string(list, deviation);
	free(deviation);
}

static void add_executors(cJSON *line, const manifest *m)
{
	cJSON *list = json_add_array(line, "executors"), *item;

	for (size_t i = 0; i < m->executor_count; i++) {
		char *backend = memory_format("%.*s", (int)strcspn(m->names[i], ":"), m->names[i]);

		item = cJSON_CreateObject();
		json_add_string(item, "name", m->names[i]);
		json_add_string(item, "backend", backend);
		json_add_uint(item, "index", m->indices[i]);
		json_add_string(item, "path", m->plugins[i]);
		cJSON_AddItemToArray(list, item);
		free(backend);
	}
}

static void add_order(cJSON *line, const manifest *m)
{
	cJSON *list = json_add_array(line, "order"), *item;

	for (size_t i = 0; i < m->slot_count; i++) {
		item = cJSON_CreateObject();
		json_add_uint(item, "position", m->slots[i].position);
		json_add_uint(item, "execution", m->slots[i].execution);
		json_add_string(item, "executor", m->names[m->slots[i].executor]);
		cJSON_AddItemToArray(list, item);
	}
}

/* "quick-1-20261121T000222Z-1f3a9c04" */
static char *run_id(const manifest *m, const char *started)
{
	text id = { 0 };
	uint32_t noise;
	char *copy;

	if (getrandom(&noise, sizeof(noise), 0) != (ssize_t)sizeof(noise))
		noise = (uint32_t)getpid();
	text_add(&id, "%s-%llu-", m->protocol->name, (unsigned long long)m->protocol->version);
	for (const char *c = started; *c != '\0'; c++)
		if (*c != '-' && *c != ':')
			text_add_bytes(&id, c, 1);
	text_add(&id, "-%08x", noise);
	copy = memory_text(id.data);
	text_free(&id);
	return copy;
}

/* What the salts of the results are made from (result/redact.h); it is in no result. */
static void add_salt(cJSON *line)
{
	unsigned char bytes[16];
	char hex[33];

	/* Without it the results have no salts, and nothing in them can be redacted. */
	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return;
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
	json_add_string(line, "salt", hex);
}

eh_status manifest_line(const manifest *m, const char *started, cJSON **out, eh_error *error)
{
	cJSON *line = cJSON_CreateObject(), *object, *list;
	char *id = run_id(m, started);
	record_harness harness;
	record_who who;
	eh_status status;

	json_add_string(line, "kind", "run");
	json_add_uint(line, "format", FORMAT);
	json_add_string(line, "id", id);
	free(id);
	add_salt(line);
	json_add_uint(line, "seed", m->protocol->seed);
	json_add_string(line, "started", started);
	layout_init(record_harness_layout(), &harness);
	layout_init(record_who_layout(), &who);
	executor_program(&harness);
	json_set(line, "harness", layout_encode(record_harness_layout(), &harness));
	layout_clear(record_harness_layout(), &harness);
	status = manifest_who(m, &who, error);
	if (status != EH_OK) {
		cJSON_Delete(line);
		return status;
	}
	json_set(line, "who", layout_encode(record_who_layout(), &who));
	layout_clear(record_who_layout(), &who);
	add_protocol(line, m);
	object = json_add_object(line, "executions");
	json_add_uint(object, "declared", m->protocol->executions);
	json_add_uint(object, "planned", m->executions);
	if (m->most > m->executions)
		json_add_uint(object, "most", m->most);
	add_executors(line, m);
	list = json_add_array(line, "options");
	for (size_t i = 0; m->options[i] != NULL; i++)
		json_append_string(list, m->options[i]);
	add_order(line, m);
	*out = line;
	return EH_OK;
}

/* ---- reading --------------------------------------------------------------------------------- */

static eh_status check_program(const cJSON *line, eh_error *error)
{
	static const char *const keys[] = { "version", "commit", "abi" };
	const cJSON *theirs = json_path(line, "harness");
	record_harness program;
	cJSON *ours;
	eh_status status = EH_OK;
	uint64_t format = 0;

	layout_init(record_harness_layout(), &program);
	executor_program(&program);
	ours = layout_encode(record_harness_layout(), &program);
	layout_clear(record_harness_layout(), &program);
	if (strcmp(json_string(line, "kind", ""), "run") != 0 || !json_uint(line, "format", &format) ||
	    format != FORMAT)
		status = error_set(error, EH_E_FORMAT, "the journal does not begin as one of this "
		                   "evenhand does; resume the run with the program that began it");
	for (size_t i = 0; status == EH_OK && i < sizeof(keys) / sizeof(*keys); i++)
		if (strcmp(json_string(theirs, keys[i], ""), json_string(ours, keys[i], "")) != 0)
			status = error_set(error, EH_E_USAGE, "the run was begun by evenhand of %s %s, this "
			                   "one is %s; resume it with that program or start a new run",
			                   keys[i], json_string(theirs, keys[i], "unknown"),
			                   json_string(ours, keys[i], "unknown"));
	cJSON_Delete(ours);
	return status;
}

static eh_status plan_again(const cJSON *line, protocol **p, plan **made, eh_error *error)
{
	const char *body = json_string(json_path(line, "protocol"), "text", NULL);
	const char *digest = json_string(json_path(line, "protocol"), "digest", "");
	eh_status status;

	if (body == NULL)
		return error_set(error, EH_E_FORMAT, "the journal's first line has no protocol");
	status = protocol_parse(body, strlen(body), "the run's protocol", p, error);
	if (status != EH_OK)
		return status;
	status = plan_make(*p, plugin_find_workload, NULL, made, error);
	if (status == EH_OK && strcmp((*made)->digest, digest) != 0) {
		status = error_set(error, EH_E_USAGE, "the run's protocol %s is planned differently now "
		                   "(digest %.12s, it was %.12s): its workloads have changed; start a new "
		                   "run", (*p)->name, (*made)->digest, digest);
		plan_free(*made);
	}
	if (status != EH_OK)
		protocol_free(*p);
	return status;
}

static bool read_order(const cJSON *line, const manifest *m)
{
	const cJSON *item;
	size_t at = 0;

	cJSON_ArrayForEach(item, json_path(line, "order")) {
		uint64_t execution = 0;

		if (at >= m->slot_count || !json_uint(item, "execution", &execution) ||
		    execution != m->slots[at].execution ||
		    strcmp(json_string(item, "executor", ""), m->names[m->slots[at].executor]) != 0)
			return false;
		at++;
	}
	return at == m->slot_count;
}

eh_status manifest_read(const cJSON *line, manifest **out, eh_error *error)
{
	const cJSON *list = json_path(line, "executors"), *item;
	protocol *p = NULL;
	plan *made = NULL;
	manifest *m;
	uint64_t planned = 0, most = 0;
	size_t i = 0;
	eh_status status = check_program(line, error);

	if (status == EH_OK)
		status = plan_again(line, &p, &made, error);
	if (status != EH_OK)
		return status;
	m = manifest_blank(p, made, (size_t)cJSON_GetArraySize(list));
	cJSON_ArrayForEach(item, list) {
		m->names[i] = memory_text(json_string(item, "name", ""));
		m->plugins[i] = memory_text(json_string(item, "path", ""));
		i++;
	}
	list = json_path(line, "options");
	m->options = memory_get(((size_t)cJSON_GetArraySize(list) + 1) * sizeof(*m->options));
	i = 0;
	cJSON_ArrayForEach(item, list)
		if (cJSON_IsString(item))
			m->options[i++] = memory_text(item->valuestring);
	if (!json_uint(json_path(line, "executions"), "planned", &planned) || planned == 0 ||
	    planned > 1000000 || m->executor_count == 0) {
		manifest_free(m);
		return error_set(error, EH_E_FORMAT, "the journal's first line plans no execution");
	}
	(void)json_uint(json_path(line, "executions"), "most", &most);
	set_slots(m, planned, most <= 1000000 ? most : 0);
	if (!read_order(line, m)) {
		manifest_free(m);
		return error_set(error, EH_E_FORMAT, "the order in the journal's first line is not the "
		                 "one its seed gives; was it edited?");
	}
	*out = m;
	return EH_OK;
}

static const discover_device *find_device(const discover_report *here, const char *name,
                                          const discover_backend **of)
{
	for (size_t b = 0; b < here->backends.count; b++) {
		*of = &here->backends.items[b];
		for (size_t d = 0; d < (*of)->devices.count; d++)
			if (strcmp((*of)->devices.items[d].executor, name) == 0)
				return &(*of)->devices.items[d];
	}
	return NULL;
}

eh_status manifest_find(manifest *m, const discover_report *here, eh_error *error)
{
	for (size_t i = 0; i < m->executor_count; i++) {
		const discover_backend *b = NULL;
		const discover_device *d = find_device(here, m->names[i], &b);

		if (d == NULL || !discover_is(d->status, EH_OK))
			return error_set(error, EH_E_UNAVAILABLE, "the executor %s of this run is %s%s; make "
			                 "it available again, then resume", m->names[i],
			                 d == NULL ? "not here now" : "not usable now: ",
			                 d == NULL ? "" : d->reason);
		text_set(&m->plugins[i], b->path);
		m->indices[i] = (uint32_t)d->index;
		layout_clear(record_device_layout(), &m->devices[i]);
		layout_copy(record_device_layout(), &d->device, &m->devices[i]);
	}
	return EH_OK;
}

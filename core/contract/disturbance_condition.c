/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions of rules about what disturbed the samples: throttling, other users of the device, a
 * machine that changed.  A flag alone suffices, and so does the evidence beside it alone. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "contract/condition.h"

static bool has_flag(const result_row *r, enum record_flag flag)
{
	return word_list_has(&r->record->flags, (int)flag);
}

/* ---- throttling ------------------------------------------------------------------------------ */

/* Throttling for a smaller share of the time does not decide the number. */
static const double throttle_least = 0.01, container_least = 0.005;

static bool counted_up(const record_telemetry_channel *c)
{
	const number_list *v = &c->values;

	return c->form == RECORD_FORM_COUNTER && v->count > 0 &&
	       v->items[v->count - 1] > v->items[0];
}

static const char *name_or(const char *name)
{
	return name[0] != '\0' ? name : "throttled";
}

static const char *throttled_sensor(const record_execution *e)
{
	for (size_t i = 0; e->sustained != NULL && i < e->sustained->throttle.count; i++) {
		const record_throttle_state *state = &e->sustained->throttle.items[i];

		if (state->share >= throttle_least || state->events > 0)
			return name_or(state->name);
	}
	for (size_t i = 0; e->telemetry != NULL && i < e->telemetry->channels.count; i++) {
		const record_telemetry_channel *c = &e->telemetry->channels.items[i];

		if (strcmp(c->kind, "throttle") == 0 && counted_up(c))
			return name_or(c->name);
	}
	return NULL;
}

static bool throttled_container(const record_execution *e)
{
	return e->guards != NULL && e->load != NULL &&
	       e->guards->throttled_seconds > container_least * e->load->wall_seconds;
}

/* What held the samples back: a flag, a sensor of the device, the container's limit; else NULL. */
static const char *throttle_of(const result_row *r)
{
	if (has_flag(r, RECORD_FLAG_THROTTLED))
		return record_flag_word(RECORD_FLAG_THROTTLED);
	if (has_flag(r, RECORD_FLAG_POWER_CAP))
		return record_flag_word(RECORD_FLAG_POWER_CAP);
	for EACH_COUNTED(e, r) {
		if (throttled_sensor(e) != NULL)
			return throttled_sensor(e);
		if (throttled_container(e))
			return "the container's CPU limit";
	}
	return NULL;
}

SIDE(side_throttled)
{
	const char *by = throttle_of(x);

	if (by != NULL)
		snprintf(detail, size, "%s", by);
	return by != NULL;
}

CONDITION(condition_throttled_burst)
{
	const char *tx = throttle_of(x);
	const char *ty = throttle_of(y);

	if (condition_settings(x)->regime == RECORD_REGIME_SUSTAINED || (tx != NULL) == (ty != NULL))
		return false;
	snprintf(detail, size, "only %s: %s", tx != NULL ? "baseline" : "other", tx != NULL ? tx : ty);
	return true;
}

/* ---- others on the device and the machine ---------------------------------------------------- */

/* The most processes that were seen on the device, this one included; 0 where none was asked. */
static uint64_t users_of(const result_row *r)
{
	uint64_t most = 0;

	for EACH_COUNTED(e, r) {
		const uint64_t seen[] = { e->guards != NULL ? e->guards->device_users_before : 0,
			                  e->guards != NULL ? e->guards->device_users_after : 0 };

		for (size_t i = 0; i < 2; i++)
			most = seen[i] != LAYOUT_NO_UINT && seen[i] > most ? seen[i] : most;
	}
	return most;
}

SIDE(side_shared_device)
{
	uint64_t users = users_of(x);

	if (users > 1)
		snprintf(detail, size, "%llu processes on the device", (unsigned long long)users);
	return users > 1 || has_flag(x, RECORD_FLAG_SHARED_DEVICE);
}

SIDE(side_disturbed)
{
	return has_flag(x, RECORD_FLAG_DISTURBED);
}

static double drift_of(const result_row *r)
{
	return r->record->derived != NULL ? r->record->derived->canary_drift : NAN;
}

SIDE(side_canary_drift)
{
	double drift = drift_of(x);

	if (!(drift > condition_margin(x, x)))
		return false;
	snprintf(detail, size, "%.1f %%", drift * 100);
	return true;
}

/* ---- all flags ------------------------------------------------------------------------------- */

/* Whether a rule that the flag names fires.  The clock of a side matters only where the other's
 * differs, and that is for the rule `clock`. */
static bool said_elsewhere(enum record_flag flag, const result *r, const result_row *row)
{
	const contract_rule_list *rules = &contract_rules()->rules;
	const char *named = record_flag_mark(flag)->follows;
	char detail[256];

	for (size_t i = 0; i < rules->count; i++)
		if (rules->items[i].alone != NULL && condition_in_list(named, rules->items[i].id) &&
		    rules->items[i].alone(r, row, detail, sizeof(detail)))
			return true;
	return flag == RECORD_FLAG_HOST_CLOCK;
}

SIDE(side_flags)
{
	const record_flag_list *flags = &x->record->flags;
	text t = { 0 };

	for (size_t i = 0; i < flags->count; i++)
		if (!said_elsewhere(flags->items[i], a, x))
			text_add(&t, "%s%s", t.size > 0 ? ", " : "", record_flag_word(flags->items[i]));
	if (t.size == 0)
		return false;
	snprintf(detail, size, "%s", t.data);
	text_free(&t);
	return true;
}

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

CONDITION(condition_throttled)
{
	const char *tx = throttle_of(x);
	const char *ty = throttle_of(y);

	if ((tx != NULL) == (ty != NULL))
		return false;
	snprintf(detail, size, "%s: %s", tx != NULL ? "only the baseline" : "only the other side",
	         tx != NULL ? tx : ty);
	return true;
}

CONDITION(condition_throttled_burst)
{
	return condition_settings(x)->regime != RECORD_REGIME_SUSTAINED &&
	       condition_throttled(a, b, x, y, detail, size);
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

static bool flagged(const result_row *x, const result_row *y, enum record_flag flag, char *detail,
                    size_t size)
{
	return condition_either(has_flag(x, flag), has_flag(y, flag), record_flag_word(flag), detail,
	                        size);
}

CONDITION(condition_shared_device)
{
	uint64_t ux = users_of(x);
	uint64_t uy = users_of(y);

	if (ux <= 1 && uy <= 1)
		return flagged(x, y, RECORD_FLAG_SHARED_DEVICE, detail, size);
	snprintf(detail, size, "processes on the device: baseline %llu, other %llu",
	         (unsigned long long)ux, (unsigned long long)uy);
	return true;
}

CONDITION(condition_disturbed)
{
	return flagged(x, y, RECORD_FLAG_DISTURBED, detail, size);
}

static double drift_of(const result_row *r)
{
	return r->record->derived != NULL ? r->record->derived->canary_drift : NAN;
}

static void drift_text(double value, char out[32])
{
	if (isnan(value))
		snprintf(out, 32, "no canary");
	else
		snprintf(out, 32, "%.1f %%", value * 100);
}

CONDITION(condition_canary_drift)
{
	double margin = condition_margin(x, y);
	char sx[32];
	char sy[32];

	if (!(drift_of(x) > margin) && !(drift_of(y) > margin))
		return false;
	drift_text(drift_of(x), sx);
	drift_text(drift_of(y), sy);
	snprintf(detail, size, "baseline %s, other %s", sx, sy);
	return true;
}

/* ---- all flags ------------------------------------------------------------------------------- */

/* Whether a rule that the flag names fires.  The clock of a side matters only where the other's
 * differs, and that is for the rule `clock`. */
static bool said_elsewhere(enum record_flag flag, const result *a, const result *b,
                           const result_row *x, const result_row *y)
{
	const contract_rule_list *rules = &contract_rules()->rules;
	const char *named = record_flag_mark(flag)->follows;
	char detail[256];

	for (size_t i = 0; i < rules->count; i++)
		if (rules->items[i].fires != NULL && condition_in_list(named, rules->items[i].id) &&
		    rules->items[i].fires(a, b, x, y, detail, sizeof(detail)))
			return true;
	return flag == RECORD_FLAG_HOST_CLOCK;
}

CONDITION(condition_flags)
{
	const record_flag_list *flags[] = { &x->record->flags, &y->record->flags };
	text t = { 0 };

	for (size_t side = 0; side < 2; side++)
		for (size_t i = 0, added = 0; i < flags[side]->count; i++) {
			enum record_flag flag = flags[side]->items[i];

			if (said_elsewhere(flag, a, b, x, y))
				continue;
			text_add(&t, "%s%s", added > 0 ? ", " : side == 0 ? "baseline " :
			         t.size > 0 ? "; other " : "other ", record_flag_word(flag));
			added++;
		}
	if (t.size == 0)
		return false;
	snprintf(detail, size, "%s", t.data);
	text_free(&t);
	return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "protocol/load_check.h"

#include "base/text.h"
#include "base/ini.h"

eh_status load_check(const char *source, int line, const char *name, const record_settings *m,
                     bool tuned, eh_error *error)
{
	bool open = m->scenario == RECORD_SCENARIO_SERVER || m->scenario == RECORD_SCENARIO_KNEE;
	bool played = record_is_load(m);
	uint64_t search = m->warmup_max_ns + m->proof_ns + 10 * m->time_max_ns +
	                  (tuned ? m->tune_budget_ns : 0);
	const char *idle = NULL; /* a key that has no effect in this scenario */

	if (m->load_rate != 0 && !open)
		idle = "load-rate";
	else if (m->load_slo_ns != 0 && !played)
		idle = "load-slo";
	else if (m->load_concurrency != 1 && !played)
		idle = "load-concurrency";
	else if (m->load_requests != 0 && !played && m->scenario != RECORD_SCENARIO_OFFLINE)
		idle = "load-requests";
	if (idle != NULL)
		return ini_refuse(source, line, error, "[%s]: %s has no effect in this scenario",
		                  name, idle);
	if (m->scenario == RECORD_SCENARIO_SERVER && m->load_rate == 0)
		return ini_refuse(source, line, error, "[%s]: scenario = server needs a load-rate; "
		                  "a rate found by trial would differ between executors", name);
	if (m->scenario == RECORD_SCENARIO_KNEE && m->load_slo_ns == 0)
		return ini_refuse(source, line, error, "[%s]: scenario = knee needs a load-slo, the "
		                  "latency limit that the highest rate must keep", name);
	if (m->scenario == RECORD_SCENARIO_OFFLINE && m->statistic != RECORD_STATISTIC_MEDIAN)
		return ini_refuse(source, line, error, "[%s]: scenario = offline has one time for "
		                  "all its requests; its statistic must be median", name);
	/* Points of the search; stat/knee.h bounds them alike. */
	if (m->scenario == RECORD_SCENARIO_KNEE && m->timeout_ns < search) {
		char needed[32];

		text_format_duration(search, needed);
		return ini_refuse(source, line, error, "[%s]: scenario = knee tries several rates; "
		                  "its timeout must be at least warmup-max, proof%s ten times time-max "
		                  "together (%s)", name, tuned ? ", tune-budget and" : " and",
		                  needed);
	}
	if (m->scenario == RECORD_SCENARIO_NONE)
		return EH_OK;
	if (m->cache == RECORD_CACHE_COLD)
		return ini_refuse(source, line, error, "[%s]: scenarios are measured with warm "
		                  "caches; remove cache = cold or the scenario", name);
	if (m->regime == RECORD_REGIME_SUSTAINED)
		return ini_refuse(source, line, error, "[%s]: a scenario cannot have regime = "
		                  "sustained; give it a longer time-max instead", name);
	return EH_OK;
}

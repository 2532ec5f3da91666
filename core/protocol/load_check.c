/* SPDX-License-Identifier: Apache-2.0 */
#include "protocol/load_check.h"

#include "base/text.h"
#include "base/ini.h"

eh_status load_check(const char *source, int line, const char *name, const record_settings *m,
                     bool tuned, eh_error *error)
{
	bool open = m->scenario == RECORD_SCENARIO_SERVER || m->scenario == RECORD_SCENARIO_KNEE;
	bool played = open || m->scenario == RECORD_SCENARIO_CLOSED;
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
		return ini_refuse(source, line, error, "[%s]: %s says nothing in this scenario", name,
		                    idle);
	if (m->scenario == RECORD_SCENARIO_SERVER && m->load_rate == 0)
		return ini_refuse(source, line, error, "[%s]: scenario = server needs a load-rate: with "
		                    "one found by trial two executors would get different loads", name);
	if (m->scenario == RECORD_SCENARIO_KNEE && m->load_slo_ns == 0)
		return ini_refuse(source, line, error, "[%s]: scenario = knee needs a load-slo, the "
		                    "latency that the largest rate still has to keep", name);
	if (m->scenario == RECORD_SCENARIO_OFFLINE && m->statistic != RECORD_STATISTIC_MEDIAN)
		return ini_refuse(source, line, error, "[%s]: scenario = offline has one time for all its "
		                    "requests, so its statistic is the median", name);
	/* Points of the search; measure/knee.h bounds them alike. */
	if (m->scenario == RECORD_SCENARIO_KNEE && m->timeout_ns < search) {
		char needed[32];

		text_format_duration(search, needed);
		return ini_refuse(source, line, error, "[%s]: scenario = knee tries several rates, so its "
		                    "timeout is at least warmup-max, proof%s ten times time-max together "
		                    "(%s)", name, tuned ? ", tune-budget and" : " and", needed);
	}
	if (m->scenario == RECORD_SCENARIO_NONE)
		return EH_OK;
	if (m->cache == RECORD_CACHE_COLD)
		return ini_refuse(source, line, error, "[%s]: a scenario is measured with warm caches, so "
		                    "cache = cold cannot stand with it", name);
	if (m->regime == RECORD_REGIME_SUSTAINED)
		return ini_refuse(source, line, error, "[%s]: a scenario is no sustained regime: give it "
		                    "a longer time-max instead", name);
	return EH_OK;
}

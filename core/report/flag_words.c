/* SPDX-License-Identifier: Apache-2.0 */
#include "report/flag_words.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "report/report.h"

/* In the order they are explained. */
static const struct { const char *flag, *words; } all[] = {
	{ "host-clock", "the device's clock was not usable, so the host's was; show -v says why, if not "
	                "that samples are too short for it" },
	{ "device-clock-low", "the device's clock claims clearly less than the host's saw; look at "
	                      "short operations with care" },
	{ "warm-up-not-settled", "the times still changed when warm-up-max was over; allow more" },
	{ "warm-up-in-samples", "it was still getting faster in the first samples, which do not count; "
	                        "a larger warmup-min keeps them out" },
	{ "slowdown", "it got slower while it was measured, and the faster samples do not count: heat, a "
	              "power cap or another load; look at clocks and temperature" },
	{ "no-steady-state", "the last quarter of the samples is not on one level, so all count; measure "
	                     "longer, or on a quieter machine" },
	{ "autocorrelated", "neighbouring samples are alike, so there is less in them than their number "
	                    "says; more executions help, more samples hardly" },
	{ "not-random", "the samples lie above and below their median in too few or too many runs; "
	                "something periodic disturbs" },
	{ "drifting", "the times rise or fall throughout; look at temperature and clocks, or warm up "
	              "longer" },
	{ "multimodal", "the times have more than one mode; the median is in one of them, so look at the "
	                "samples (evenhand series)" },
	{ "canary-moved", "a fixed piece of work ran differently before and after: the machine changed, "
	                  "not only the case" },
	{ "no-canary", "no fixed piece of work ran beside, so a change of the machine is not seen" },
	{ "disturbed", "the machine slowed while this ran, in every attempt; show -v says what did, and a "
	               "quieter machine or more repeats help" },
	{ "short-samples", "a sample is shorter than 20 launch overheads, because its operations may not "
	                   "be batched; look at launch_ns beside it" },
	{ "stale-not-excluded", "zeros stay zeros when the inputs are changed, so an old output would look "
	                        "like a new one; other input-data shows it" },
	{ "limit-missed", "the requests took longer than load-slo allows, or the queue grew; a lower "
	                  "rate shows what it holds" },
	{ "varied-differs", "an operation on inputs it had not seen takes longer or shorter than on those it "
	                    "had: repeated work is recognised, and the samples repeat theirs" },
	{ "telemetry-heavy", "reading the sensors took more than 1 % of the processors; a longer telemetry "
	                     "period, or 0s, keeps them free" },
	{ "inputs-not-varied", "whether an operation takes as long on inputs it had not seen was not tried, "
	                       "because they are zeros or writing new ones takes too long; varied.skipped in the "
	                       "record says which" },
	{ "steal", "the hypervisor took processor time away; other guests are busy" },
};

const char *flag_words(const char *flag)
{
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (strcmp(all[i].flag, flag) == 0)
			return all[i].words;
	return NULL;
}

static bool has_flag(const result *r, const char *flag)
{
	for (size_t i = 0; i < r->row_count; i++) {
		const cJSON *item;

		cJSON_ArrayForEach(item, json_path(r->rows[i].json, "flags"))
			if (cJSON_IsString(item) && strcmp(item->valuestring, flag) == 0)
				return true;
	}
	return false;
}

bool flag_words_print(FILE *out, const result *r)
{
	table *t = NULL;
	bool ok = true;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		char *note;

		if (!has_flag(r, all[i].flag))
			continue;
		if (t == NULL)
			t = table_new("l");
		note = memory_format("%s: %s", all[i].flag, all[i].words);
		table_note(t, note);
		free(note);
	}
	if (t != NULL)
		ok = fputc('\n', out) != EOF && table_print(t, out);
	table_free(t);
	return ok;
}

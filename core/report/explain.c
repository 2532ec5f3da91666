/* SPDX-License-Identifier: Apache-2.0 */
#include "report/explain.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/nameplates.h"
#include "base/text.h"
#include "contract/evidence.h"
#include "report/figure.h"
#include "report/grid.h"
#include "report/labels.h"
#include "report/report.h"

bool explain_item(FILE *out, const char *label, const char *format, ...)
{
	va_list arguments;
	char *words;
	bool ok;

	va_start(arguments, format);
	if (vasprintf(&words, format, arguments) < 0)
		words = NULL;
	va_end(arguments);
	ok = table_labelled(out, EXPLAIN_LABEL, label, memory_insist(words));
	free(words);
	return ok;
}

/* ---- head ------------------------------------------------------------------------------------ */

static bool show_head(FILE *out, const explain_subject *s, const char *id)
{
	const record_protocol *p = &s->of->record->protocol;
	char *line = memory_format("%s on %s%s%s (%s@%llu, %s)", id, labels_name(s->of),
	                           s->against != NULL ? " against " : "",
	                           s->against != NULL ? labels_name(s->against->a) : "", p->name,
	                           (unsigned long long)p->version, s->of->path);
	bool ok = table_wrap(out, line, 0);

	free(line);
	return ok;
}

static bool show_work(FILE *out, const result_row *row)
{
	const record_case *c = row->record;
	char flops[40], bytes[40];

	text_format_si(c->work.flops, "FLOP", flops);
	text_format_si(c->work.bytes, "B", bytes);
	return explain_item(out, "work", "%s, %s, tier %s, %s, timed region %s%s%s%s%s", c->workload,
	                    c->precision, record_tier_word(c->tier),
	                    c->measure.cache == RECORD_CACHE_COLD ? "cold caches" : "warm caches",
	                    record_region_word(c->work.region), c->work.flops > 0 ? ", " : "",
	                    c->work.flops > 0 ? flops : "", c->work.bytes > 0 ? ", " : "",
	                    c->work.bytes > 0 ? bytes : "");
}

/* ---- the verdict ----------------------------------------------------------------------------- */

static const char *verdict_sentence(enum comparison_verdict v)
{
	const layout_words *words = comparison_verdict_words();

	for (size_t i = 0; i < words->count; i++)
		if (words->items[i].value == (int)v)
			return words->items[i].sentence;
	return "";
}

static bool show_verdict(FILE *out, const explain_subject *s)
{
	const comparison_row *row = s->compared;
	char ratio[FIGURE_SIZE], *open;
	bool ok;

	if (!(row->speedup > 0))
		return explain_item(out, "verdict", "%s. %s", comparison_verdict_word(row->verdict),
		                    verdict_sentence(row->verdict));
	figure_ratio(row->speedup, *contract_interval(row), ratio);
	ok = explain_item(out, "verdict", "%s: %s times as fast, margin %.3g %%. %s",
	                  comparison_verdict_word(row->verdict), ratio, row->margin * 100,
	                  verdict_sentence(row->verdict));
	if (!ok || (row->verdict != VERDICT_INCONCLUSIVE && row->verdict != VERDICT_DESCRIPTION))
		return ok;
	open = grid_open_words(s->against, row);
	ok = explain_item(out, "open", "%s", open);
	free(open);
	return ok;
}

static bool show_value(FILE *out, const char *label, const comparison_side *side)
{
	char value[FIGURE_SIZE], time[FIGURE_SIZE];

	if (side == NULL || side->value_interval == NULL)
		return true;
	figure_interval(side->value, *side->value_interval, figure_unit(side->metric), value);
	figure_interval(side->median_ns * 1e-9, (interval){ side->interval_ns->low * 1e-9,
	                side->interval_ns->high * 1e-9 }, "s", time);
	return explain_item(out, label, "%s, one operation in %s, %llu executions", value, time,
	                    (unsigned long long)side->executions);
}

static bool show_joules(FILE *out, const comparison_row *row)
{
	char base[40], other[40];

	if (!(row->baseline_joules > 0) || !(row->other_joules > 0))
		return true;
	text_format_si(row->baseline_joules, "J", base);
	text_format_si(row->other_joules, "J", other);
	return row->energy_ratio > 0 ?
	       explain_item(out, "energy", "%s an operation, reference %s: ratio %.3f (%s)", other, base,
	                    row->energy_ratio, row->energy_means) :
	       explain_item(out, "energy", "%s an operation, reference %s: not comparable", other, base);
}

static bool show_gain(FILE *out, const char *label, const comparison_ratio *gain, const char *of)
{
	char ratio[FIGURE_SIZE];

	if (gain == NULL)
		return true;
	figure_ratio(gain->ratio, gain->interval, ratio);
	return explain_item(out, label, "%s %s", ratio, of);
}

static bool show_compared(FILE *out, const explain_subject *s)
{
	const comparison_row *row = s->compared;

	return show_verdict(out, s) && show_value(out, "value", row->other) &&
	       show_value(out, "reference", row->baseline) && show_joules(out, row) &&
	       show_gain(out, "tuning gain", row->other_tuning_gain, "over the portable case") &&
	       show_gain(out, "its gain", row->baseline_tuning_gain, "of the reference") &&
	       show_gain(out, "tier gain", row->tier_gain, "by the tier, not by the executor");
}

/* ---- rules ----------------------------------------------------------------------------------- */

static bool show_reasons(FILE *out, const contract_reason_list *reasons)
{
	bool ok = true;

	for (size_t i = 0; i < reasons->count && ok; i++) {
		const contract_reason *r = &reasons->items[i];

		ok = explain_item(out, contract_level_word(r->level), "%s: %s%s%s%s", r->rule, r->sentence,
		                  r->detail[0] != '\0' ? " (" : "", r->detail,
		                  r->detail[0] != '\0' ? ")" : "");
	}
	return ok;
}

/* Of a row that stands alone. */
static bool show_evidence(FILE *out, const explain_subject *s)
{
	evidence whole, own;
	bool ok;

	layout_init(evidence_layout(), &whole);
	layout_init(evidence_layout(), &own);
	evidence_judge(s->of, NULL, contract_declares_certified(s->of), &whole);
	evidence_judge_row(s->of, s->row, &whole, contract_declares_certified(s->of), &own);
	ok = explain_item(out, "evidence", "%s", evidence_level_word(own.level)) &&
	     show_reasons(out, &whole.reasons) && show_reasons(out, &own.reasons);
	layout_clear(evidence_layout(), &whole);
	layout_clear(evidence_layout(), &own);
	return ok;
}

static bool show_rules(FILE *out, const explain_subject *s)
{
	if (s->compared == NULL)
		return s->row == NULL || show_evidence(out, s);
	return (s->compared->other == NULL ||
	        explain_item(out, "evidence", "%s", evidence_level_word(s->compared->other->evidence.level))) &&
	       show_reasons(out, &s->against->reasons) && show_reasons(out, &s->compared->reasons);
}

static bool show_flags(FILE *out, const record_case *c)
{
	bool ok = true;

	for (size_t i = 0; i < c->flags.count && ok; i++) {
		const record_mark *m = record_flag_mark(c->flags.items[i]);

		ok = explain_item(out, "flag", "%s: %s %s", m->word, m->sentence, m->remedy);
	}
	return ok;
}

static bool show_status(FILE *out, const result_row *row)
{
	const record_mark *m = record_status_mark(row->record->status);
	bool ok = explain_item(out, "status", "%s: %s %s", result_row_word(row), m->sentence, m->remedy);

	for (size_t i = 0; i < row->record->reasons.count && ok; i++)
		ok = explain_item(out, "", "%s", row->record->reasons.items[i]);
	return ok;
}

/* ---- the page -------------------------------------------------------------------------------- */

static bool show_number(FILE *out, const explain_subject *s)
{
	const record_derived *d = s->row->record->derived;
	char time[32], rate[40] = "";

	if (!result_row_counts(s->row) || d == NULL)
		return true;
	text_format_ns(d->statistic != NULL ? d->statistic->ns : d->median_ns, time);
	if (!isnan(d->rate))
		text_format_si(d->rate, figure_unit(s->row->metric), rate);
	return explain_item(out, "value", "%s%sone operation in %s, %llu executions", rate,
	                    rate[0] != '\0' ? ", " : "", time, (unsigned long long)d->executions);
}

/* Of a number that stands: what the maker says of the device, where the site file declares it. */
static bool show_nameplate(FILE *out, const explain_subject *s)
{
	const record_derived *d = s->row->record->derived;
	beside_nameplate n;
	char *words;
	bool ok = true;

	if (!result_row_counts(s->row) || d == NULL)
		return true;
	layout_init(beside_nameplate_layout(), &n);
	if (nameplates_of_case(s->of->record, s->row->record, d->rate, &n)) {
		words = nameplates_words(&n, figure_unit(s->row->metric));
		ok = explain_item(out, "nameplate", "%s", words);
		free(words);
	}
	layout_clear(beside_nameplate_layout(), &n);
	return ok;
}

bool report_explained(FILE *out, const explain_subject *s)
{
	const char *id = s->row != NULL ? s->row->id : s->compared->id;
	bool ok = show_head(out, s, id) && (s->row == NULL || show_work(out, s->row)) &&
	          (s->compared != NULL ? show_compared(out, s) : show_number(out, s)) &&
	          (s->row == NULL || show_nameplate(out, s)) &&
	          (s->row == NULL || show_status(out, s->row)) && show_rules(out, s);

	return ok && (s->row == NULL ||
	              (show_flags(out, s->row->record) && explain_measured(out, s)));
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "run/slot.h"

/* Measures the cases that have no line.  false when the worker has ended. */
static bool measure_missing(const slotwork *w, supervised *s, supervise_end *end)
{
	const plan *p = w->context->manifest->plan;
	bool goes_on = true;

	for (size_t i = 1; i <= p->case_count && goes_on; i++) {
		worker_command c;

		if (slotwork_has(w, i))
			continue;
		c = supervise_command(WORKER_MEASURE, &p->cases[w->order[i - 1]], i);
		goes_on = supervise_ask(s, &c, NULL, end);
		layout_clear(worker_command_layout(), &c);
	}
	return goes_on;
}

static void run_worker(const slotwork *w, supervise_end *end)
{
	supervised *s = slotwork_start(w, end);

	if (s == NULL || !measure_missing(w, s, end))
		return;
	supervise_finish(s);
	supervise_finish_await(s, end);
}

eh_status slot_run(const slot_context *c, const schedule_slot *slot, eh_error *error)
{
	slotwork w;
	bool again, could = true;
	eh_status status = EH_OK;

	slotwork_begin(&w, c, slot);
	again = w.missing > 0;
	if (again)
		progress_slot(c->shown, w.name, slot->execution,
		              ledger_planned(c->ledger, slot->executor));
	while (again && status == EH_OK) {
		supervise_end end;

		run_worker(&w, &end);
		could = end.fate != SUPERVISE_CANNOT;
		status = slotwork_settle(&w, &end, &again, error);
		supervise_end_free(&end);
	}
	if (status == EH_OK)
		status = slotwork_describe(&w, could, error);
	slotwork_end(&w);
	return status;
}

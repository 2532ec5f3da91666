/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/verify.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"

void verify_init(verify_state *v, record_verification *record)
{
	record->during = 0;
	record->during_failed = 0;
	*v = (verify_state){ .record = record };
}

bool verify_passed(const record_check *check)
{
	return check != NULL && check->passed;
}

static double bounded(double value)
{
	return isfinite(value) ? value : DBL_MAX;
}

/* Replaces *out by what a workload filled, whose texts need not be terminated. */
static void keep(record_check **out, const eh_check *c)
{
	record_check *kept = layout_new(record_check_layout());

	kept->passed = c->passed == 1 && c->checked > 0 && c->failed == 0;
	kept->gate = text_clean_copy(c->gate, sizeof(c->gate));
	kept->checked = c->checked;
	kept->failed = c->failed;
	kept->max_error = bounded(c->max_error);
	kept->rho = bounded(c->rho);
	kept->rho_limit = bounded(c->rho_limit);
	kept->tolerance = text_clean_copy(c->tolerance, sizeof(c->tolerance));
	kept->detail = text_clean_copy(c->detail, sizeof(c->detail));
	layout_free(record_check_layout(), *out);
	*out = kept;
}

/* Of the operation with that number, on the set that it used. */
static eh_status check_set(prepared *p, verify_state *v, void *set, uint64_t iteration,
                           record_check **out, uint64_t *ns, eh_error *error)
{
	eh_check check = { .struct_size = sizeof(check) };
	uint64_t start = clock_now_ns();
	eh_status status = p->workload->check(set, iteration, &check, error);

	*ns = clock_now_ns() - start;
	if (status != EH_OK)
		return status;
	keep(out, &check);
	if (v->check_ns == 0 || *ns < v->check_ns)
		v->check_ns = *ns;
	return EH_OK;
}

eh_status verify_check(prepared *p, verify_state *v, record_check **check, uint64_t *ns,
                       eh_error *error)
{
	return check_set(p, v, prepared_state(p, 0), p->iteration - 1, check, ns, error);
}

eh_status verify_poison(prepared *p, uint64_t operations, eh_error *error)
{
	eh_status status = p->workload->poison(prepared_state(p, operations), error);

	return status == EH_OK ? prepared_wait(p, error) : status;
}

/* Adds a check of another set, and takes it; the first that failed stays. */
static void merge(record_check **to, record_check *from)
{
	record_check *before = *to;

	if (before != NULL && !before->passed) {
		layout_free(record_check_layout(), from);
		return;
	}
	if (before != NULL) {
		from->checked += before->checked;
		from->max_error = fmax(from->max_error, before->max_error);
		from->rho = fmax(from->rho, before->rho);
	}
	layout_free(record_check_layout(), before);
	*to = from;
}

/* A check that accepts poison would accept an operation that never ran. */
static eh_status check_poison(prepared *p, verify_state *v, eh_error *error)
{
	record_check *poisoned = NULL;
	uint64_t ns;
	eh_status status = verify_poison(p, 0, error);

	if (status == EH_OK)
		status = verify_check(p, v, &poisoned, &ns, error);
	v->blind = verify_passed(poisoned);
	layout_free(record_check_layout(), poisoned);
	return status;
}

static eh_status check_next_set(prepared *p, verify_state *v, eh_error *error)
{
	record_check *check = NULL;
	uint64_t ns;
	/* Not waited for in between: the poison has to be ordered before the operation. */
	eh_status status = p->workload->poison(prepared_state(p, 1), error);

	if (status == EH_OK)
		status = prepared_enqueue(p, 1, error);
	if (status == EH_OK)
		status = prepared_wait(p, error);
	if (status == EH_OK)
		status = verify_check(p, v, &check, &ns, error);
	if (status != EH_OK)
		return status;
	merge(&v->record->before, check);
	return verify_passed(v->record->before) ? check_poison(p, v, error) : EH_OK;
}

static eh_status run_selftest(prepared *p, verify_state *v, eh_error *error)
{
	eh_check check = { .struct_size = sizeof(check) };
	eh_status status = p->workload->selftest(prepared_state(p, 1), &check, error);

	if (status == EH_OK)
		keep(&v->record->selftest, &check);
	return status;
}

eh_status verify_before(prepared *p, verify_state *v, eh_error *error)
{
	eh_status status = EH_OK;

	if (EH_HAS(p->workload, eh_workload, selftest))
		status = run_selftest(p, v, error);
	for (size_t i = 0; i < p->set_count && status == EH_OK && !v->blind; i++) {
		status = check_next_set(p, v, error);
		if (!verify_passed(v->record->before))
			break;
	}
	return status;
}

eh_status verify_each(prepared *p, verify_state *v, uint64_t batch, eh_error *error)
{
	const uint64_t iteration = p->iteration;
	const size_t next = p->next;
	eh_status status = EH_OK;

	if (p->set_count == 1)
		return EH_OK;
	for (size_t i = 0; i < p->set_count && status == EH_OK; i++)
		status = p->workload->poison(p->states[i], error);
	for (uint64_t left = p->set_count; left > 0 && status == EH_OK;) {
		uint64_t now = batch < left ? batch : left;

		status = prepared_enqueue(p, now, error);
		if (status == EH_OK)
			status = prepared_wait(p, error);
		left -= now;
	}
	for (size_t i = 0; i < p->set_count && status == EH_OK; i++) {
		record_check *check = NULL;
		uint64_t ns;

		status = check_set(p, v, p->states[(next + i) % p->set_count], iteration + i, &check, &ns,
		                   error);
		if (status == EH_OK)
			merge(&v->record->after, check);
	}
	return status;
}

eh_status verify_during(prepared *p, verify_state *v, eh_error *error)
{
	record_check *check = NULL;
	uint64_t ns;
	eh_status status = verify_check(p, v, &check, &ns, error);

	if (status != EH_OK)
		return status;
	v->record->during++;
	if (!verify_passed(check) && v->record->during_failed++ == 0)
		(void)snprintf(v->during_detail, sizeof(v->during_detail), "%s", check->detail);
	layout_free(record_check_layout(), check);
	return EH_OK;
}

static char *sentence(const char *what, const char *detail)
{
	size_t size = strlen(detail);

	if (size == 0)
		return memory_format("%s", what);
	return memory_format("%s %s%s", what, detail, detail[size - 1] == '.' ? "" : ".");
}

static bool has_failed(const record_check *check)
{
	return check != NULL && !check->passed;
}

char *verify_failure(const verify_state *v)
{
	const record_verification *r = v->record;

	if (has_failed(r->selftest))
		return sentence("The self-test on crafted data gave wrong results.", r->selftest->detail);
	if (has_failed(r->before))
		return sentence("The output was wrong before timing.", r->before->detail);
	if (v->blind)
		return memory_text("The workload's check accepts outputs that its poison has "
		                   "overwritten: it would not see an operation that never ran.");
	if (r->during_failed > 0)
		return sentence("The output was wrong in an operation checked while sampling.",
		                v->during_detail);
	if (has_failed(r->after))
		return sentence("The output was wrong after timing, on changed inputs.", r->after->detail);
	return NULL;
}

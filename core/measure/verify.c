/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/verify.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/text.h"

bool verify_passed(const eh_check *check)
{
	return check->passed == 1 && check->checked > 0 && check->failed == 0;
}

/* A fresh check, as a workload fills it. */
static void check_init(eh_check *check)
{
	*check = (eh_check){ .struct_size = sizeof(*check) };
}

/* What came from a plugin is terminated before it is read as text. */
static void check_seal(eh_check *check)
{
	check->struct_size = sizeof(*check);
	check->gate[sizeof(check->gate) - 1] = '\0';
	check->tolerance[sizeof(check->tolerance) - 1] = '\0';
	check->detail[sizeof(check->detail) - 1] = '\0';
}

/* Of the operation with that number, on the set that it used. */
static eh_status check_set(prepared *p, verification *v, void *set, uint64_t iteration,
                           eh_check *check, uint64_t *ns, eh_error *error)
{
	uint64_t start = clock_now_ns();
	eh_status status;

	check_init(check);
	status = p->workload->check(set, iteration, check, error);
	*ns = clock_now_ns() - start;
	check_seal(check);
	if (status != EH_OK) {
		check->struct_size = 0;
		return status;
	}
	if (v->check_ns == 0 || *ns < v->check_ns)
		v->check_ns = *ns;
	return EH_OK;
}

eh_status verify_check(prepared *p, verification *v, eh_check *check, uint64_t *ns,
                       eh_error *error)
{
	return check_set(p, v, prepared_state(p, 0), p->iteration - 1, check, ns, error);
}

eh_status verify_poison(prepared *p, uint64_t operations, eh_error *error)
{
	eh_status status = p->workload->poison(prepared_state(p, operations), error);

	return status == EH_OK ? prepared_wait(p, error) : status;
}

/* Adds a check of another set. */
static void merge(eh_check *to, const eh_check *from)
{
	if (to->struct_size == 0 || verify_passed(to)) {
		uint64_t checked = to->checked;
		uint64_t failed = to->failed;
		double error = to->max_error;
		double rho = to->rho;

		*to = *from;
		to->checked += checked;
		to->failed += failed;
		to->max_error = fmax(to->max_error, error);
		to->rho = fmax(to->rho, rho);
	}
}

static eh_status check_next_set(prepared *p, verification *v, eh_error *error)
{
	eh_check check;
	eh_check poisoned;
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
	merge(&v->before, &check);
	if (!verify_passed(&v->before))
		return EH_OK;
	/* A check that accepts poison would accept an operation that never ran. */
	status = verify_poison(p, 0, error);
	if (status == EH_OK)
		status = verify_check(p, v, &poisoned, &ns, error);
	if (status == EH_OK)
		v->blind = verify_passed(&poisoned);
	return status;
}

eh_status verify_before(prepared *p, verification *v, eh_error *error)
{
	eh_status status = EH_OK;

	if (EH_HAS(p->workload, eh_workload, selftest)) {
		check_init(&v->selftest);
		status = p->workload->selftest(prepared_state(p, 1), &v->selftest, error);
		check_seal(&v->selftest);
		if (status != EH_OK)
			v->selftest.struct_size = 0;
	}
	for (size_t i = 0; i < p->set_count && status == EH_OK && !v->blind; i++) {
		status = check_next_set(p, v, error);
		if (!verify_passed(&v->before))
			break;
	}
	return status;
}

eh_status verify_each(prepared *p, verification *v, uint64_t batch, eh_error *error)
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
		eh_check check;
		uint64_t ns;

		status = check_set(p, v, p->states[(next + i) % p->set_count], iteration + i, &check, &ns,
		                   error);
		if (status == EH_OK)
			merge(&v->after, &check);
	}
	return status;
}

eh_status verify_during(prepared *p, verification *v, eh_error *error)
{
	eh_check check;
	uint64_t ns;
	eh_status status = verify_check(p, v, &check, &ns, error);

	if (status != EH_OK)
		return status;
	v->during++;
	if (!verify_passed(&check) && v->during_failed++ == 0)
		memcpy(v->during_detail, check.detail, sizeof(v->during_detail));
	return EH_OK;
}

static char *sentence(const char *what, const char *detail)
{
	size_t size = strlen(detail);

	if (size == 0)
		return memory_format("%s", what);
	return memory_format("%s %s%s", what, detail, detail[size - 1] == '.' ? "" : ".");
}

char *verify_failure(const verification *v)
{
	if (v->selftest.struct_size != 0 && !verify_passed(&v->selftest))
		return sentence("The self-test on crafted data gave wrong results.", v->selftest.detail);
	if (v->before.struct_size != 0 && !verify_passed(&v->before))
		return sentence("The output was wrong before timing.", v->before.detail);
	if (v->blind)
		return memory_text("The workload's check accepts outputs that its poison has "
		                   "overwritten: it would not see an operation that never ran.");
	if (v->during_failed > 0)
		return sentence("The output was wrong in an operation checked while sampling.",
		                v->during_detail);
	if (v->after.struct_size != 0 && !verify_passed(&v->after))
		return sentence("The output was wrong after timing, on changed inputs.", v->after.detail);
	return NULL;
}

static double bounded(double value)
{
	return isfinite(value) ? value : DBL_MAX;
}

static void add_check(cJSON *to, const char *key, const eh_check *check)
{
	cJSON *out;

	if (check->struct_size == 0)
		return;
	out = json_add_object(to, key);
	json_add_bool(out, "passed", verify_passed(check));
	json_add_string(out, "gate", check->gate);
	json_add_uint(out, "checked", check->checked);
	json_add_uint(out, "failed", check->failed);
	json_add_double(out, "max_error", bounded(check->max_error));
	json_add_double(out, "rho", bounded(check->rho));
	json_add_double(out, "rho_limit", bounded(check->rho_limit));
	json_add_string(out, "tolerance", check->tolerance);
	json_add_string(out, "detail", check->detail);
}

cJSON *verify_json(const verification *v)
{
	cJSON *out = cJSON_CreateObject();

	add_check(out, "selftest", &v->selftest);
	add_check(out, "before", &v->before);
	add_check(out, "after", &v->after);
	json_add_uint(out, "during", v->during);
	json_add_uint(out, "during_failed", v->during_failed);
	return out;
}

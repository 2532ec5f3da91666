/* SPDX-License-Identifier: Apache-2.0 */
/* The contract.  docs/contract.md explains it; `evenhand help contract` prints it. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "contract/condition.h"

#define RULE(id, scope, level, condition, sentence, why)                                     \
	{ id, CONTRACT_##scope, CONTRACT_##level, CONTRACT_##level, sentence, why,             \
	  condition_##condition }
/* With another level in a certified comparison. */
#define STRICT(id, scope, level, certified, condition, sentence, why)                        \
	{ id, CONTRACT_##scope, CONTRACT_##level, CONTRACT_##certified, sentence, why,         \
	  condition_##condition }
/* Found when the ratio is judged. */
#define JUDGED(id, level, sentence, why)                                                     \
	{ id, CONTRACT_VERDICT, CONTRACT_##level, CONTRACT_##level, sentence, why, NULL }

static const contract_rule rules[] = {
	RULE("same-result", RESULT, COMPARABLE, same_result,
	     "Both are the same result.",
	     "Comparing a result with itself is a check of the tool, not of the machine."),
	RULE("protocol-same", RESULT, COMPARABLE, protocol_same,
	     "Both results have the same protocol digest.",
	     "One declared methodology produced both numbers."),
	RULE("protocol-compatible", RESULT, CAVEAT, protocol_compatible,
	     "The protocol digests differ, and one protocol lists the other as compatible.",
	     "The author of the protocol vouches for it; the reader should know."),
	RULE("protocol-differs", RESULT, REFUSED, protocol_differs,
	     "The protocol digests differ, and neither protocol lists the other as compatible.",
	     "Two methodologies give two quantities."),
	RULE("data-seed", RESULT, REFUSED, data_seed,
	     "The seeds of the input data differ.",
	     "Input data move the power, and with it the speed, of the same operation."),
	RULE("simulated", RESULT, REFUSED, simulated,
	     "A device is simulated.",
	     "What a simulator takes says nothing about hardware."),
	RULE("harness-major", RESULT, REFUSED, harness_major,
	     "The major versions of evenhand differ.",
	     "A new major may measure differently."),
	RULE("plugin-abi", RESULT, CAVEAT, abi,
	     "The plugin ABI differs.",
	     "The path between harness and driver is not the same code."),
	STRICT("dirty-build", RESULT, CAVEAT, REFUSED, dirty,
	     "A build of evenhand differs from its commit, or its commit is unknown.",
	     "Nobody else can build the program that made the number."),
	STRICT("incomplete", RESULT, CAVEAT, REFUSED, incomplete,
	     "A run is incomplete.",
	     "Executions are missing; what is there was not chosen at random."),
	STRICT("deviations", RESULT, CAVEAT, REFUSED, deviations,
	     "A run deviated from its protocol.",
	     "The digest vouches only for what was run as declared."),
	RULE("signature-broken", RESULT, REFUSED, signature,
	     "A signature or an amendment beside a result does not hold.",
	     "It is not what was signed."),
	STRICT("disputed", RESULT, CAVEAT, REFUSED, disputed,
	       "A key that is trusted here disputes a result.",
	       "Somebody whose word counts says that it is not what it seems."),
	RULE("unverified", RESULT, CAVEAT, verified,
	     "One result is signed by a verifier that is trusted here, the other is not.",
	     "Their evidence is not equally strong."),
	STRICT("executor-undisclosed", RESULT, CAVEAT, REFUSED, undisclosed,
	     "An executor does not disclose its device or its layers.",
	     "A number without its stack is an incomplete claim."),
	STRICT("executor-field-missing", RESULT, CAVEAT, REFUSED, fields,
	       "An executor does not disclose a field that its protocol requires.",
	       "What the protocol asks for cannot be checked."),
	RULE("device-count", RESULT, CAVEAT, device_count,
	     "The number of devices differs.",
	     "Several devices are another machine than one."),
	RULE("device-partition", RESULT, CAVEAT, partition,
	     "The devices have one name, but different compute units or memory.",
	     "A part of a device, or several, is another machine."),
	RULE("power-cap", RESULT, CAVEAT, power_cap,
	     "The devices have one name, but another power limit.",
	     "The limit decides the clock under load."),
	RULE("virtual-machine", RESULT, CAVEAT, virtual,
	     "One side ran in a virtual machine, or another kind of it.",
	     "The host's scheduler and neighbours are part of the number."),
	RULE("container", RESULT, CAVEAT, container,
	     "One side ran in a container, or another kind of it.",
	     "Limits of processor and memory apply that the device does not show."),
	RULE("ecc", RESULT, CAVEAT, ecc,
	     "Error correction of the memory differs.",
	     "It costs bandwidth on many devices."),
	RULE("layers-differ", RESULT, COMPARABLE, layers,
	     "Layers of the stack differ, and both disclose them.",
	     "This is what is being measured; the differences are listed."),

	RULE("not-run", CASE, REFUSED, absent,
	     "The case is missing or unsupported on one side.",
	     "There is nothing to compare with; absence is not slowness."),
	RULE("status-failed", CASE, REFUSED, failed,
	     "The case failed on one side.",
	     "A crash or a time-out is not a number."),
	RULE("status-invalid", CASE, REFUSED, invalid,
	     "The case is invalid on one side.",
	     "Its evidence contradicts itself."),
	RULE("verification", CASE, REFUSED, verification,
	     "The verification failed or is absent on one side.",
	     "A wrong result has no speed."),
	RULE("proof", CASE, REFUSED, proof,
	     "The samples of a side claim less than half the time that its proof took.",
	     "What is proven to take longer was not done in that time."),
	RULE("case-renamed", CASE, COMPARABLE, renamed,
	     "The case has another name in the other protocol; workload, work and settings are the "
	     "same.",
	     "A case is what it measures, not what it is called."),
	RULE("workload", CASE, REFUSED, workload,
	     "The workload or its revision differs.",
	     "Another operation."),
	RULE("size", CASE, REFUSED, size,
	     "The parameters or the work counted differ.",
	     "Another problem."),
	RULE("precision", CASE, REFUSED, precision,
	     "The precision differs.",
	     "Fewer bits are less work."),
	RULE("emulation", CASE, CAVEAT, emulation,
	     "The precision is native on one side and emulated on the other.",
	     "The same format, but not the same arithmetic units."),
	RULE("metric", CASE, REFUSED, metric,
	     "The metric differs.",
	     "Another quantity."),
	RULE("timed-region", CASE, REFUSED, region,
	     "The timed region differs.",
	     "What is inside the clock decides the number."),
	RULE("cache-state", CASE, REFUSED, cache,
	     "The cache state differs.",
	     "Warm and cold caches are two machines."),
	RULE("regime", CASE, REFUSED, regime,
	     "The regime (burst or sustained) differs.",
	     "A burst overstates what can be sustained."),
	RULE("scenario", CASE, REFUSED, scenario,
	     "The scenario or its load differs.",
	     "Requests that arrive otherwise wait otherwise."),
	RULE("input-data", CASE, REFUSED, input_data,
	     "The input data differ: another distribution than the other side's or the declared one, or "
	     "other bytes in the same execution.",
	     "Zeros take less power than random numbers, and so run faster."),
	STRICT("input-data-undisclosed", CASE, CAVEAT, REFUSED, input_undisclosed,
	       "One side records a digest of its input data, the other does not, or of other executions.",
	       "That both computed on the same data cannot be checked."),
	STRICT("copied-samples", CASE, CAVEAT, REFUSED, copied,
	       "The samples of an execution are those of another one, of the same side or of the other.",
	       "Two measurements do not agree in every nanosecond."),
	RULE("statistic", CASE, COMPARABLE, statistic,
	     "The declared statistic differs; both are recomputed as medians from the samples.",
	     "The samples are there, so the summary is no obstacle."),
	RULE("statistic-percentile", CASE, CAVEAT, percentile,
	     "The samples of a side are too few for the declared percentile; medians are compared.",
	     "A verdict about medians says little about the slowest requests."),
	RULE("clock", CASE, CAVEAT, clock,
	     "The clock differs: the device's on one side, the host's on the other.",
	     "The host's clock includes the way to the device and back."),
	RULE("clock-bias", CASE, REFUSED, clock_bias,
	     "The clocks differ, and a sample by the host's clock is under ten times the launch "
	     "overhead.",
	     "The bias of the clock would be a tenth of the number or more."),
	RULE("clock-mixed", CASE, CAVEAT, clock_mixed,
	     "The executions of one side used different clocks.",
	     "Their spread is partly that of the clocks."),
	RULE("zero-time", CASE, REFUSED, zero_time,
	     "A median time is zero.",
	     "The clock did not resolve the operation."),
	RULE("tier", CASE, REFUSED, tier,
	     "The optimisation tier differs.",
	     "It would rank the tuning, not the executors."),
	RULE("tuning-budget", CASE, REFUSED, tuning,
	     "In the tuned tier, the tuning is undisclosed or its budget differs.",
	     "More search finds faster parameters."),
	RULE("kernel-source", CASE, CAVEAT, source,
	     "In the portable tier, the source of the kernel differs.",
	     "The executors were not given the same program."),
	STRICT("binary-varies", CASE, CAVEAT, REFUSED, binary,
	       "The executions of one side ran different binaries of the kernel.",
	       "One number for several programs is none of them."),
	STRICT("varied-input", CASE, CAVEAT, REFUSED, varied,
	       "An operation takes another time on inputs that it has not seen.",
	       "What recognises repeated work is measured repeating itself."),
	STRICT("inputs-not-varied", CASE, CAVEAT, REFUSED, not_varied,
	       "Of an execution of a side it is not known whether new inputs take another time.",
	       "What recognises repeated work would not show."),
	RULE("sampling", CASE, CAVEAT, sampling,
	     "The settings of the measurement differ.",
	     "Other warm-up and stop rules weigh the samples differently."),
	STRICT("not-converged", CASE, CAVEAT, DESCRIPTION, not_converged,
	     "A side did not reach its target precision within the budget.",
	     "Its interval is wider than the protocol asked for."),
	RULE("not-converged-sustained", CASE, REFUSED, sustained,
	     "A side did not converge in the sustained regime.",
	     "A sustained number is a steady one by definition."),
	STRICT("no-steady-state", CASE, CAVEAT, DESCRIPTION, unsteady,
	       "An execution of a side reached no steady state.",
	       "Its median depends on how long was measured."),
	RULE("no-steady-state-sustained", CASE, REFUSED, unsteady_sustained,
	     "An execution of a side reached no steady state in the sustained regime.",
	     "A sustained number is a steady one by definition."),
	RULE("throttled", CASE, CAVEAT, throttled,
	     "One side was throttled or held at its power cap, the other was not.",
	     "The clocks were not the devices' own."),
	RULE("throttled-burst", CASE, REFUSED, throttled_burst,
	     "In the burst regime, one side was throttled or held at its power cap.",
	     "A burst is meant to show the device before its limits."),
	STRICT("shared-device", CASE, CAVEAT, REFUSED, shared_device,
	       "Others used the device of a side.",
	       "Their work is part of the number."),
	STRICT("disturbed", CASE, CAVEAT, DESCRIPTION, disturbed,
	       "A side was disturbed, and repeating did not help.",
	       "The number is that of the case and of what disturbed it."),
	RULE("few-executions", CASE, DESCRIPTION, few,
	     "A side has fewer than 5 executions.",
	     "The noise between processes cannot be judged from fewer."),
	STRICT("few-executions-certified", CASE, COMPARABLE, DESCRIPTION, few_certified,
	       "In a certified comparison, a side has fewer than 10 executions.",
	       "A certified verdict rests on twice the executions."),
	RULE("canary-drift", CASE, CAVEAT, canary_drift,
	     "The canary moved by more than the margin during a run.",
	     "The machine itself changed speed while this was measured."),
	RULE("flags", CASE, CAVEAT, flags,
	     "The samples of a side carry flags.",
	     "Something about the series is unusual; it is flagged, never dropped."),

	RULE("energy-means", ENERGY, REFUSED, energy_means,
	     "The energy was measured by other means (the device's sensors, at the wall, declared), or by "
	     "simulated sensors.",
	     "They do not measure the same power."),
	JUDGED("one-run", COMPARABLE,
	       "One run measured both sides in turns: the speed-up is that of its rounds.",
	       "What the machine did in a round fell on both; noise floors are of separate runs."),
	JUDGED("noise-floor", CAVEAT,
	       "The margin is the A/A noise floor of an executor, which is above the declared one.",
	       "Two runs of the same thing differ by as much."),
	JUDGED("many-cases", CAVEAT,
	       "The interval is beyond the margin, but not by as much as so many cases ask for.",
	       "Of many intervals some miss by chance; Holm's rule shares the 5 % among them."),
};

size_t contract_rules(const contract_rule **out)
{
	*out = rules;
	return sizeof(rules) / sizeof(rules[0]);
}

const char *contract_level_name(enum contract_level level)
{
	switch (level) {
	case CONTRACT_COMPARABLE: return "comparable";
	case CONTRACT_CAVEAT: return "caveat";
	case CONTRACT_DESCRIPTION: return "description";
	case CONTRACT_REFUSED: return "refused";
	}
	return "refused";
}

const char *contract_scope_name(enum contract_scope scope)
{
	switch (scope) {
	case CONTRACT_RESULT: return "result";
	case CONTRACT_CASE: return "case";
	case CONTRACT_VERDICT: return "verdict";
	case CONTRACT_ENERGY: return "energy";
	}
	return "result";
}

const contract_rule *rule_by_id(const char *id)
{
	size_t i;

	for (i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (strcmp(rules[i].id, id) == 0)
			return &rules[i];
	abort(); /* an id that the table does not have */
}

"""What the tests of several drivers ask of the rows of a result."""

# Two things may happen to a row of an honest device beside other work, and both to one row: it becomes slower
# between the samples and their proof, or during the pairs of the proof, and its samples do not converge.
UNSETTLED = ("Not settled: ",)
UNCONVERGED = ("Only ", "The interval of the ", "The samples that fit ")


def honest(case):
    if case["status"] != "unproven":
        return case["status"] in ("valid", "not-converged")
    reasons = [r for r in case["reasons"] if not r.startswith(UNCONVERGED)]
    return len(reasons) > 0 and all(r.startswith(UNSETTLED) for r in reasons)


def accused(cases):
    """A line for each row that says more than that, with its reasons."""
    return ["%s: %s %s" % (c["id"], c["status"], c.get("reasons")) for c in cases if not honest(c)]

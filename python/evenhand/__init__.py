# SPDX-License-Identifier: Apache-2.0
"""Results of evenhand as pandas frames.

    import evenhand
    results = evenhand.read("results/quick-1")
    results.cases()      a row for each case of each result: `evenhand export --as csv`
    results.samples()    a row for each sample: `evenhand export --as samples`
    results.layers()     a row for each layer of each stack

It checks the form of a result, not its digests and signatures: `evenhand verify` does.  It compares
nothing: `evenhand compare` does, and read_csv() reads what `evenhand export` writes.
docs/python.md says more.
"""
from .errors import ResultError
from .frames import columns, read_csv
from .results import Results, read
from .tables import VERSION as __version__

__all__ = ["ResultError", "Results", "columns", "read", "read_csv"]

# SPDX-License-Identifier: Apache-2.0
"""Results and archives of evenhand as pandas frames.

    import evenhand
    results = evenhand.read("results/quick-1")
    results.cases()      a row for each case of each result: `evenhand export --as csv`
    results.samples()    a row for each sample: `evenhand export --as samples`
    results.layers()     a row for each layer of each stack

    archive = evenhand.open_archive("archive.db")
    archive.history("triad.f32")    the case over time: `evenhand archive history`
    archive.read("nightly")         the results of a mark

It checks the form of a result, not its digests and signatures: `evenhand verify` does.  It compares
nothing: `evenhand compare` does, and read_csv() reads what `evenhand export` writes.
docs/python.md says more.
"""
from .archive import Archive, open_archive
from .errors import ArchiveError, EvenhandError, ResultError
from .frames import columns, read_csv
from .results import Results, read
from .tables import VERSION as __version__

__all__ = ["Archive", "ArchiveError", "EvenhandError", "ResultError", "Results", "columns", "open_archive",
           "read", "read_csv"]

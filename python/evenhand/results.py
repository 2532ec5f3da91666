# SPDX-License-Identifier: Apache-2.0
"""Results that were read, and their frames."""
import os

from . import frames, rows
from .errors import ResultError
from .reading import read_record


class Results:
    """Results in the order in which they were read.  `records` has each as a dict."""

    def __init__(self, records):
        self.records = list(records)

    def __len__(self):
        return len(self.records)

    def __repr__(self):
        return f"<evenhand.Results: {len(self)} of {len({r['run']['id'] for r in self.records})} runs>"

    @property
    def record(self):
        """The record of one result as a dict; docs/result-format.md has its members."""
        if len(self.records) != 1:
            raise ValueError(f"these are {len(self.records)} results; records[0] is the first")
        return self.records[0]

    def cases(self):
        """A row for each case of each result, with the columns of `evenhand export --as csv`, less those
        that a comparison decides."""
        return frames.frame("cases", rows.cases(self.records))

    def samples(self):
        """A row for each sample of each execution: `evenhand export --as samples`."""
        return frames.frame("samples", rows.samples(self.records))

    def layers(self):
        """A row for each layer of each stack, in the order of the stack."""
        return frames.frame("layers", rows.layers(self.records))


def _files(path):
    if not os.path.isdir(path):
        return [path]
    names = sorted(name for name in os.listdir(os.fsencode(path)) if name.endswith(b".json"))
    if not names:
        raise ResultError(f"{os.fsdecode(path)}: holds no result (no file NAME.json)")
    return [os.path.join(os.fsencode(path), name) for name in names]


def read(paths):
    """Reads a result, all results of a folder, or a list of these.  ResultError for what is no result."""
    one = isinstance(paths, (str, bytes, os.PathLike))
    return Results(read_record(file) for path in ([paths] if one else paths) for file in _files(path))

# SPDX-License-Identifier: Apache-2.0
"""Columns as pandas frames, whose types follow from the tables."""
import csv

from . import rows
from .errors import ResultError, clean
from .tables import TABLES

_INT_END = 2**63  # frames hold whole numbers below it
_EXPORTS = ("export_case", "export_sample")
# Other kinds are texts.
_TYPES = {"number": "float64", "uint": "Int64", "int": "Int64", "bool": "boolean", "maybe": "boolean"}


def _pandas():
    try:
        import pandas
    except ModuleNotFoundError as error:
        if error.name != "pandas":
            raise
    else:
        return pandas
    raise ImportError("frames need pandas: apt install python3-pandas, or pip install pandas")


def _type(pandas, member):
    if member["kind"] == "word":
        return pandas.CategoricalDtype(list(TABLES["words"][member["of"]]))
    return _TYPES.get(member["kind"], "string")


def _series(pandas, key, member, values):
    kind = _type(pandas, member)
    if kind == "string":
        cleaned = {value: clean(value) for value in set(values) - {None}}  # few, of millions of samples
        values = [cleaned.get(value) for value in values]
    elif kind == "Int64":
        most = max(filter(None, values), default=0)
        if most >= _INT_END:
            raise ResultError(f"{key} is {most}, and a frame holds whole numbers below 2^63")
    return pandas.Series(values, dtype=kind, name=key)


def frame(name, lists):
    """Of columns of a table: {name: values}, None for what is absent."""
    pandas = _pandas()
    return pandas.DataFrame({key: _series(pandas, key, member, lists[key])
                             for key, member in rows.COLUMNS[name].items()})


def columns(name):
    """The columns of cases(), samples() or layers(), or of an archive's archive.cases() and so on: unit,
    format version, meaning of each."""
    if name not in rows.COLUMNS:
        raise KeyError(f"there is no frame {name!r}; there is {', '.join(rows.COLUMNS)}")
    table = rows.COLUMNS[name]
    return _pandas().DataFrame({
        "column": list(table),
        "unit": [member["unit"] for member in table.values()],
        "since": [member["since"] for member in table.values()],
        "meaning": [member["sentence"] for member in table.values()],
    })


# ---- exports --------------------------------------------------------------------------------------


def _table_of(path):
    """The table of the export whose columns the first line names."""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            names = next(csv.reader(file), [])
    except (UnicodeDecodeError, csv.Error):
        names = []
    for export in _EXPORTS:
        members = TABLES["structs"][export]["members"]
        if names[:len(members)] == list(members):
            return members
    raise ResultError(f"{path}: has not the columns of evenhand export --as csv or --as samples")


def read_csv(path):
    """What `evenhand export --as csv` or `--as samples` wrote, with the columns that the program decides."""
    pandas = _pandas()
    members = _table_of(path)
    types = {key: _type(pandas, member) for key, member in members.items()}
    empty = {key: [""] for key, kind in types.items() if kind != "string"}
    try:
        return pandas.read_csv(path, dtype=types, keep_default_na=False, na_values=empty,
                               float_precision="round_trip", encoding="utf-8")
    except ValueError as error:
        sentence = f"{path}: {error}"
    raise ResultError(sentence)

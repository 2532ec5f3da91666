# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# A case over time, with its stacks: the history of docs/archive.md, from an archive.  Cells run in
# Jupyter, Spyder or VS Code; as a program:
#
#     python3 python/examples/history.py CASE [ARCHIVE] [-o CHART.svg]

# %%
import argparse

import evenhand

arguments = argparse.ArgumentParser(description="a case over time, with its stacks")
arguments.add_argument("case", nargs="?", default="triad.f32.64MiB", help="the id of a case, or a pattern")
arguments.add_argument("archive", nargs="?", help="as --db of evenhand archive")
arguments.add_argument("-o", metavar="FILE", dest="chart", help="draw a chart; needs matplotlib")
asked, _ = arguments.parse_known_args()
with evenhand.open_archive(asked.archive) as archive:
    points = archive.history(asked.case)

# %%
# Points one after the other that have one stack, numbered as `evenhand archive history` numbers them.
LINE = ["id", "executor", "device", "uuid", "protocol", "protocol_digest", "metric"]
PREFIXES = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1, ""), (1e-3, "m"), (1e-6, "u"), (1e-9, "n")]
UNITS = {"bytes/s": "B/s", "flop/s": "FLOP/s", "s": "s"}


def words(value, metric):
    if not value > 0:
        return "no value"
    scale, prefix = next((one for one in PREFIXES if value >= one[0]), (1, ""))
    return f"{value / scale:.2f} {prefix}{UNITS[metric]}"


lines = list(points.groupby(LINE, sort=False, observed=True))
for line, rows in lines:
    print(f"{line[0]} on {line[1]} ({line[2]}), {line[4]}")
    numbers = {}
    for _, span in rows.groupby((rows["stack"] != rows["stack"].shift(fill_value="")).cumsum()):
        number = numbers.setdefault(span["stack"].iloc[0], len(numbers) + 1)
        begin = span.started.iloc[0][:16].replace("T", " ")
        print(f"  {number:<2} {begin}, {len(span)} result{'s' * (len(span) > 1)}, {words(span.value.median(), line[6])}")

# %%
if asked.chart and lines:
    import matplotlib

    matplotlib.use("Agg")
    import pandas
    from matplotlib import pyplot, ticker

    figure, axes = pyplot.subplots(len(lines), squeeze=False, figsize=(7, 2.2 * len(lines)),
                                   layout="constrained")
    for axis, (line, rows) in zip(axes[:, 0], lines):
        for _, span in rows.groupby("stack", sort=False):
            axis.errorbar(pandas.to_datetime(span.started), span.value, fmt="o", markersize=3,
                          yerr=[span.value - span.low, span.high - span.value])
        axis.yaxis.set_major_formatter(ticker.EngFormatter(UNITS[line[6]]))
        axis.set_title(f"{line[0]} on {line[1]}", fontsize="medium", loc="left", parse_math=False)
    figure.savefig(asked.chart)

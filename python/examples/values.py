# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# The value of each case and half of its 95 % interval, a column for each executor: the table of
# docs/python.md.  Cells run in Jupyter, Spyder or VS Code; as a program:
#
#     python3 python/examples/values.py [RESULT...] [-o CHART.svg]

# %%
import argparse

import evenhand

arguments = argparse.ArgumentParser(description="values of results, with their intervals")
arguments.add_argument("results", nargs="*", default=["tests/golden"], help="files or folders")
arguments.add_argument("-o", metavar="FILE", dest="chart", help="draw a chart; needs matplotlib")
asked, _ = arguments.parse_known_args()
cases = evenhand.read(asked.results).cases()

# %%
# A case that has no value says why instead.
PREFIXES = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1, ""), (1e-3, "m"), (1e-6, "u"), (1e-9, "n")]


def words(row):
    if not row.value > 0:
        return row.status
    scale, prefix = next((one for one in PREFIXES if row.value >= one[0]), (1, ""))
    half = (row.high - row.low) / 2 / row.value
    return f"{row.value / scale:.2f} {prefix}{row.unit} ±{half * 100:.1f} %"


cells = cases.assign(words=cases.apply(words, axis=1))
table = cells.pivot_table("words", index="id", columns="executor", aggfunc="first", sort=False)
print(table.rename_axis(index=None, columns=None).to_string(na_rep="-"))

# %%
measured = [(name, rows) for name, rows in cases[cases.value > 0].groupby("id", sort=False)]
if asked.chart and measured:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot, ticker

    heights = [len(rows) + 2 for _, rows in measured]
    figure, axes = pyplot.subplots(len(measured), squeeze=False, figsize=(7, 0.27 * sum(heights)),
                                   height_ratios=heights, layout="constrained")
    for axis, (name, rows) in zip(axes[:, 0], measured):
        axis.errorbar(rows.value, range(len(rows)), fmt="o", capsize=3,
                      xerr=[rows.value - rows.low, rows.high - rows.value])
        axis.set(xlim=(0, None), ylim=(len(rows) - 0.5, -0.5), yticks=range(len(rows)))
        axis.set_yticklabels(rows.executor, parse_math=False)
        axis.locator_params(axis="x", nbins=6)
        axis.xaxis.set_major_formatter(ticker.EngFormatter(rows.unit.iloc[0]))
        axis.set_title(name, fontsize="medium", loc="left", parse_math=False)
    figure.savefig(asked.chart)

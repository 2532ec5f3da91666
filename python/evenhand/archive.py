# SPDX-License-Identifier: Apache-2.0
"""An archive and its frames, whose columns are what `evenhand archive ... --json` prints.  Tables are
read one at a time and joined here, so that a text is in memory once."""
import difflib
import fnmatch
import hashlib
import os
import re
import zlib

from . import frames, rows
from .database import Database
from .errors import ArchiveError
from .reading import record_of
from .results import Results
from .structure import Misfit, check
from .tables import TABLES

_DIGITS_LEAST = 6


def _members(name, without=()):
    return [key for key in TABLES["structs"][name]["members"] if key not in without]


# Which table has a column; the others are joined.
_SERIES = ("executor", "device", "uuid", "protocol", "protocol_digest")
_KIND = _members("archive_line", without=_SERIES)  # its name is the id of the case
_POINT = _members("archive_point", without=("digest", "stack"))
_RESULT = _members("archive_entry", without=(*_SERIES, "stack", "marks"))


class Archive:
    """What open_archive() returns.  Times are as of --since and --until: 2026-11, 2026-11-29T12; names
    of executors, devices and protocols are parts of them; a case is its id or a pattern of the shell."""

    def __init__(self, place):
        self._db = Database(place)

    def __repr__(self):
        return f"<evenhand.Archive: {self._db.shown}>"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._db.close()

    # ---- frames -----------------------------------------------------------------------------------

    def results(self, executor=None, device=None, protocol=None, since=None, until=None):
        """A row for each result, the newest first: `evenhand archive list`."""
        entries = self._entries(self._series(executor, device, protocol), _times(since, until))
        made = frames.frame("archive.results", rows.columns_of("archive.results", entries))
        return made.sort_values(["started", "executor"], ascending=[False, True], kind="stable", ignore_index=True)

    def cases(self, case=None, executor=None, device=None, protocol=None, since=None, until=None):
        """A row for each case of each result, the newest first: `evenhand archive query`."""
        lines = self._lines(case, self._series(executor, device, protocol))
        made = self._points("archive.cases", lines, _times(since, until), "DESC")
        return made.sort_values("started", ascending=False, kind="stable", ignore_index=True)

    def history(self, case=None, executor=None, device=None, protocol=None, since=None, until=None):
        """The same rows by case, executor, device and protocol, then by time, the oldest first: the points
        of `evenhand archive history`."""
        lines = self._lines(case, self._series(executor, device, protocol))
        return self._points("archive.history", lines, _times(since, until), "ASC")

    def marks(self):
        """A row for each result of each mark."""
        digests = dict(self._db.rows("SELECT id, digest FROM result"))
        named = [{"mark": name, "digest": digests[key]} for name, key in self._marked() if key in digests]
        return frames.frame("archive.marks", rows.columns_of("archive.marks", named))

    def annotations(self):
        """A row for each annotation, by the time that it is about."""
        names = _members("archive_note")
        notes = [self._checked("archive_note", zip(names, row)) for row in
                 self._db.rows(f"SELECT {', '.join(names)} FROM annotation ORDER BY at, id")]
        return frames.frame("archive.annotations", rows.columns_of("archive.annotations", notes))

    # ---- rows -------------------------------------------------------------------------------------

    def _checked(self, name, pairs):
        value = {key: one for key, one in pairs if one is not None}
        try:
            return check(value, name)
        except Misfit as misfit:
            sentence = f"{name.replace('archive_', '')}: {misfit}"
        raise self._db.refused(sentence)

    def _series(self, executor, device, protocol):
        """{id: executor, device, protocol} of those that have these parts in their names."""
        wanted = {"executor": executor or "", "device": device or "", "protocol": protocol or ""}
        found = {}
        for key, *values in self._db.rows(f"SELECT id, {', '.join(_SERIES)} FROM series ORDER BY id"):
            series = dict(zip(_SERIES, values))
            if all(part in str(series[name]) for name, part in wanted.items()):
                found[key] = series
        return found

    def _kinds(self, case):
        """{id: case} of those whose name is that, else of those that match it."""
        found = {key: dict(zip(_KIND, values)) for key, *values in
                 self._db.rows(f"SELECT id, name, {', '.join(_KIND[1:])} FROM kind")}
        if case is None:
            return found
        names = {str(kind["id"]) for kind in found.values()}
        chosen = {case} & names or set(fnmatch.filter(names, case))
        if not chosen:
            near = difflib.get_close_matches(case, names, 1)
            raise self._db.refused(f"there is no case {case}" + (f"; did you mean {near[0]}?" if near else ""))
        return {key: kind for key, kind in found.items() if kind["id"] in chosen}

    def _lines(self, case, series):
        """Ids of the table `history`, each with what its points share."""
        kinds = self._kinds(case)
        found = self._db.rows("SELECT id, kind_id, series_id FROM history ORDER BY id")
        lines = [(self._checked("archive_line", {**kinds[kind], **series[one]}.items()), key)
                 for key, kind, one in found if kind in kinds and one in series]
        return sorted(lines, key=lambda line: [line[0][key] for key in ("id", "executor", "device", "protocol")])

    def _points(self, name, lines, times, order):
        digests, stacks = (dict(self._db.rows(f"SELECT id, digest FROM {table}")) for table in ("result", "stack"))
        sql = (f"SELECT result_id, stack_id, {', '.join(_POINT)} FROM measurement WHERE history_id = ? AND "
               f"started >= ? AND started <= ? ORDER BY started {order}, result_id {order}")
        points = ({**line, **self._checked("archive_point", [("digest", digests[result]), ("stack", stacks[stack]),
                                                             *zip(_POINT, values)])}
                  for line, key in lines for result, stack, *values in self._db.rows(sql, key, *times)
                  if result in digests and stack in stacks)
        return frames.frame(name, rows.columns_of(name, points))

    def _marked(self):
        """Marks, each with the id of a result."""
        found = self._db.rows("SELECT name, result_id FROM mark ORDER BY name, result_id")
        if not all(isinstance(name, str) for name, _ in found):
            raise self._db.refused("a mark is not text")
        return found

    def _entries(self, series, times):
        stacks = dict(self._db.rows("SELECT id, digest FROM stack"))
        names = {}
        for name, key in self._marked():
            names.setdefault(key, []).append(name)
        marks = {key: " ".join(list_of) for key, list_of in names.items()}
        sql = (f"SELECT id, stack_id, {', '.join(_RESULT)} FROM result WHERE series_id = ? AND started >= ? AND "
               "started <= ? ORDER BY started DESC, id DESC")
        for one, shared in series.items():
            same = [(key, value) for key, value in shared.items() if key != "uuid"]
            for key, stack, *values in self._db.rows(sql, one, *times):
                if stack in stacks:
                    entry = self._checked("archive_entry", [*same, ("stack", stacks[stack]), ("marks", []),
                                                            *zip(_RESULT, values)])
                    yield {**entry, "marks": marks.get(key, "")}

    # ---- results ----------------------------------------------------------------------------------

    def read(self, word):
        """The results of a mark, or the one whose digest begins with these 6 digits or more, as read()
        gives those of files."""
        found = self._db.rows("SELECT id FROM result WHERE id IN (SELECT result_id FROM mark WHERE name = ?) "
                              "ORDER BY started, id", word)
        if not found and re.fullmatch(f"[0-9a-f]{{{_DIGITS_LEAST},}}", word):
            found = self._db.rows("SELECT id FROM result WHERE digest >= ? AND digest < ? ORDER BY digest LIMIT 2",
                                  word, word + "g")
            if len(found) > 1:
                raise self._db.refused(f"several results begin with {word}: name more digits")
        if not found:
            marks = ", ".join(dict.fromkeys(name for name, _ in self._marked()))
            raise self._db.refused(f"has neither a mark nor a result {word}; its marks: {marks or 'none'}")
        return Results(record_of(f"{word}/{name}", body) for name, body in map(self._file, found))

    def _file(self, key):
        """Name and bytes of a result, which are those that were added."""
        sql = "SELECT name, size, file_sha256, packed FROM result WHERE id = ?"
        name, size, digest, packed = self._db.rows(sql, *key)[0]
        body = _unpacked(packed, size)
        if body is None or hashlib.sha256(body).hexdigest() != digest or not isinstance(name, str):
            raise self._db.refused(f"the bytes of result {name} are not those that were added")
        return name, body


def _unpacked(packed, size):
    """Never more than the size; None where they do not have it."""
    if type(size) is not int or not 0 <= size <= TABLES["file_most"] or not isinstance(packed, (bytes, memoryview)):
        return None
    unpack = zlib.decompressobj()
    try:
        body = unpack.decompress(packed, size + 1)
    except zlib.error:
        return None
    return body if len(body) == size and unpack.eof else None


def _times(since, until):
    return since or "", (until or "") + "~"  # behind every time that begins so


def _place():
    """As of evenhand archive without --db."""
    told = os.environ.get("EVENHAND_ARCHIVE")
    if told:
        return told
    data, home = os.environ.get("XDG_DATA_HOME", ""), os.environ.get("HOME", "")
    if not data.startswith("/") and not home.startswith("/"):
        raise ArchiveError("there is no place for an archive: name one, or set EVENHAND_ARCHIVE or HOME")
    return os.path.join(data if data.startswith("/") else home + "/.local/share", "evenhand", "archive.db")


def open_archive(place=None):
    """An archive for reading: the path of a file or postgresql://..., else the one that evenhand archive
    takes.  ArchiveError for what is none; OSError where the file cannot be opened."""
    return Archive(os.fsdecode(place if place is not None else _place()))

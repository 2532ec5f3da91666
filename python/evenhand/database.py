# SPDX-License-Identifier: Apache-2.0
"""The database of an archive, for reading only: SQLite, or PostgreSQL by psycopg.  Its tables are in
core/archive/archive_schema.c."""
import importlib
import os
import pathlib
import re
import sqlite3
import stat

from .errors import ArchiveError
from .tables import TABLES

_NAMES = ("stack", "series", "kind", "history", "result", "measurement", "mark", "annotation")
_DRIVERS = ("psycopg", "psycopg2")
_DEFAULT_MOST = 60  # characters
_NO_ROOM = ("attempt to write a readonly database", "unable to open database file")


def _is_server(place):
    return re.match("postgres(ql)?://", place) is not None


def _shown(place):
    """Without user and password."""
    if not _is_server(place):
        return place
    open_place = re.sub("//[^/?]*@", "//", place, count=1)
    return re.sub("[?&][^=&]*password=[^&]*", "", open_place)


def _sqlite(place):
    if not stat.S_ISREG(os.stat(place).st_mode):
        raise ArchiveError(f"archive {place}: is not a file")
    uri = pathlib.Path(place).absolute().as_uri() + "?mode=ro"
    return sqlite3.connect(uri, uri=True, isolation_level=None), sqlite3.Error


def _postgres(place):
    for name in _DRIVERS:
        try:
            driver = importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name != name:
                raise
            continue
        try:
            connection = driver.connect(place)
        except driver.Error as error:
            sentence = str(error).strip().split("\n")[0].replace(place, _shown(place))
        else:
            connection.autocommit = True
            return connection, driver.Error
        raise ArchiveError(f"archive {_shown(place)}: {sentence}")
    raise ImportError("archives on PostgreSQL need psycopg: apt install python3-psycopg2, or pip install "
                      "'psycopg[binary]'")


class Database:
    """`place`: the path of a file, or postgresql://...  `shown` is the same for messages."""

    def __init__(self, place):
        self.shown, self._server = _shown(place), _is_server(place)
        self._connection, self._error = (_postgres if self._server else _sqlite)(place)
        try:
            self._check()
        except BaseException:
            self.close()
            raise

    def close(self):
        self._connection.close()

    def refused(self, sentence):
        return ArchiveError(f"archive {self.shown}: {sentence}")

    def rows(self, sql, *values):
        """Of one statement, whose parameters are `?`."""
        try:
            cursor = self._connection.cursor()
            cursor.execute(sql.replace("?", "%s") if self._server else sql, values)
            return cursor.fetchall() if cursor.description else []
        except (self._error, UnicodeError) as error:
            sentence = str(error).strip().split("\n")[0]
        if sentence.startswith(_NO_ROOM):
            sentence += ": SQLite needs files beside it; copy it into a folder that you can write to"
        raise self.refused(sentence)

    # ---- what is read at all ----------------------------------------------------------------------

    def _check(self):
        if self._server:
            self.rows("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY")
        else:
            self.rows("PRAGMA query_only = ON")
            self.rows("PRAGMA trusted_schema = OFF")
            self._check_table("meta")
        self._check_step(self.rows("SELECT value FROM meta WHERE name = 'steps'"))
        for name in () if self._server else _NAMES:
            self._check_table(name)

    def _check_table(self, name):
        """What is read of a table is in the file, so memory is bounded by its size: a view, a virtual
        table, a generated column, a long default could have any."""
        made = self.rows("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?", name)
        if not made:
            raise self.refused(f"is no archive of evenhand: it has no table {name}")
        columns = self.rows("SELECT hidden, dflt_value FROM pragma_table_xinfo(?)", name)
        if not str(made[0][0]).startswith("CREATE TABLE ") or any(
                hidden or len(str(default)) > _DEFAULT_MOST for hidden, default in columns):
            raise self.refused(f"table {name} is not one that evenhand makes")

    def _check_step(self, rows):
        known = TABLES["archive_step"]
        if not rows or type(rows[0][0]) is not int:
            raise self.refused("is no archive of evenhand: it does not tell its step")
        step = rows[0][0]
        if step > known:
            raise self.refused(f"was made by a newer evenhand (step {step}, this reader knows {known}): "
                               "install the reader of that one")
        if step < known:
            raise self.refused(f"was made by an older evenhand (step {step} of {known}): evenhand archive list "
                               "--db brings it up to date")

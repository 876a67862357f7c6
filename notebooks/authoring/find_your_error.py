"""Write `notebooks/find_your_error.md` from the records in `notebooks/authoring/errors/`.

    python -m notebooks.authoring.find_your_error

Each file is a group of the page, and each `[[error]]` table in it is a record:

    id        a name of its own, and its anchor in the page
    type      the exception or warning, with `message`; a record without a message needs a `symptom`
    message   the whole text that PyTorch prints
    symptom   what the reader sees or did; records that share a message differ in it
    also      other words that people search for, such as the wording of older versions
    cause     one to three sentences
    fix       at most three lines of `fixed`
    lesson    the name of a notebook, or "—"
    program   raises the message, or asserts the symptom
    fixed     the same program with the fix
"""

import re
import tomllib
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

NOTEBOOKS = Path(__file__).resolve().parents[1]
RECORDS = Path(__file__).with_name("errors")
PAGE = NOTEBOOKS / "find_your_error.md"
NO_LESSON = "—"
MOST_FIX_LINES = 3
LONGEST_HEADING = 100
REQUIRED = {"id", "also", "cause", "fix", "lesson", "program", "fixed"}
OPTIONAL = {"type", "message", "symptom"}
HEAD = """\
# Find your error

You have an error message, or your model trains badly without one. This page has {messages}
messages and {symptoms} symptoms. Each entry gives the cause, a fix, and the lesson that explains
the cause, or "—" if no lesson does.

**How to search.** Press Ctrl+F (⌘F on a Mac) and type a part of your message that has no shapes or
names in it, such as `modified by an inplace operation`. If you have no message, type a word of the
symptom, such as `nan` or `frozen`. A line that begins with *Also* has other words for the same
error, such as the wording of older versions.

PyTorch 2.13 prints these messages. The fixes come from short test programs, so replace names such
as `model`, `x` and `y` by yours. All programs are in `notebooks/authoring/errors`, with and without
the fix, and a test runs them.
"""

Record = dict[str, Any]
Group = dict[str, Any]


def read(folder: Path = RECORDS) -> list[Group]:
    """The groups in the order of the page. Raises ValueError if a file isn't valid TOML."""
    groups = []
    for path in sorted(folder.glob("*.toml")):
        try:
            groups.append(tomllib.loads(path.read_text(encoding="utf-8")))
        except tomllib.TOMLDecodeError as error:
            raise ValueError(f"{path.name}: {error}") from None
    return groups


def records(groups: Iterable[Group]) -> list[Record]:
    return [record for group in groups for record in group["error"]]


# ---- checks --------------------------------------------------------------------------------------


def problems(groups: list[Group]) -> list[str]:
    """Mistakes in the form of the records, one sentence each."""
    found, seen = [], set()
    for record in records(groups):
        name = record.get("id", "a record without an id")
        found += [f"{name}: {problem}" for problem in record_problems(record)]
        key = record.get("message"), record.get("symptom")
        for what in (name, key):
            if what in seen:
                found.append(f"{name}: another record has the same {what!r}")
        seen |= {name, key}
    return found


def record_problems(record: Record) -> Iterator[str]:
    fields = set(record)
    yield from (f"the field {field!r} is missing" for field in sorted(REQUIRED - fields))
    yield from (f"the field {field!r} is unknown" for field in sorted(fields - REQUIRED - OPTIONAL))
    if not fields & {"message", "symptom"}:
        yield "needs a message or a symptom"
    if ("message" in fields) != ("type" in fields):
        yield "needs both a message and its type, or neither"
    if not fields >= REQUIRED:
        return
    lesson = record["lesson"]
    if lesson != NO_LESSON and not (NOTEBOOKS / f"{lesson}.ipynb").is_file():
        yield f"there is no lesson {lesson!r}"
    if len(code_lines(record["fix"])) > MOST_FIX_LINES:
        yield f"the fix has more than {MOST_FIX_LINES} lines"
    fixed = code_lines(record["fixed"])
    for line in code_lines(record["fix"]):
        if line not in fixed:
            yield f"the fixed program doesn't contain this line of the fix: {line}"
    if "message" not in fields:
        for program in ("program", "fixed"):
            if "assert " not in record[program]:
                yield f"a symptom needs an assertion in {program!r}"


def code_lines(code: str) -> list[str]:
    """The lines of `code` without indentation, comments and empty lines."""
    stripped = (re.sub(r"(^|  )#.*", "", line.strip()).strip() for line in code.splitlines())
    return [line for line in stripped if line]


# ---- the page ------------------------------------------------------------------------------------


def page(groups: list[Group]) -> str:
    every = records(groups)
    messages = sum("message" in record for record in every)
    parts = [HEAD.format(messages=messages, symptoms=len(every) - messages), "## Contents\n"]
    parts.append("".join(map(contents_line, groups)))
    for group in groups:
        parts.append(f"## {group['title']}\n")
        for heading, same in groupby(group["error"], heading_of):
            parts += entry(heading, list(same))
    return "\n".join(parts)


def contents_line(group: Group) -> str:
    title, count = group["title"], len(group["error"])
    anchor = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
    return f"- [{title}](#{anchor}): {count} {'entry' if count == 1 else 'entries'}\n"


def heading_of(record: Record) -> str:
    """The symptom, or the beginning of the message."""
    if "message" not in record:
        return record["symptom"]
    message = flat(record["message"])
    if len(message) > LONGEST_HEADING:
        message = message[:LONGEST_HEADING].rpartition(" ")[0] + " …"
    return code_span(message)


def entry(heading: str, same: list[Record]) -> Iterator[str]:
    """The text for the records with this heading."""
    yield f"### {heading}\n"
    shown = None
    for record in same:
        yield f'<a id="{record["id"]}"></a>\n'
        if {"message", "symptom"} <= set(record):
            yield f"**{record['symptom']}**\n"
        if record.get("message") != shown:
            shown = record["message"]
            message = code_span(flat(shown))
            yield f"`{record['type']}`" + (f": {message}" if message != heading else "") + "\n"
        yield f"{record['cause']}\n"
        yield f"```python\n{record['fix'].strip()}\n```\n"
        yield f"Lesson: {lesson_link(record['lesson'])}\n"
        if record["also"]:
            yield f"*Also:* {', '.join(map(code_span, record['also']))}\n"


def flat(text: str) -> str:
    """The text on one line."""
    return " ".join(text.split())


def code_span(text: str) -> str:
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def lesson_link(lesson: str) -> str:
    if lesson == NO_LESSON:
        return NO_LESSON
    return f"[{lesson.replace('_', ' ')}]({lesson}.ipynb)"


if __name__ == "__main__":
    groups = read()
    if found := problems(groups):
        raise SystemExit("\n".join(found))
    PAGE.write_text(page(groups), encoding="utf-8")

"""What answers say about the student: keys such as `name`, `id` and `email`, which are no steps."""

from __future__ import annotations

from attncalc.core.spellings import fold

WORDS = {
    "student": "student name fullname studentname myname yourname author",
    "id": "id studentid studentnumber studentno matriculation matriculationnumber matrikelnummer netid "
    "userid username sid uid",
    "email": "email mail emailaddress",
    "group": "group team section class course tutorial date term semester firstname lastname surname",
}
"""What a key says of the student, and its spellings in lower case without punctuation."""
REMARKS = (
    "comment", "comments", "note", "notes", "remark", "remarks", "feedback", "explanation", "reasoning",
    "question", "questions", "source", "sources", "collaborator", "collaborators", "collaboration", "partner",
    "partners", "workedwith", "timespent", "hours", "honorcode",
)  # fmt: skip
"""Keys of words to the reader, in lower case without punctuation."""
MEANING = {word: meaning for meaning, words in WORDS.items() for word in words.split()}
BY_RANK = ("student", "id", "email")
"""What names a student, the surest first."""


def about_student(key: str) -> str:
    """What a key says of the student; empty if it is about something else.

    >>> about_student("Student ID"), about_student("Name"), about_student("A")
    ('id', 'student', '')
    """
    return MEANING.get(fold(key[:60]).strip(":#"), "")


def is_to_reader(key: str) -> bool:
    """Whether a key has words to the reader below it, and no answer.

    >>> is_to_reader("Comment:"), is_to_reader("Time spent"), is_to_reader("A")
    (True, True, False)
    """
    return fold(key[:60]).strip(":#") in REMARKS


def is_about_student(key: str) -> bool:
    """Whether a key says something of the student."""
    return bool(about_student(key.strip(" *_`")))

"""A position among the tokens of a text: the next token, and errors if it does not fit."""

from __future__ import annotations

from attncalc.exercise.numbers.tokens import DEEPEST_BRACKETS, SAME, ExpressionError, Token, tokens


class Cursor:
    """Goes through the tokens of one text."""

    signs: tuple[str, ...] = ()
    """Further signs besides those of the grammar."""
    deepest = DEEPEST_BRACKETS

    def __init__(self, text: str) -> None:
        self.text = text.translate(SAME)
        self.tokens = tokens(self.text, self.signs)
        self.position = 0
        self.depth = 0

    @property
    def next(self) -> Token:
        """The next token, which is not consumed."""
        return self.tokens[self.position]

    def take(self, *signs: str) -> Token | None:
        """Consume the next token if it is one of these signs, and return it."""
        token = self.next
        if token.kind == "sign" and token.text in signs:
            self.position += 1
            return token
        return None

    def expect(self, sign: str, opened: Token) -> None:
        """Consume the closing sign of a bracket, or raise an error at the opening one."""
        if not self.take(sign):
            raise ExpressionError(f"the '{opened.text}' is not closed", opened.offset)

    def deeper(self) -> None:
        """Enter a nested level; raise an error if there are too many."""
        self.depth += 1
        if self.depth > self.deepest:
            raise self.refuse(f"is nested more than {self.deepest} levels deep")

    def refuse(self, message: str, token: Token | None = None) -> ExpressionError:
        """Return an error at a token, by default the next one."""
        return ExpressionError(message, (token or self.next).offset)

# SPDX-License-Identifier: Apache-2.0
"""Places of a C++ source that a mutant can change, and the source with all of its mutants.

The formatter writes a space on both sides of every binary operator and never of a template's bracket, a pointer's star
or a reference, so that tokens and the spaces between them tell operators from types.
"""

import re
from dataclasses import dataclass, field

BINARY = {
    "<": ("Less", "<=", ">="), "<=": ("LessOrEqual", "<", ">"), ">": ("Greater", ">=", "<="),
    ">=": ("GreaterOrEqual", ">", "<"), "==": ("Equal", "!=", ">="), "!=": ("NotEqual", "==", "<"),
    "+": ("Add", "-", "*"), "-": ("Subtract", "+", "*"), "*": ("Multiply", "+", "/"), "/": ("Divide", "*", "-"),
    "%": ("Remainder", "/", "*"), "<<": ("ShiftLeft", ">>", "+"), ">>": ("ShiftRight", "<<", "-"),
    "&": ("And", "|", "^"), "|": ("Or", "&", "^"), "^": ("ExclusiveOr", "|", "&"),
}
ASSIGN = {
    "+=": ("AddTo", "-="), "-=": ("SubtractFrom", "+="), "*=": ("MultiplyBy", "/="), "/=": ("DivideBy", "*="),
    "%=": ("RemainderOf", "/="), "<<=": ("ShiftLeftBy", ">>="), ">>=": ("ShiftRightBy", "<<="),
    "&=": ("AndWith", "|="), "|=": ("OrWith", "&="), "^=": ("ExclusiveOrWith", "|="),
}
RELATIONS = {"<", "<=", ">", ">=", "==", "!="}

TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/)
      |(?P<hash>\#(?:\\\n|[^\n])*)
      |(?P<string>(?:u8|[uUL])?R"(?P<raw>[^(\s]*)\(.*?\)(?P=raw)"|(?:u8|[uUL])?"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
      |(?P<number>\.?\d(?:[eEpP][+-]|'?[\w.])*)
      |(?P<name>[A-Za-z_]\w*)
      |(?P<sign><=>|<<=|>>=|->\*|\.\.\.|::|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|.)""",
    re.X | re.S)


@dataclass
class Token:
    kind: str
    text: str
    start: int
    end: int
    spaced: bool = False  # white space on both sides
    constant: bool = False  # in a constexpr function
    skip: bool = False  # in what the compiler alone evaluates
    block: bool = False  # in the body of a function
    variable: int = -1  # in a constexpr variable: its number
    depth: int = 0
    value: bool = False  # the brace that ends a value


@dataclass
class Mutant:
    number: int
    file: str
    line: int
    operator: str  # relation, arithmetic, constant, condition, statement
    change: str
    text: str

    def name(self):
        return f"{self.file} | {self.change} | {self.text}"


@dataclass
class Site:
    operator: str
    changes: list
    line: int
    text: str
    pieces: list  # (place in the source, what is replaced, template of the replacement)
    constant: bool
    variable: int
    member: bool
    number: int = 0
    drawn: bool = False
    dropped: bool = False


@dataclass
class Source:
    path: str
    text: str
    sites: list = field(default_factory=list)
    variables: dict = field(default_factory=dict)  # number -> (line, start, end, replacement)
    constant_variables: set = field(default_factory=set)  # those that have to stay constexpr


def tokens_of(text):
    tokens = []
    for match in TOKEN.finditer(text):
        kind = match.lastgroup if match.lastgroup != "raw" else "string"
        if kind in ("space", "hash"):
            continue
        start, end = match.span()
        spaced = text[start - 1:start].isspace() and text[end:end + 1].isspace()
        tokens.append(Token(kind, match.group(), start, end, spaced))
    return tokens


def closing(tokens, opening):
    """The index of the bracket that closes the one at `opening`."""
    pairs = {"(": ")", "[": "]", "{": "}"}
    depth = 0
    for index in range(opening, len(tokens)):
        if tokens[index].text in pairs:
            depth += 1
        elif tokens[index].text in pairs.values():
            depth -= 1
            if depth == 0:
                return index
    return len(tokens) - 1


def brace_kind(tokens, index, head, inside):
    """Of the brace at `index`: block, class or values."""
    before = tokens[index - 1].text if index else ";"
    words = {token.text for token in head}
    if before in (")", "const", "noexcept", "override", "mutable", "else", "do", "try", "final") and "enum" not in words:
        return "class" if before == "final" else "block"
    if before in (";", "{", "}", ":"):
        return inside if inside != "class" else "block"
    if words & {"namespace", "class", "struct", "enum", "union"} and "(" not in words and "=" not in words:
        return "enum" if "enum" in words else "class"
    if before == "]" or ("->" in words and ")" in words and before not in ("=", ",", "(", "return")):
        return "block"
    return "values"


def place(source, tokens):
    """Says of every token where it stands."""
    stack = [("class", False, -1)]  # kind, constexpr, variable
    head = []
    variable = -1
    round_depth = 0
    rounds = []
    for index, token in enumerate(tokens):
        kind, constant, owner = stack[-1]
        token.block = kind == "block"
        token.constant = constant
        token.variable = variable if variable >= 0 else owner
        token.skip = kind == "enum"
        token.depth = round_depth
        text = token.text
        if text in "([":
            round_depth += 1
        elif text in ")]":
            round_depth -= 1
        if text == "constexpr" and (index == 0 or tokens[index - 1].text != "if") and round_depth == 0:
            # A variable: what follows comes to `=`, `{` or `;` before any `(`.
            for after in tokens[index + 1:]:
                if after.text in ("=", ";", "{", "("):
                    if after.text in ("=", "{"):
                        variable = len(source.variables)
                        line = source.text.count("\n", 0, token.start) + 1
                        words = {each.text for each in head}
                        replacement = "inline const" if "static" in words and kind == "class" else "const"
                        if tokens[index + 1].text == "const" and tokens[index + 2].text != "*":
                            replacement = ""
                            name_at = next(i for i in range(index, len(tokens)) if tokens[i].text in ("=", "{"))
                            if tokens[name_at - 2].text == "*":
                                replacement = ""
                        source.variables[variable] = (line, token.start, token.end, replacement)
                        token.variable = variable
                    break
        if text == "{":
            new = brace_kind(tokens, index, head, kind)
            if new == "block" and kind != "block":
                in_constexpr = any(t.text in ("constexpr", "consteval") for t in head) or variable >= 0
            else:
                in_constexpr = constant
            if new == "block" and kind == "block":
                in_constexpr = constant
            if new != "block":
                in_constexpr = constant
            stack.append((new, in_constexpr, -1 if new == "block" else (variable if variable >= 0 else owner)))
            rounds.append((round_depth, variable))
            round_depth = 0
            if new == "block":
                variable = -1
            head = []
            continue
        if text == "}":
            if len(stack) > 1:
                token.value = stack.pop()[0] == "values"
                round_depth, variable = rounds.pop()
            if stack[-1][0] != "values":
                head = []
            continue
        if text == ";" and round_depth == 0:
            head = []
            variable = -1
            continue
        head.append(token)
    # What only the compiler evaluates.
    for index, token in enumerate(tokens):
        if token.text in ("static_assert", "alignas", "decltype", "sizeof", "noexcept", "requires"):
            if index + 1 < len(tokens) and tokens[index + 1].text == "(":
                for inside in tokens[index:closing(tokens, index + 1) + 1]:
                    inside.skip = True
        if token.text == "if" and tokens[index + 1].text == "constexpr":
            for inside in tokens[index:closing(tokens, index + 2) + 1]:
                inside.skip = True
        if token.text == "case":
            for inside in tokens[index:]:
                if inside.text == ":":
                    break
                inside.skip = True
        if token.text == "[" and tokens[index + 1].text == "[":
            for inside in tokens[index:closing(tokens, index) + 1]:
                inside.skip = True


def parts(tokens, first, last):
    """Tokens first..last, split at the semicolons between them."""
    result = [[]]
    depth = 0
    for index in range(first, last + 1):
        text = tokens[index].text
        depth += (text in "([{") - (text in ")]}")
        if text == ";" and depth == 0:
            result.append([])
        else:
            result[-1].append(tokens[index])
    return result


def statement_end(tokens, index):
    depth = 0
    for at in range(index, len(tokens)):
        text = tokens[at].text
        if text in "([{":
            depth += 1
        elif text in ")]}":
            depth -= 1
            if depth < 0:
                return -1
        elif text == ";" and depth == 0:
            return at
    return -1


def is_expression(tokens, index, end):
    """An assignment, a call or a step; not a declaration."""
    at = index
    if tokens[at].text in ("++", "--", "co_await", "throw"):
        return True
    while at < end and tokens[at].text in ("*", "("):
        at = closing(tokens, at) + 1 if tokens[at].text == "(" else at + 1
        if at > index and tokens[at - 1].text == ")":
            break
    after_operand = at > index and tokens[at - 1].text == ")"
    called = after_operand
    while at < end:
        token = tokens[at]
        if token.text in (".", "->", "::"):
            after_operand = False
        elif token.kind == "name":
            if after_operand:
                return False
            after_operand = True
            called = False
        elif token.text in "([":
            called = token.text == "("
            at = closing(tokens, at)
            after_operand = True
        elif token.text == "=" or token.text in ASSIGN or token.text in ("++", "--", "<<"):
            return after_operand
        else:
            return False
        at += 1
    return called


def sites_of(path, text):
    source = Source(path, text)
    tokens = tokens_of(text)
    place(source, tokens)
    lines = text.split("\n")

    def add(operator, changes, token, pieces, first=None):
        line = text.count("\n", 0, token.start) + 1
        source.sites.append(Site(operator, changes, line, lines[line - 1].strip(), pieces, token.constant,
                                 token.variable, not token.block))

    starts = {";", "{", "}", "else", "do"}
    substatement = set()
    for index, token in enumerate(tokens):
        before = tokens[index - 1] if index else None
        after = tokens[index + 1] if index + 1 < len(tokens) else None
        if token.skip or after is None or before is None:
            continue
        if token.text in BINARY and token.spaced and before.text not in ("operator", "(", ",", "=", "return", "[&]"):
            name, *changes = BINARY[token.text]
            kind = "relation" if token.text in RELATIONS else "arithmetic"
            add(kind, [f"{token.text} becomes {c}" for c in changes], token,
                [(token.end, token.end, f" mutation::Mark<mutation::{name}<@, #>>{{}} {token.text}")])
        elif token.text in ASSIGN and token.spaced and before.text != "operator":
            name, change = ASSIGN[token.text]
            add("arithmetic", [f"{token.text} becomes {change}"], token,
                [(token.end, token.end, f" mutation::Mark<mutation::{name}<@, #>>{{}} {token.text}")])
        elif token.kind == "number":
            pure = before.text == "=" and after.text == ";" and tokens[index - 2].text in (")", "const", "noexcept", "override")
            in_brackets = (before.text == "<" and not before.spaced) or (after.text == ">" and not after.spaced)
            if not pure and not in_brackets and after.text != ">>":
                add("constant", [f"{token.text} becomes {token.text} + 1", f"{token.text} becomes {token.text} - 1"], token,
                    [(token.start, token.start, "mutation::number<@, #>("), (token.end, token.end, ")")])
        elif token.text in ("if", "while", "for") and token.block and after.text == "(":
            close = closing(tokens, index + 1)
            substatement.add(close)
            pieces = parts(tokens, index + 2, close - 1)
            condition = pieces[-1] if token.text != "for" else (pieces[1] if len(pieces) == 3 else [])
            if condition and not any(each.text == "=" and each.depth == token.depth + 1 for each in condition):
                add("condition", [f"condition of {token.text} negated"], token,
                    [(condition[0].start, condition[0].start, "mutation::condition<@, #>(("),
                     (condition[-1].end, condition[-1].end, ") ? true : false)")])
        if not token.block or token.depth != 0 or not (before.text in starts or index - 1 in substatement or before.text == ":") or before.value:
            continue
        if before.text == ":" and not any(t.text in ("case", "default") for t in tokens[max(0, index - 8):index]):
            continue
        end = statement_end(tokens, index)
        if end < 0:
            continue
        leaves = token.text in ("break", "continue") or (token.text in ("return", "co_return") and index - 1 in substatement)
        if leaves or (token.kind in ("name", "sign") and is_expression(tokens, index, end)
                      and token.text not in ("return", "co_return", "using", "delete", "case", "default", "if",
                                         "while", "for", "do", "switch", "else", "try", "catch")):
            add("statement", ["statement deleted"], token,
                [(token.start, token.start, "{ if (mutation::stays<@, #>()) "), (tokens[end].end, tokens[end].end, " }")])
    return source


def mutated(source):
    """The text of the source with all of its mutants; its lines stay where they were."""
    edits = []
    for site in source.sites:
        if site.dropped or not site.drawn:
            continue
        constant = "true" if site.constant else "false"
        for order, (start, end, template) in enumerate(site.pieces):
            # Where two edits meet: what is wider opens before the other and closes after it.
            width = {"statement": 2, "condition": 1}.get(site.operator, 0)
            rank = 2 - width if order == 0 else width
            edits.append((start, rank, end, template.replace("@", str(site.number)).replace("#", constant)))
    changed = {site.variable for site in source.sites if site.drawn}
    for number, (_, start, end, replacement) in source.variables.items():
        if number in changed and number not in source.constant_variables:
            edits.append((start, 0, end, replacement))
    result = []
    at = 0
    for start, _, end, replacement in sorted(edits, key=lambda edit: (edit[0], edit[1])):
        result.append(source.text[at:start])
        result.append(replacement)
        at = end
    result.append(source.text[at:])
    return "".join(result)

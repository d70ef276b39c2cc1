"""Tables as text: columns that are as wide as what is in them."""


def number(value, digits=1):
    """A figure for a cell; nothing measured is `-`."""
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return f"{value}"
    return f"{value:.{digits}f}"


def times(value):
    """A speed-up."""
    return "-" if value is None else f"{value:.1f}x"


def three(values, digits=1):
    """Least / average / most, as the papers print it."""
    return " / ".join(number(v, digits) for v in values) if values else "-"


def columns(head, rows):
    """A table: the first column to the left, the others to the right."""
    cells = [list(map(str, row)) for row in [head, *rows]]
    width = [max(len(row[i]) for row in cells) for i in range(len(head))]
    lines = []
    for row in cells:
        line = row[0].ljust(width[0]) + "".join("  " + cell.rjust(w) for cell, w in zip(row[1:], width[1:]))
        lines.append(line.rstrip())
    return "\n".join(lines) + "\n"


def mean(values):
    """The average of what is there; nothing of nothing."""
    there = [value for value in values if value is not None]
    return sum(there) / len(there) if there else None


def median(values):
    """The median of what is there; nothing of nothing."""
    there = sorted(value for value in values if value is not None)
    if not there:
        return None
    return (there[(len(there) - 1) // 2] + there[len(there) // 2]) / 2


def failed(rows):
    """What could not be measured, a line each, for the end of a table."""
    lines = [f"{row['name']}: {row['failed']}" for row in rows if row.get("failed")]
    return "\nnot measured:\n" + "\n".join(f"  {line}" for line in lines) + "\n" if lines else ""

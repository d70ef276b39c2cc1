"""What the papers print: papers.toml."""

import pathlib
import tomllib

DATA = tomllib.loads((pathlib.Path(__file__).parent / "papers.toml").read_text())


def rows(part, key="rows"):
    """The rows of a paper's table: {name: [figures]}, where `-` is nothing. Further words stay words."""
    table = {}
    for line in DATA[part][key].split("\n"):
        if line.strip():
            name, *cells = line.split()
            table[name] = [cell_of(cell) for cell in cells]
    return table


def cell_of(cell):
    if cell == "-":
        return None
    try:
        return float(cell)
    except ValueError:
        return cell


def modes():
    """S2PF's table: {(program, mode): [satisfiable, unsatisfiable, all, seconds, saved]}."""
    table = {}
    for line in DATA["s2pf"]["rows"].split("\n"):
        if line.strip():
            program, mode, *cells = line.split()
            table[program, mode] = [float(cell) for cell in cells]
    return table

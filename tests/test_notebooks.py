"""Every notebook runs, and shows something below each cell that ends in a value."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import matplotlib as mpl
import nbformat
import pytest

FOLDER = Path(__file__).resolve().parent.parent / "examples" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
QUICK = "35"  # first characters of those that take a second; all run in Jupyter in the long tests


def cells(path: Path) -> list[str]:
    """The code cells; notebooks are kept without what they show."""
    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(not cell.outputs and cell.execution_count is None for cell in code)
    return [cell.source for cell in code]


def value_of(source: str, names: dict[str, Any]) -> Any:
    """Run a cell; the value of its last line, if that is an expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names) if isinstance(last, ast.Expr) else None


def test_there_are_notebooks_of_the_main_jobs() -> None:
    assert len(NOTEBOOKS) == 5


@pytest.mark.parametrize("path", [path for path in NOTEBOOKS if path.stem[0] in QUICK], ids=lambda path: path.stem)
def test_the_cells_of_a_quick_notebook_run(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mpl.use("Agg")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}
    for source in cells(path):
        value = value_of(source, names)
        html = getattr(value, "_repr_html_", None)
        assert html is None or len(html()) > 20


@pytest.mark.long
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_in_jupyter(path: Path, tmp_path: Path) -> None:
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [cell for cell in notebook.cells if cell.cell_type == "code" and cell.outputs]
    assert len(shown) >= 4

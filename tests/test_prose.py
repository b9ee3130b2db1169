"""The check of the documents' language finds offences, and passes now."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
from check_prose import MAX_WORDS, main, offences  # noqa: E402
from count_words import count_words  # noqa: E402
from count_words import main as count_main  # noqa: E402


def test_no_page_has_more_offences_than_its_baseline():
    assert main([]) == 0


@pytest.mark.parametrize("words", ["the limit is told by the loop", "whoever reads it", "the run goes on"])
def test_words_to_avoid_are_found_with_their_line(words):
    assert [line for line, _ in offences(f"# Title\n\nA sentence.\n\nThen {words}.\n")] == [5]


def test_a_long_sentence_is_found_and_code_and_tables_are_not():
    long = " ".join(["word"] * (MAX_WORDS + 1))
    assert len(offences(f"{long}.\n")) == 1
    assert offences(f"```python\n{long}\n```\n") == []
    assert offences("| " + " | ".join(["few words"] * MAX_WORDS) + " |\n") == []


def test_the_documents_stay_within_their_limit_of_words(capsys):
    assert count_main([]) == 0
    assert "words in" in capsys.readouterr().out


def test_words_of_code_equations_and_addresses_do_not_count():
    text = "Two [words](a/b.md).\n\n```python\nx = 1\n```\n\n    y = 2\n\n$$\nf = k u\n$$\n\n| 1 | `a b` | - |\n"
    assert count_words(text) == 5

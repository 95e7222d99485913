"""The demo fails on a wrong answer."""

import pytest

from tools.demo.judge import judge, needs_coat


@pytest.mark.parametrize(
    "answer, meant",
    [
        ("Yes, take a coat: it is 9 degrees.", True),
        ("You need a coat and an umbrella in Rochdale.", True),
        ("You do not need a coat in Leeds.", False),
        ("No coat needed.", False),
        ("You don't need a coat. It is sunny.", False),
        ("It is not raining. Take a coat.", True),
        ("It is sunny in Leeds.", None),
    ],
)
def test_an_answer_is_read_for_what_it_says_about_a_coat(answer, meant):
    assert needs_coat(answer) is meant


def turn(question, answer, town="Rochdale"):
    return f'antos> {question}\n[get_weather {{"city": "{town}"}}]\n[-> ...]\n{answer}\n'


def test_right_answers_pass():
    right = turn("ai do I need a coat in Rochdale?", "Yes, take a coat.")
    assert judge(right + turn("ai and in Leeds?", "No coat needed.", "Leeds")) == ""


@pytest.mark.parametrize(
    "transcript, wrong",
    [
        (turn("ai do I need a coat in Rochdale?", "No coat needed."), "contradicts"),
        (turn("ai do I need a coat in Rochdale?", "It rains."), "says nothing"),
        (turn("ai do I need a coat in Rochdale?", "Take a coat.", "Leeds"), "not called"),
        (
            turn("ai do I need a coat in Rochdale?", "Take a coat.")
            + turn("ai and in Leeds?", "Take a coat.", "Leeds"),
            "contradicts",
        ),
        (turn("ai coat in Rochdale?", "[-> failed: x]\nTake a coat."), "failed"),
        ("antos> help\n", "no question"),
    ],
)
def test_a_wrong_answer_or_a_missing_call_fails(transcript, wrong):
    assert wrong in judge(transcript)

"""A whole problem file: every key may stand beside every other."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.fuzzing import settings, words
from tests.fuzzing.draft import Draft
from tests.fuzzing.losses import tell_targets, tell_unembedding
from tests.fuzzing.sources import give, logits_given, output_given, scores_given

COMPUTED: list[tuple[Callable[[Draft], None], float]] = [
    (settings.tell_scale, 1.0), (settings.tell_softcap, 0.15), (settings.tell_mask, 1.0),
    (settings.tell_normalize, 0.2), (settings.tell_position, 0.3), (settings.tell_feature_map, 0.15),
    (settings.tell_decay, 0.5), (settings.tell_sink, 0.15),
]  # fmt: skip
"""Keys that fit any problem with scores, and how often each is drawn."""
SAID: list[tuple[Callable[[Draft], None], float]] = [
    (words.tell_words, 1.0), (words.tell_labels, 1.0), (words.tell_names, 0.15), (words.tell_parts, 0.25),
    (words.tell_marks, 0.15), (words.tell_answers, 0.2), (words.tell_rounding, 0.2), (words.tell_mode, 0.2),
    (words.tell_inputs, 0.1), (words.tell_sample, 0.15), (words.tell_limit, 0.7),
    (words.tell_design, 0.05), (words.tell_backward, 0.15), (words.tell_moments, 0.02),
]  # fmt: skip


def write_problem(random: Random) -> str:
    """A random problem file, most often one that can be solved."""
    draft = Draft(random)
    if draft.happens(0.01):
        words.tell_words(draft)
        draft.keys["parts"] = f"[{{part: a, explain: {draft.choose(words.TOPICS)}}}]"
        return draft.to_text()
    source = give(draft)
    if source is logits_given:
        tell_targets(draft)
    elif source is not output_given:
        tell_computation(draft, with_score=source is not scores_given)
    if draft.output_width and (source is output_given or draft.happens(0.2)):
        settings.tell_block(draft)
    if draft.output_width and draft.happens(0.15):
        tell_unembedding(draft)
    for tell, chance in SAID:
        if draft.happens(chance):
            tell(draft)
    return draft.to_text()


def tell_computation(draft: Draft, with_score: bool) -> None:
    """How weights come about, and the output."""
    if with_score and draft.happens(0.2):
        settings.tell_score(draft)
    for tell, chance in COMPUTED:
        if draft.happens(chance):
            tell(draft)
    if draft.happens(0.25) and "S" not in draft.keys:
        settings.tell_pre_norm(draft)
    if draft.output_width:
        settings.tell_output(draft)

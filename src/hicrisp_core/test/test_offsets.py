"""The action decoder's learnt bias."""

import math
import random

import pytest
from hicrisp_core.model.offsets import DecoderOffsets, OffsetEstimate, OffsetSettings

SETTINGS = OffsetSettings()


@pytest.mark.parametrize("bias", [0.03, 0.04, 0.06, 0.09])
def test_after_one_measurement_a_fixed_bias_is_corrected_to_below_the_prior_noise(bias):
    offsets = DecoderOffsets().updated("k", (bias, 0.0))
    assert abs(bias - offsets.bias("k")[0]) < SETTINGS.prior_sigma
    assert offsets.bias("k")[0] <= bias


def test_a_bias_that_repeats_is_learnt_to_a_millimetre():
    offsets = DecoderOffsets()
    for _ in range(8):
        offsets = offsets.updated("k", (0.05, -0.02))
    assert offsets.bias("k") == pytest.approx((0.05, -0.02), abs=1e-3)


@pytest.mark.parametrize("seed", range(5))
def test_zero_mean_noise_does_not_run_away(seed):
    rng = random.Random(seed)
    offsets = DecoderOffsets()
    applied = []
    for _ in range(300):
        offsets = offsets.updated("k", (rng.gauss(0, 0.03), rng.gauss(0, 0.03)))
        applied.append(math.hypot(*offsets.bias("k")))
    assert max(applied[20:]) < 0.03
    assert sorted(applied[20:])[140] < 0.01


def test_a_drifted_bias_is_followed():
    offsets = DecoderOffsets()
    for bias in [0.04] * 30 + [-0.04] * 30:
        offsets = offsets.updated("k", (bias, 0.0))
    assert offsets.bias("k")[0] < -0.025


@pytest.mark.parametrize("measured", [(math.nan, 0.0), (math.inf, 0.0), (0.5, 0.0), (0.1, -0.1)])
def test_what_cannot_be_a_placement_error_is_left_out(measured):
    offsets = DecoderOffsets().updated("k", measured)
    assert offsets.bias("k") == (0.0, 0.0)


def test_the_correction_is_clamped():
    offsets = DecoderOffsets(settings=OffsetSettings(limit=0.05)).from_lists({"k": (5.0, 0.09, 0.0, 0.0)})
    assert offsets.bias("k")[0] == pytest.approx(0.05)


def test_the_uncertainty_falls_with_agreeing_measurements():
    one = OffsetEstimate().updated((0.04, 0.0), SETTINGS)
    five = one
    for _ in range(4):
        five = five.updated((0.04, 0.0), SETTINGS)
    assert five.sigma(SETTINGS) < one.sigma(SETTINGS) / 2


def test_offsets_survive_the_way_through_plain_numbers():
    offsets = DecoderOffsets().updated("a", (0.03, 0.01)).updated("b", (0.0, 0.02)).updated("a", (0.05, 0.0))
    assert DecoderOffsets().from_lists(offsets.as_lists()) == offsets


def test_settings_out_of_range_are_refused():
    with pytest.raises(ValueError, match="prior_sigma"):
        OffsetSettings(prior_sigma=0.0)


@pytest.mark.parametrize(("measured", "agreed"), [
    ([0.057], False), ([0.057, 0.0], False), ([0.01] * 3, False), ([0.057, 0.055], True), ([0.057, 0.0, 0.0], False)])
def test_a_bias_is_claimed_when_several_samples_agree(measured, agreed):
    offsets = DecoderOffsets()
    for value in measured:
        offsets = offsets.updated("k", (value, 0.0), 0.001)
    assert ("k" in offsets.agreed().estimates) == agreed

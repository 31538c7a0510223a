"""Flags of runs of a few steps on a few clips, without plots and export, which take half of the time."""

TINY = (
    "--train_clips=12",
    "--validation_clips=4",
    "--test_clips=6",
    "--labeled_clips=3",
    "--epochs=2",
    "--num_views=2",
    "--noartifacts",
)

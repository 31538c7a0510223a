"""Where raw files of the paper's data sets come from, which nobody may pass on or a build cannot download."""

_FROM = {
    "scamps": "600 GB by hand from https://github.com/danmcduff/scampsdataset",
    "ubfc": "75 GB by hand from https://sites.google.com/view/ybenezeth/ubfcrppg",
    "pure": "on request by e-mail from an institutional address",
    "countix": "`curl -O https://s3.amazonaws.com/kinetics/700_2020/annotations/countix.tar.gz`, and its videos by "
    "https://github.com/cvdfoundation/kinetics-dataset",
    "lst": "6 GB by `aws s3 sync --no-sign-request s3://noaa-goes16/ABI-L2-LSTC/2022 raw/lst/ABI-L2-LSTC/2022 "
    "--exclude '*' --include '09[7-9]/*' --include '1[0-8]?/*' --include '19[0-6]/*'`",
}


def how(name: str) -> str:
    """Returns in print how the raw files of a data set of the paper are got into `raw`, and what checks them."""
    return f"{_FROM[name]}; then `python -m trainers.doctor --dataset={name} --manual_dir=raw/{name}` checks them"

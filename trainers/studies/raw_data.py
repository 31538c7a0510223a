"""Where raw files of the paper's data sets come from, which nobody may pass on or a build cannot download."""

_FROM = {
    "scamps": "600 GB by hand from https://github.com/danmcduff/scampsdataset",
    "ubfc": "75 GB by hand from https://sites.google.com/view/ybenezeth/ubfcrppg",
    "pure": "on request by e-mail, see datasets/pure/README.md",
    "countix": "`curl -O https://s3.amazonaws.com/kinetics/700_2020/annotations/countix.tar.gz`, and its videos by "
    "https://github.com/cvdfoundation/kinetics-dataset",
    "lst": "6 GB by `aws s3 sync --no-sign-request s3://noaa-goes16/ABI-L2-LSTC/2022 raw/lst/ABI-L2-LSTC/2022 "
    "--exclude '*' --include '09[7-9]/*' --include '1[0-8]?/*' --include '19[0-6]/*'`",
}


def lacking(name: str) -> str:
    """Returns in print what has to be got of a data set of the paper, how, and what checks it, for `raw` as folder."""
    return (
        f"raw files in --manual_dir/{name}: {_FROM[name]}; datasets/{name}/README.md says how they must lie, and "
        f"`python -m trainers.doctor --dataset={name} --manual_dir=raw/{name}` whether they do"
    )

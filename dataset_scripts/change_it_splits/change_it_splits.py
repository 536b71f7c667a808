"""Load raw articles of two newspapers as aligned splits, by `change_it.ChangeItSplits`.

`datasets` 4 and 5 run no scripts: build a corpus with `change-it corpus build` and open its folder with
`load_dataset`, or use the class. Under `datasets` 3.6, the oldest that installs beside this package, the
script still runs:

    load_dataset(
        "dataset_scripts/change_it_splits", "pairs", data_files="articles/*.csv", trust_remote_code=True
    )
"""

from change_it import ChangeItSplits as ChangeItSplits

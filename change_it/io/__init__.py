"""Tables in and files out: the one reader and the one atomic writer of the package."""

from change_it.io.files import (
    WORK,
    check_writable,
    files_of_ours,
    read_json,
    record_errors,
    replace_file,
    replace_folder,
    with_formula,
    without_formula,
    write_json,
    write_table,
    write_text,
)
from change_it.io.growing import earlier_rows, write_growing
from change_it.io.model_folders import (
    GENERATOR_FILE,
    MODEL_FILES,
    PICKLE,
    check_model,
    fetch,
    is_hub_id,
    is_missing_path,
    weight_files,
)
from change_it.io.predictions import Predictions, headlines_of, named_files, text_lines
from change_it.io.rows import (
    HUB,
    InputTable,
    Names,
    Record,
    cell_named,
    check_columns,
    check_file,
    kind_of,
    outlet_and_file,
    parse_columns,
    read_input,
    read_records,
    read_tables,
    read_text,
)
from change_it.io.texts import (
    LONGEST,
    cell_text,
    column_of,
    counted,
    is_missing,
    length_fault,
    listed,
    references_of,
    refuse_empty,
    refuse_lengths,
    texts_by_name,
    texts_of,
)

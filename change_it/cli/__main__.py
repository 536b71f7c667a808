"""Run the command line: `python -m change_it.cli`."""

import sys

from change_it.cli.main import main

sys.exit(main())

"""The Space: headlines transferred, judged and measured. Models come from environment variables.

CHANGE_IT_JUDGES and CHANGE_IT_GENERATORS name them, see README.md; without them the tab on quality works alone.
"""

from change_it.space.app import build, launch
from change_it.space.models import Models

if __name__ == "__main__":
    launch(build(Models.from_environment()))

"""The Space: headlines transferred and judged. Models come from environment variables.

CHANGE_IT_JUDGES and CHANGE_IT_GENERATORS name them, see README.md.
"""

from change_it.space.app import build, launch
from change_it.space.models import Models

if __name__ == "__main__":
    launch(build(Models.from_environment()))

"""The Space: headlines transferred and judged. Models come from environment variables.

CHANGE_IT_JUDGES and CHANGE_IT_GENERATORS name them, see README.md.
"""

from change_it.space.app import build_from_environment, launch

if __name__ == "__main__":
    launch(build_from_environment())

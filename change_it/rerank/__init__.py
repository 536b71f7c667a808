"""Judge-guided choice: of several candidates for a headline the one that most probably satisfies all three judges.

The judges that choose train on one fold, those that score on the other (DESIGN.md, Interfaces).
"""

from change_it.rerank.choose import Choice, choose, joint_probability

__all__ = ["Choice", "choose", "joint_probability"]

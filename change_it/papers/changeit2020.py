"""CHANGE-IT 2020, the shared task: its Tables 2 and 4 print the judges and the system SUM of EvalNLGEval 2020."""

#: How to cite the task.
CITATION = "De Mattei, Cafagna, Dell'Orletta, Nissim, Gatt (2020): CHANGE-IT @ EVALITA 2020: Change Headlines, Adapt News, GEnerate."

"""Write invented events as two invented newspapers report them: the grammar of the embedded sample.

`events` draws what happened, `articles` and `headlines` put it into each paper's words; the Italian is in
`data/`. `python -m tools.sample.write` writes samples of any size and seed.
"""

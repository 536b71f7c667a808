"""The grammar that wrote the embedded sample: invented events, and two invented newspapers that write about them.

`events` draws what happened, `articles` and `headlines` put it into each paper's words; the Italian is in `data/`.
`python -m tools.sample.write` writes samples of any size and seed.
"""

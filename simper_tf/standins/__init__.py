"""Miniature raw data in each data set's true format, with known truth: `python -m simper_tf.standins ubfc --out=DIR`.

For tests, for documentation and for whoever has no access to the real data yet. The same builders build them; nothing
in a builder knows a stand-in from the real thing. They say nothing about accuracy on the real data.
"""

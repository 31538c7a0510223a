"""The paper's equations: similarity, label weights, generalized InfoNCE; diagnostics."""

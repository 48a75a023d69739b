"""Figures of the two papers, as printed.

EMNLP  Large-scale Reordering Model for Statistical Machine Translation using Dual Multinomial
       Logistic Regression: tables 2 and 3, figure 1
WMT    Bayesian Reordering Model with Feature Selection: tables 3, 5 and 6, figures 1 and 2
Both on the Arabic and English of MultiUN: 9.7 million pairs, 47 million events, 670,154 features.
"""

from __future__ import annotations

ERROR = {  # percent of held-out events
    "lexicalized": 25.2,
    "bayes": 19.53,
    "bayes_full": 20.13,
    "primal": 17.81,
    "dual_0.01": 17.89,
    "dual_0.1": 17.95,
    "dual_1.0": 21.13,
}
MINUTES = {"primal": 69, "dual_0.01": 22, "dual_0.1": 18, "dual_1.0": 13}  # 100 passes
BLEU = {  # NIST MT06 and MT08
    "none": (28.92, 32.13),
    "lexicalized": (30.86, 34.22),
    "bayes": (31.21, 34.72),
    "bayes_full": (31.20, 34.69),
    "maxent_primal": (31.37, 34.85),
    "maxent": (31.36, 34.87),
}
MEGABYTES = {"lexicalized": 604, "bayes_full": 18}
SECONDS_A_SENTENCE = {"lexicalized": 2.2, "bayes_full": 2.6}

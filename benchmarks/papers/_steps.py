"""The experiments of each paper, in the order in which ``reproduce`` runs them.

``{out}`` is the folder of the results. If two steps write the same rows, the step with
more runs comes later.
"""

STEPS = {
    "monteleoni2007": (
        "ocr --results {out}",
        "ocr --reached --learner DKM² --problem 0v1 --problem 147vAll --results {out}",
        "ocr_curves --results {out}",
        "ocr_figures {out} --out {out}",
        "ocr_separability --results {out}",
        "simple_svm --rows 5000 --results {out}",
        "bounds --results {out}",
    ),
    "cavallanti2008": (
        "second_order --repeats 1 --topics 50 --results {out}",
        "second_order --repeats 3 --only figure-3 --results {out}",
        "second_order_figures {out} --out {out}",
        "low_noise --results {out}",
    ),
    "guillory2009": (
        "margin_loss --results {out}",
        "margin_loss --data usps-0vAll --learner ramp --curves 100 --results {out}",
        "margin_loss --starts --trials 50 --tuning-trials 20 --results {out}",
        "margin_loss --thresholds --trials 50 --tuning-trials 20 --results {out}",
        "margin_loss_errors --results {out}",
        "margin_loss_figures {out} --out {out}",
        "offline_margin_loss --trials 6 --labels 120 --results {out}",
        "outlier_line --results {out}",
    ),
    "wang2009": (
        "boosting --cache {out}/boosting --results {out}",
        "boosting --cache {out}/boosting --results {out} --splits 100 "
        "--problem twonorm --problem banana --problem german "
        "--problem flare-solar --method RBoost --method QBB --method COMB",
        "boosting --cache {out}/boosting --results {out} --splits 6 "
        "--problem 2v3 --problem 3v5 --problem 3v8 --problem 6v8 --problem 8v9 "
        "--problem 0v8 --method RBoost --method QBB --method COMB",
        "boosting --cache {out}/boosting --results {out} --alphas",
        "boosting --cache {out}/boosting --results {out} --criterion gini",
        "boosting --cache {out}/boosting --results {out} --few "
        "--method RBoost --method QBB --method COMB",
        "boosting_rounding --results {out}",
        "boosting_costs --results {out}",
        "boosting_figures {out} --out {out}",
        "label_propagation --results {out}",
        "readings --paper wang2009 --trials 20 --results {out}",
        "readings_figures {out} --out {out}",
    ),
    "ali2014": (
        "alms --cache {out}/alms --results {out} --labels 50 --trials 9 "
        "--problem heart --problem votes "
        "--method passive --method ALMS --method 'ALMS, all rows'",
        "alms --cache {out}/alms --results {out} --labels 50",
        "alms --cache {out}/alms --results {out} --labels 50 --initial 4 --trials 12",
        "alms --cache {out}/alms --results {out} --labels 50 --penalty sum --trials 15",
        "alms --cache {out}/alms --results {out} --penalty sum --trials 15 "
        "--method passive --method uncertainty --method QBC --method ALMS "
        "--method 'ALMS, left out' --method 'ALMS, CV' --method oracle",
        "alms --cache {out}/alms --results {out} --penalty sum --trials 14 "
        "--problem pima",
        "alms_figures {out} --out {out}",
        "readings --paper ali2014 --trials 3 --results {out}",
        "readings_again --results {out}",
        "readings_again --trials 6 --labels 100 --results {out}",
        "readings_figures {out} --out {out}",
    ),
}

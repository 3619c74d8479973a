"""What scikit-learn does not say in public, and has to be known all the same."""

#: Attributes that an estimator has only while its callbacks run.
CALLBACK_ATTRIBUTES = ("_callback_fit_ctx", "_skl_callbacks_to_teardown")

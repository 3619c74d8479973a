"""What is said of models and labels, and whether it comes true."""

def inverse_square(b):
    """Ask with probability b² / (b² + |p|²)."""
    return lambda margin, norm, k: b**2 / (b**2 + margin**2), lambda mistake: None, {}

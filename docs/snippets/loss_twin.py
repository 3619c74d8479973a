def arctan(z):
    return 0.5 - np.arctan(z) / np.pi


def arctan_slope(z):
    return -1 / (np.pi * (1 + z**2))

"""Pictures of the gallery; thumbnails show one panel, large enough to recognise."""

import matplotlib.pyplot as plt


def panel_first(block, block_vars, gallery_conf):
    """Save the first panel of an example, then its figures.

    The panel is picture number 1, of which sphinx-gallery makes the thumbnail. It is
    not shown on the page of the example.
    """
    from sphinx_gallery.scrapers import matplotlib_scraper  # the tests do without

    paths = block_vars["image_path_iterator"]
    if not len(paths) and plt.get_fignums():
        figure = plt.figure(plt.get_fignums()[0])
        figure.canvas.draw()
        in_pixels = figure.axes[0].get_tightbbox().padded(6)
        panel = in_pixels.transformed(figure.dpi_scale_trans.inverted())
        figure.savefig(next(paths), bbox_inches=panel)
    return matplotlib_scraper(block, block_vars, gallery_conf)

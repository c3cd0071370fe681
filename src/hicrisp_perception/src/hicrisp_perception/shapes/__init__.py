"""Objects known by their shapes and colours: segments of a picture, and the shapes laid into them."""

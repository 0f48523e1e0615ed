// Nothing of its own: the target is the headers and the libraries that it links.

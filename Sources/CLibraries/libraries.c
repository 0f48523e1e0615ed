// Empty: the target consists of the headers and the libraries that it links.

"""Commands: arguments in, calls of the packages above out, sentences said on the way."""

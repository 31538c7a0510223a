"""The learned reader: from a list of public films to the weights that `simper_tf.reading` ships."""

"""Built data sets -> examples, and what their builders share."""

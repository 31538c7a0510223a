"""Finished tables and runs -> one page with all there is to see; see `trainers.report`."""

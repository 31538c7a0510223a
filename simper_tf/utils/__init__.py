"""Atomic files, checks of arguments, units and replicas: what every floor above stands on."""

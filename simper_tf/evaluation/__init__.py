"""Features -> predictions -> metrics -> result rows -> tables and plots, each step a function of the one before."""

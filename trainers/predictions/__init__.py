"""What `trainers.predict` prints and writes."""

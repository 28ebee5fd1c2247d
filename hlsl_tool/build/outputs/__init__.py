"""The output kinds: what is written for a job and for a set of jobs."""

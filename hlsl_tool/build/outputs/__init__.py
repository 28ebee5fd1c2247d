"""The outputs of jobs, and the files that are made of several jobs: link reports, packs, the manifest."""

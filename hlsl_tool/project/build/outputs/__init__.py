"""The outputs of jobs, and the files that combine several jobs: link reports, packs, the manifest."""

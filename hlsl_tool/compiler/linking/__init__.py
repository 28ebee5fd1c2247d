"""Link modules: join them, resolve imports, and give the result to the pipeline of a compilation."""

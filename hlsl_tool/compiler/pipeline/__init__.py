"""The steps from a lowered module to the finished one, and the choice of those that a module needs.

`lowering` and `steps` list all steps in their order, each with the reason for its place; `listing` prints them. `facts`
computes the properties of a module and its options that decide which steps run. `subject` has the data that all steps
share, and the loop that runs them. `spirv_opt` has the steps that call the optimizer.
"""

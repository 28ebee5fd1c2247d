"""The steps from a lowered module to the finished one, and the choice of those that a module needs.

`lowering` and `steps` list all steps in their order, each with the reason for its place; `listing` prints them.
`facts` reads from a module and its options what decides the choice.  `subject` has the state that the steps work on,
and runs them.  `spirv_opt` has the steps that call the optimizer.
"""

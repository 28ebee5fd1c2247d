def stage_interfaces(module, interface):
    return []

import json


def reflection_json(spirv, interface, msl=None):
    return json.dumps({"words": len(spirv) // 4})

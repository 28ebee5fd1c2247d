import json


def reflection_json(spirv, interface):
    return json.dumps({"words": len(spirv) // 4})

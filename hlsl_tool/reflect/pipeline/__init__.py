"""What a host creates for a pipeline or for shader objects: the tables of Vulkan's create infos, as data and as C++."""

from .build import PipelineError, pipeline_of
from .cpp import pipeline_cpp
from .model import PipelineTables, tables_json

__all__ = ["PipelineError", "PipelineTables", "pipeline_cpp", "pipeline_of", "tables_json"]

"""Values for the create infos of Vulkan's pipelines and shader objects, as data and as C++."""

from hlsl_tool.reflection.pipeline.pipeline_stages import PipelineError
from hlsl_tool.reflection.pipeline.pipeline_tables import PipelineTables, project_json, tables_json

from .build import pipeline_of, pipelines_of_module
from .cpp import pipeline_cpp, project_cpp

__all__ = [
    "PipelineError",
    "PipelineTables",
    "pipeline_cpp",
    "pipeline_of",
    "pipelines_of_module",
    "project_cpp",
    "project_json",
    "tables_json",
]

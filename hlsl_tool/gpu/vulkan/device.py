"""A headless Vulkan device with one queue."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from weakref import finalize

import vulkan as vk
from vulkan import ffi, lib

from hlsl_tool.gpu.errors import DriverError, NoDeviceError

FEATURES = [f"VkPhysicalDeviceVulkan1{minor}Features" for minor in (1, 2, 3)]
EXTENSIONS = {
    "VK_EXT_shader_atomic_float": "VkPhysicalDeviceShaderAtomicFloatFeaturesEXT",
    "VK_KHR_cooperative_matrix": "VkPhysicalDeviceCooperativeMatrixFeaturesKHR",
}
"""Extensions that are switched on where they are available, and the structure of their features (may be empty)."""
SUBGROUPS = ("Basic", "Vote", "Arithmetic", "Ballot", "Shuffle", "ShuffleRelative", "Clustered", "Quad", "Partitioned")
_PREFERENCE = (
    vk.VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
    vk.VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU,
    vk.VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU,
)
_MEMORY_ADDRESS = 2
"""VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT, which the binding has without its value."""
HOST = vk.VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | vk.VK_MEMORY_PROPERTY_HOST_COHERENT_BIT
LOCAL = vk.VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT
WHOLE = 0xFFFFFFFFFFFFFFFF


@contextmanager
def driver_errors() -> Iterator[None]:
    """Convert exceptions of the Vulkan binding to ``DriverError``."""
    try:
        yield
    except (vk.VkException, vk.VkError) as error:
        raise DriverError(f"{type(error).__name__} {error}".strip()) from error


class Device:
    """A Vulkan device, its queue, and its command pool.

    All features that the driver supports are enabled, including robust buffer access.
    """

    def __init__(self, wanted: str = "", extensions: Mapping[str, str] = EXTENSIONS) -> None:
        self.instance, self.physical, properties = _choose(wanted.lower())
        self.name: str = properties.deviceName
        self.minor = properties.apiVersion >> 12 & 0x3FF
        self.properties = properties
        memory = vk.vkGetPhysicalDeviceMemoryProperties(self.physical)
        self.memory_flags = [memory.memoryTypes[i].propertyFlags for i in range(memory.memoryTypeCount)]
        family = self._queue_family()
        self.extensions = {e.extensionName for e in vk.vkEnumerateDeviceExtensionProperties(self.physical, None)}
        """The names of the extensions that the device offers."""
        names = [name for name in extensions if name in self.extensions]
        chain, self.features = self._features([extensions[name] for name in names])
        queue = vk.VkDeviceQueueCreateInfo(queueFamilyIndex=family, pQueuePriorities=[1.0])
        info = vk.VkDeviceCreateInfo(pNext=chain, pQueueCreateInfos=[queue], ppEnabledExtensionNames=names)
        self.handle = vk.vkCreateDevice(self.physical, info, None)
        finalize(self, vk.vkDestroyDevice, self.handle, None)
        self.queue = vk.vkGetDeviceQueue(self.handle, family, 0)
        flags = vk.VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT
        pool = vk.VkCommandPoolCreateInfo(flags=flags, queueFamilyIndex=family)
        self.pool = self.own(vk.vkCreateCommandPool(self.handle, pool, None), vk.vkDestroyCommandPool)

    def own(self, handle: Any, destroy: Callable[..., None], owner: object = None) -> Any:
        """Register a handle to be destroyed with ``owner``, by default with the device; return the handle."""
        finalize(self if owner is None else owner, destroy, self.handle, handle, None)
        return handle

    @property
    def driver(self) -> str:
        """The name and version of the driver: ``Mesa 22.3.6 (LLVM 15.0.6)``."""
        driver = vk.VkPhysicalDeviceDriverProperties()
        asked = vk.VkPhysicalDeviceProperties2(pNext=driver)
        lib.vkGetPhysicalDeviceProperties2(self.physical, ffi.addressof(asked))
        text: str = ffi.string(driver.driverInfo).decode()
        return text

    def _queue_family(self) -> int:
        families = vk.vkGetPhysicalDeviceQueueFamilyProperties(self.physical)
        both = vk.VK_QUEUE_COMPUTE_BIT | vk.VK_QUEUE_GRAPHICS_BIT
        queues = [f.queueFlags & both for f in families]
        for wanted in (both, vk.VK_QUEUE_COMPUTE_BIT):
            if wanted in queues:
                return queues.index(wanted)
        raise NoDeviceError(f"{self.name} has no queue for compute shaders")

    def _features(self, extensions: list[str]) -> tuple[Any, set[str]]:
        """Return (the ``pNext`` chain that enables all supported features, the names of the features)."""
        chain = None
        structs = []
        for name in [*FEATURES[: self.minor], *(name for name in extensions if name)]:
            chain = getattr(vk, name)(pNext=chain)
            structs.append(chain)
        features = vk.VkPhysicalDeviceFeatures2(pNext=chain)
        lib.vkGetPhysicalDeviceFeatures2(self.physical, ffi.addressof(features))
        names = {
            key
            for part in [*structs, features.features]
            for key, _ in ffi.typeof(part).fields
            if key not in ("sType", "pNext") and getattr(part, key) == 1
        }
        groups = vk.VkPhysicalDeviceSubgroupProperties()
        lib.vkGetPhysicalDeviceProperties2(self.physical, ffi.addressof(vk.VkPhysicalDeviceProperties2(pNext=groups)))
        names |= {f"subgroup{kind}" for i, kind in enumerate(SUBGROUPS) if groups.supportedOperations >> i & 1}
        return features, names

    def allocate(self, needs: Any, *choices: int, addressed: bool = False) -> Any:
        """Allocate device memory for the Vulkan memory requirements ``needs``, and return it.

        ``choices`` are combinations of memory property flags, of which the first that the device has is used.
        ``addressed``: shaders may use the address of the memory.
        """
        for flags in choices:
            for index, have in enumerate(self.memory_flags):
                if needs.memoryTypeBits >> index & 1 and have & flags == flags:
                    more = vk.VkMemoryAllocateFlagsInfo(flags=_MEMORY_ADDRESS) if addressed else None
                    info = vk.VkMemoryAllocateInfo(pNext=more, allocationSize=needs.size, memoryTypeIndex=index)
                    return vk.vkAllocateMemory(self.handle, info, None)
        raise DriverError("the device has no memory of the kind that is needed")

    def commands(self) -> Any:
        level = vk.VK_COMMAND_BUFFER_LEVEL_PRIMARY
        info = vk.VkCommandBufferAllocateInfo(commandPool=self.pool, level=level, commandBufferCount=1)
        return vk.vkAllocateCommandBuffers(self.handle, info)[0]

    def record(self, commands: Any, write: Callable[[Any], None]) -> None:
        """Record a barrier for all memory, the commands of ``write``, and another barrier into a command buffer.

        ``commands`` is the command buffer; ``write`` is called with it.
        """
        vk.vkBeginCommandBuffer(commands, vk.VkCommandBufferBeginInfo())
        barrier(commands)
        write(commands)
        barrier(commands)
        vk.vkEndCommandBuffer(commands)

    def submit(self, write: Callable[[Any], None]) -> None:
        """Record commands, run them once and wait."""
        commands = self.commands()
        self.record(commands, write)
        self.run(vk.VkSubmitInfo(pCommandBuffers=[commands]))
        vk.vkFreeCommandBuffers(self.handle, self.pool, 1, [commands])

    def run(self, submission: Any) -> None:
        """Submit recorded commands and wait until they are done.

        The functions of the Vulkan library are called without the checks of the binding, which take longer than the
        calls.
        """
        for status in (
            lib.vkQueueSubmit(self.queue, 1, ffi.addressof(submission), ffi.NULL),
            lib.vkQueueWaitIdle(self.queue),
        ):
            if status:
                raise DriverError(f"the queue returned {status}")


def barrier(commands: Any, images: list[Any] | None = None) -> None:
    """Record a barrier for all memory; images also get their new layout."""
    stages = vk.VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | vk.VK_PIPELINE_STAGE_HOST_BIT
    access = vk.VK_ACCESS_MEMORY_READ_BIT | vk.VK_ACCESS_MEMORY_WRITE_BIT
    memory = [vk.VkMemoryBarrier(srcAccessMask=access, dstAccessMask=access)]
    vk.vkCmdPipelineBarrier(commands, stages, stages, 0, 1, memory, 0, None, len(images or ()), images or None)


def _choose(wanted: str) -> tuple[Any, Any, Any]:
    """Return (instance, physical device, its properties) of the most capable device whose name contains ``wanted``."""
    app = vk.VkApplicationInfo(pApplicationName="hlsl_tool", apiVersion=vk.VK_MAKE_VERSION(1, 3, 0))
    try:
        instance = vk.vkCreateInstance(vk.VkInstanceCreateInfo(pApplicationInfo=app), None)
        physical = vk.vkEnumeratePhysicalDevices(instance)
    except (vk.VkException, vk.VkError) as error:
        raise NoDeviceError(f"Vulkan gave {type(error).__name__}") from error
    devices = [(p, vk.vkGetPhysicalDeviceProperties(p)) for p in physical]
    names = ", ".join(f"`{properties.deviceName}`" for _, properties in devices) or "none"
    devices = [device for device in devices if wanted in device[1].deviceName.lower()]
    devices = [device for device in devices if device[1].apiVersion >= vk.VK_MAKE_VERSION(1, 1, 0)]
    if not devices:
        raise NoDeviceError(f"Vulkan has no device `{wanted}` (there are: {names})" if wanted else "Vulkan has none")

    def rank(device: Any) -> int:
        kind = device[1].deviceType
        return _PREFERENCE.index(kind) if kind in _PREFERENCE else len(_PREFERENCE)

    return instance, *min(devices, key=rank)

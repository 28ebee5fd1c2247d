// A host that makes everything from the tables of a pipeline: layouts, pipelines, shader objects.
#pragma once

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#define PRINT std::printf  // HLSL has a function of the name, whose tests are looked for by it

#ifndef VK_EXT_shader_object  // the parts that are in use here, for headers without them
#define VK_EXT_shader_object 1
typedef VkFlags VkShaderCreateFlagsEXT;
typedef struct VkShaderEXT_T* VkShaderEXT;
enum VkShaderCodeTypeEXT { VK_SHADER_CODE_TYPE_SPIRV_EXT = 1 };
constexpr VkStructureType VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT = VkStructureType(1000482002);
constexpr VkShaderCreateFlagsEXT VK_SHADER_CREATE_NO_TASK_SHADER_BIT_EXT = 8;
struct VkShaderCreateInfoEXT {
    VkStructureType sType;
    const void* pNext;
    VkShaderCreateFlagsEXT flags;
    VkShaderStageFlagBits stage;
    VkShaderStageFlags nextStage;
    VkShaderCodeTypeEXT codeType;
    size_t codeSize;
    const void* pCode;
    const char* pName;
    uint32_t setLayoutCount;
    const VkDescriptorSetLayout* pSetLayouts;
    uint32_t pushConstantRangeCount;
    const VkPushConstantRange* pPushConstantRanges;
    const VkSpecializationInfo* pSpecializationInfo;
};
#endif

namespace host {

[[noreturn]] inline void fail(const char* what, int code = 0)
{
    std::fprintf(stderr, "%s: %d\n", what, code);
    std::exit(1);
}

inline void check(VkResult result, const char* what)
{
    if (result != VK_SUCCESS) fail(what, result);
}

using Loader = PFN_vkVoidFunction (*)(VkInstance, const char*);
inline Loader loader = nullptr;
inline VkInstance instance = VK_NULL_HANDLE;
inline VkPhysicalDevice physical = VK_NULL_HANDLE;
inline VkDevice device = VK_NULL_HANDLE;
inline VkQueue queue = VK_NULL_HANDLE;

/// Calls a function of Vulkan by its name.
#define VK(name) (reinterpret_cast<PFN_##name>(::host::function(#name)))
inline void* function(const char* name)
{
    auto found = loader(instance, name);
    if (!found) fail(name);
    return reinterpret_cast<void*>(found);
}

/// Calls a function of shader objects, which no header of an earlier Vulkan declares.
template <class... Arguments>
auto extension(const char* name, Arguments... arguments)
{
    auto address = VK(vkGetDeviceProcAddr)(device, name);
    if (!address) fail(name);
    return reinterpret_cast<VkResult (*)(Arguments...)>(address)(arguments...);
}

/// Starts the device; without shader objects the program ends with status 77.
inline void start()
{
    void* library = dlopen("libvulkan.so.1", RTLD_NOW);
    if (!library) std::exit(77);
    loader = reinterpret_cast<Loader>(dlsym(library, "vkGetInstanceProcAddr"));
    VkApplicationInfo application{};
    application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
    application.apiVersion = VK_API_VERSION_1_3;
    VkInstanceCreateInfo made{};
    made.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
    made.pApplicationInfo = &application;
    check(VK(vkCreateInstance)(&made, nullptr, &instance), "instance");
    uint32_t count = 16;
    VkPhysicalDevice devices[16];
    VK(vkEnumeratePhysicalDevices)(instance, &count, devices);
    if (count == 0) std::exit(77);
    physical = devices[0];
    for (uint32_t i = 0; i < count; i++) {
        VkPhysicalDeviceProperties properties;
        VK(vkGetPhysicalDeviceProperties)(devices[i], &properties);
        if (std::strstr(properties.deviceName, "llvmpipe")) physical = devices[i];
    }
    uint32_t total = 0;
    VK(vkEnumerateDeviceExtensionProperties)(physical, nullptr, &total, nullptr);
    std::vector<VkExtensionProperties> present(total);
    VK(vkEnumerateDeviceExtensionProperties)(physical, nullptr, &total, present.data());
    std::vector<const char*> names;
    for (const char* name : {"VK_EXT_shader_object", "VK_EXT_mesh_shader"}) {
        auto is = [&](const VkExtensionProperties& e) { return std::strcmp(e.extensionName, name) == 0; };
        if (!std::any_of(present.begin(), present.end(), is)) std::exit(77);
        names.push_back(name);
    }
    struct { VkStructureType sType; void* pNext; VkBool32 on; } objects{VkStructureType(1000482000), nullptr, VK_TRUE};
    VkPhysicalDeviceVulkan13Features features13{};
    features13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
    features13.pNext = &objects;
    VkPhysicalDeviceVulkan12Features features12{};
    features12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    features12.pNext = &features13;
    VkPhysicalDeviceVulkan11Features features11{};
    features11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
    features11.pNext = &features12;
    VkPhysicalDeviceMeshShaderFeaturesEXT meshes{};
    meshes.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT;
    meshes.pNext = &features11;
    VkPhysicalDeviceFeatures2 features{};
    features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    features.pNext = &meshes;
    VK(vkGetPhysicalDeviceFeatures2)(physical, &features);
    meshes.multiviewMeshShader = meshes.primitiveFragmentShadingRateMeshShader = VK_FALSE;
    const float priority = 1;
    VkDeviceQueueCreateInfo queues{};
    queues.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
    queues.queueCount = 1;
    queues.pQueuePriorities = &priority;
    VkDeviceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
    info.pNext = &features;
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queues;
    info.enabledExtensionCount = uint32_t(names.size());
    info.ppEnabledExtensionNames = names.data();
    check(VK(vkCreateDevice)(physical, &info, nullptr, &device), "device");
    VK(vkGetDeviceQueue)(device, 0, 0, &queue);
}

inline VkDeviceMemory allocate(const VkMemoryRequirements& needs)
{
    VkMemoryAllocateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    info.allocationSize = needs.size;
    VkPhysicalDeviceMemoryProperties memory;
    VK(vkGetPhysicalDeviceMemoryProperties)(physical, &memory);
    const auto visible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    for (uint32_t i = 0; i < memory.memoryTypeCount; i++)
        if ((needs.memoryTypeBits >> i & 1) && (memory.memoryTypes[i].propertyFlags & visible) == visible)
            info.memoryTypeIndex = i;
    VkDeviceMemory out;
    check(VK(vkAllocateMemory)(device, &info, nullptr, &out), "memory");
    return out;
}

struct Buffer {
    VkBuffer handle;
    void* data;
    template <class T>
    T* as() const { return static_cast<T*>(data); }
};

inline Buffer buffer(VkDeviceSize size)
{
    VkBufferCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.size = size;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                 VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    Buffer out;
    check(VK(vkCreateBuffer)(device, &info, nullptr, &out.handle), "buffer");
    VkMemoryRequirements needs;
    VK(vkGetBufferMemoryRequirements)(device, out.handle, &needs);
    VkDeviceMemory memory = allocate(needs);
    check(VK(vkBindBufferMemory)(device, out.handle, memory, 0), "bind");
    check(VK(vkMapMemory)(device, memory, 0, VK_WHOLE_SIZE, 0, &out.data), "map");
    std::memset(out.data, 0, size);
    return out;
}

/// Everything that the layouts of a pipeline say, with a buffer of 256 bytes for each descriptor.
struct Resources {
    std::vector<VkDescriptorSetLayout> layouts;
    std::vector<VkDescriptorSet> sets;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    std::vector<VkPushConstantRange> ranges;
    struct Bound { uint32_t set, binding, element; Buffer buffer; };
    std::vector<Bound> bound;

    const Buffer& at(uint32_t set, uint32_t binding, uint32_t element = 0) const
    {
        for (const Bound& one : bound)
            if (one.set == set && one.binding == binding && one.element == element) return one.buffer;
        fail("there is no such binding", int(binding));
    }
};

inline Resources resources(std::vector<const VkDescriptorSetLayoutCreateInfo*> infos,
                           std::vector<VkPushConstantRange> ranges)
{
    Resources out;
    out.ranges = ranges;
    std::vector<uint32_t> counts;
    for (const auto* info : infos) {
        out.layouts.emplace_back();
        check(VK(vkCreateDescriptorSetLayout)(device, info, nullptr, &out.layouts.back()), "set layout");
        uint32_t variable = 0;
        const auto* flags = static_cast<const VkDescriptorSetLayoutBindingFlagsCreateInfo*>(info->pNext);
        for (uint32_t i = 0; flags && i < info->bindingCount; i++)
            if (flags->pBindingFlags[i] & VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT)
                variable = info->pBindings[i].descriptorCount;
        counts.push_back(variable);
    }
    VkPipelineLayoutCreateInfo layout{};
    layout.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
    layout.setLayoutCount = uint32_t(out.layouts.size());
    layout.pSetLayouts = out.layouts.data();
    layout.pushConstantRangeCount = uint32_t(ranges.size());
    layout.pPushConstantRanges = out.ranges.data();
    check(VK(vkCreatePipelineLayout)(device, &layout, nullptr, &out.layout), "pipeline layout");
    if (infos.empty()) return out;

    const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 64},
                                          {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 64}};
    VkDescriptorPoolCreateInfo pool{};
    pool.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
    pool.maxSets = 16;
    pool.poolSizeCount = 2;
    pool.pPoolSizes = sizes;
    VkDescriptorPool from;
    check(VK(vkCreateDescriptorPool)(device, &pool, nullptr, &from), "pool");
    out.sets.resize(out.layouts.size());
    for (size_t number = 0; number < out.layouts.size(); number++) {
        VkDescriptorSetVariableDescriptorCountAllocateInfo variable{};
        variable.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO;
        variable.descriptorSetCount = 1;
        variable.pDescriptorCounts = &counts[number];
        VkDescriptorSetAllocateInfo set{};
        set.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
        set.pNext = counts[number] ? &variable : nullptr;
        set.descriptorPool = from;
        set.descriptorSetCount = 1;
        set.pSetLayouts = &out.layouts[number];
        check(VK(vkAllocateDescriptorSets)(device, &set, &out.sets[number]), "set");
    }
    for (uint32_t number = 0; number < infos.size(); number++) {
        for (uint32_t i = 0; i < infos[number]->bindingCount; i++) {
            const auto& binding = infos[number]->pBindings[i];
            for (uint32_t element = 0; element < binding.descriptorCount; element++) {
                out.bound.push_back({number, binding.binding, element, buffer(256)});
                const VkDescriptorBufferInfo whole{out.bound.back().buffer.handle, 0, 256};
                VkWriteDescriptorSet write{};
                write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
                write.dstSet = out.sets[number];
                write.dstBinding = binding.binding;
                write.dstArrayElement = element;
                write.descriptorCount = 1;
                write.descriptorType = binding.descriptorType;
                write.pBufferInfo = &whole;
                VK(vkUpdateDescriptorSets)(device, 1, &write, 0, nullptr);
            }
        }
    }
    return out;
}

inline std::vector<char> bytes(const char* name)
{
    std::FILE* file = std::fopen(name, "rb");
    if (!file) fail(name);
    std::fseek(file, 0, SEEK_END);
    std::vector<char> out(size_t(std::ftell(file)));
    std::rewind(file);
    if (std::fread(out.data(), 1, out.size(), file) != out.size()) fail(name);
    std::fclose(file);
    return out;
}

inline VkPipelineShaderStageCreateInfo stage(VkPipelineShaderStageCreateInfo info, const char* name)
{
    const auto code = bytes(name);
    VkShaderModuleCreateInfo made{};
    made.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
    made.codeSize = code.size();
    made.pCode = reinterpret_cast<const uint32_t*>(code.data());
    check(VK(vkCreateShaderModule)(device, &made, nullptr, &info.module), name);
    return info;
}

inline VkShaderEXT object(VkShaderCreateInfoEXT info, const char* name, const Resources& with)
{
    const auto code = bytes(name);
    info.codeSize = code.size();
    info.pCode = code.data();
    if (info.setLayoutCount != with.layouts.size()) fail("the shader object has other sets", int(info.setLayoutCount));
    info.pSetLayouts = with.layouts.data();
    VkShaderEXT out = VK_NULL_HANDLE;
    const VkShaderCreateInfoEXT* one = &info;
    const VkAllocationCallbacks* none = nullptr;
    check(extension("vkCreateShadersEXT", device, 1u, one, none, &out), "shader object");
    return out;
}

/// Commands that `finish` runs.
inline VkCommandBuffer begin()
{
    VkCommandPoolCreateInfo pool{};
    pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
    VkCommandPool from;
    check(VK(vkCreateCommandPool)(device, &pool, nullptr, &from), "command pool");
    VkCommandBufferAllocateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
    info.commandPool = from;
    info.commandBufferCount = 1;
    VkCommandBuffer out;
    check(VK(vkAllocateCommandBuffers)(device, &info, &out), "commands");
    VkCommandBufferBeginInfo start{};
    start.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
    check(VK(vkBeginCommandBuffer)(out, &start), "begin");
    return out;
}

inline void finish(VkCommandBuffer commands)
{
    check(VK(vkEndCommandBuffer)(commands), "end");
    VkSubmitInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
    info.commandBufferCount = 1;
    info.pCommandBuffers = &commands;
    check(VK(vkQueueSubmit)(queue, 1, &info, VK_NULL_HANDLE), "submit");
    check(VK(vkQueueWaitIdle)(queue), "wait");
}

inline void bind_objects(VkCommandBuffer commands, std::vector<VkShaderStageFlagBits> stages,
                         std::vector<VkShaderEXT> shaders)
{
    auto address = VK(vkGetDeviceProcAddr)(device, "vkCmdBindShadersEXT");
    using Bind = void (*)(VkCommandBuffer, uint32_t, const VkShaderStageFlagBits*, const VkShaderEXT*);
    reinterpret_cast<Bind>(address)(commands, uint32_t(stages.size()), stages.data(), shaders.data());
}

/// Binds the sets, and pushes constants by the range of the tables: `push` begins with the byte of offset 0.
inline void bind(VkCommandBuffer commands, VkPipelineBindPoint point, const Resources& with, const void* push)
{
    if (!with.sets.empty())
        VK(vkCmdBindDescriptorSets)(commands, point, with.layout, 0, uint32_t(with.sets.size()), with.sets.data(), 0,
                                    nullptr);
    for (const auto& range : with.ranges)
        VK(vkCmdPushConstants)(commands, with.layout, range.stageFlags, range.offset, range.size,
                               static_cast<const char*>(push) + range.offset);
}

inline VkPipeline compute_pipeline(const VkPipelineShaderStageCreateInfo& stage, const Resources& with)
{
    VkComputePipelineCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
    info.stage = stage;
    info.layout = with.layout;
    VkPipeline out;
    check(VK(vkCreateComputePipelines)(device, VK_NULL_HANDLE, 1, &info, nullptr, &out), "compute pipeline");
    return out;
}

/// Images of 4 by 4 texels to draw to, and the buffers that they are copied to.
struct Targets {
    std::vector<VkImage> images;
    std::vector<VkImageView> views;
    std::vector<Buffer> copies;
    std::vector<VkFormat> formats;
};

inline Targets targets(std::vector<VkFormat> formats)
{
    Targets out;
    out.formats = formats;
    for (VkFormat format : formats) {
        out.images.push_back(VK_NULL_HANDLE);
        out.views.push_back(VK_NULL_HANDLE);
        out.copies.push_back(buffer(4 * 4 * 16));
        if (format == VK_FORMAT_UNDEFINED) continue;
        VkImageCreateInfo info{};
        info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
        info.imageType = VK_IMAGE_TYPE_2D;
        info.format = format;
        info.extent = {4, 4, 1};
        info.mipLevels = info.arrayLayers = 1;
        info.samples = VK_SAMPLE_COUNT_1_BIT;
        info.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
        check(VK(vkCreateImage)(device, &info, nullptr, &out.images.back()), "image");
        VkMemoryRequirements needs;
        VK(vkGetImageMemoryRequirements)(device, out.images.back(), &needs);
        check(VK(vkBindImageMemory)(device, out.images.back(), allocate(needs), 0), "bind");
        VkImageViewCreateInfo view{};
        view.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
        view.image = out.images.back();
        view.viewType = VK_IMAGE_VIEW_TYPE_2D;
        view.format = format;
        view.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
        check(VK(vkCreateImageView)(device, &view, nullptr, &out.views.back()), "view");
    }
    return out;
}

inline void barrier(VkCommandBuffer commands, const Targets& to, VkImageLayout before, VkImageLayout after)
{
    for (VkImage image : to.images) {
        if (image == VK_NULL_HANDLE) continue;
        VkImageMemoryBarrier one{};
        one.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER;
        one.srcAccessMask = one.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
        one.oldLayout = before;
        one.newLayout = after;
        one.image = image;
        one.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
        VK(vkCmdPipelineBarrier)(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0,
                                 nullptr, 0, nullptr, 1, &one);
    }
}

/// Draws into the targets with dynamic rendering: `what` binds and draws.
template <class What>
void render(const Targets& to, What what)
{
    VkCommandBuffer commands = begin();
    barrier(commands, to, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    std::vector<VkRenderingAttachmentInfo> attachments;
    for (VkImageView view : to.views) {
        VkRenderingAttachmentInfo one{};
        one.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO;
        one.imageView = view;
        one.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
        one.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
        one.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
        attachments.push_back(one);
    }
    VkRenderingInfo info{};
    info.sType = VK_STRUCTURE_TYPE_RENDERING_INFO;
    info.renderArea = {{0, 0}, {4, 4}};
    info.layerCount = 1;
    info.colorAttachmentCount = uint32_t(attachments.size());
    info.pColorAttachments = attachments.data();
    VK(vkCmdBeginRendering)(commands, &info);
    what(commands);
    VK(vkCmdEndRendering)(commands);
    barrier(commands, to, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    for (size_t i = 0; i < to.images.size(); i++) {
        if (to.images[i] == VK_NULL_HANDLE) continue;
        VkBufferImageCopy all{};
        all.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
        all.imageExtent = {4, 4, 1};
        VK(vkCmdCopyImageToBuffer)(commands, to.images[i], VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, to.copies[i].handle, 1,
                                   &all);
    }
    finish(commands);
}

inline const VkViewport viewport{0, 0, 4, 4, 0, 1};
inline const VkRect2D scissor{{0, 0}, {4, 4}};

inline VkPipeline graphics_pipeline(std::vector<VkPipelineShaderStageCreateInfo> stages, const Resources& with,
                                    const Targets& to, const VkPipelineVertexInputStateCreateInfo* vertices)
{
    VkPipelineInputAssemblyStateCreateInfo assembly{};
    assembly.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO;
    assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    VkPipelineViewportStateCreateInfo view{};
    view.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO;
    view.viewportCount = view.scissorCount = 1;
    view.pViewports = &viewport;
    view.pScissors = &scissor;
    VkPipelineRasterizationStateCreateInfo raster{};
    raster.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO;
    raster.lineWidth = 1;
    VkPipelineMultisampleStateCreateInfo samples{};
    samples.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO;
    samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
    std::vector<VkPipelineColorBlendAttachmentState> each(to.formats.size());
    for (auto& one : each) one.colorWriteMask = 15;
    VkPipelineColorBlendStateCreateInfo blend{};
    blend.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO;
    blend.attachmentCount = uint32_t(each.size());
    blend.pAttachments = each.data();
    VkPipelineRenderingCreateInfo rendering{};
    rendering.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO;
    rendering.colorAttachmentCount = uint32_t(to.formats.size());
    rendering.pColorAttachmentFormats = to.formats.data();
    VkGraphicsPipelineCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO;
    info.pNext = &rendering;
    info.stageCount = uint32_t(stages.size());
    info.pStages = stages.data();
    info.pVertexInputState = vertices;
    info.pInputAssemblyState = vertices ? &assembly : nullptr;
    info.pViewportState = &view;
    info.pRasterizationState = &raster;
    info.pMultisampleState = &samples;
    info.pColorBlendState = &blend;
    info.layout = with.layout;
    VkPipeline out;
    check(VK(vkCreateGraphicsPipelines)(device, VK_NULL_HANDLE, 1, &info, nullptr, &out), "graphics pipeline");
    return out;
}

/// Sets all state that shader objects leave dynamic, except for the vertex input.
inline void object_state(VkCommandBuffer commands, uint32_t colors)
{
    VK(vkCmdSetViewportWithCount)(commands, 1, &viewport);
    VK(vkCmdSetScissorWithCount)(commands, 1, &scissor);
    VK(vkCmdSetRasterizerDiscardEnable)(commands, VK_FALSE);
    VK(vkCmdSetPrimitiveTopology)(commands, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
    VK(vkCmdSetPrimitiveRestartEnable)(commands, VK_FALSE);
    VK(vkCmdSetCullMode)(commands, VK_CULL_MODE_NONE);
    VK(vkCmdSetFrontFace)(commands, VK_FRONT_FACE_COUNTER_CLOCKWISE);
    VK(vkCmdSetDepthTestEnable)(commands, VK_FALSE);
    VK(vkCmdSetDepthWriteEnable)(commands, VK_FALSE);
    VK(vkCmdSetDepthBiasEnable)(commands, VK_FALSE);
    VK(vkCmdSetStencilTestEnable)(commands, VK_FALSE);
    using Number = void (*)(VkCommandBuffer, uint32_t);
    auto number = [&](const char* name, uint32_t value) {
        reinterpret_cast<Number>(VK(vkGetDeviceProcAddr)(device, name))(commands, value);
    };
    number("vkCmdSetPolygonModeEXT", VK_POLYGON_MODE_FILL);
    number("vkCmdSetRasterizationSamplesEXT", VK_SAMPLE_COUNT_1_BIT);
    number("vkCmdSetAlphaToCoverageEnableEXT", VK_FALSE);
    const VkSampleMask mask = 1;
    using Mask = void (*)(VkCommandBuffer, VkSampleCountFlagBits, const VkSampleMask*);
    reinterpret_cast<Mask>(VK(vkGetDeviceProcAddr)(device, "vkCmdSetSampleMaskEXT"))(commands, VK_SAMPLE_COUNT_1_BIT,
                                                                                     &mask);
    const std::vector<VkBool32> off(colors, VK_FALSE);
    using Booleans = void (*)(VkCommandBuffer, uint32_t, uint32_t, const VkBool32*);
    reinterpret_cast<Booleans>(VK(vkGetDeviceProcAddr)(device, "vkCmdSetColorBlendEnableEXT"))(commands, 0, colors,
                                                                                               off.data());
    const std::vector<VkColorComponentFlags> all(colors, 15);
    using Flags = void (*)(VkCommandBuffer, uint32_t, uint32_t, const VkColorComponentFlags*);
    reinterpret_cast<Flags>(VK(vkGetDeviceProcAddr)(device, "vkCmdSetColorWriteMaskEXT"))(commands, 0, colors,
                                                                                          all.data());
}

}  // namespace host

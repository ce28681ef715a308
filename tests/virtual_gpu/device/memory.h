// Device memory and pinned host memory: host memory, but counted. Part of vgpu.cpp, see there.
#pragma once
#include "order.h"

#include <c10/core/CachingDeviceAllocator.h>

#include <bit>

namespace vgpu {
struct Block {  // one charged allocation: fresh host memory, or a CPU storage that a kernel returned
  const int device;
  const int64_t bytes;  // in 512-byte steps, like the CUDA caching allocator
  DataPtr fresh;
  Storage adopted;
  Traces traces;
  Block(int d, size_t n) : device(checked(d)), bytes((n + 511) / 512 * 512) {
    Lock l(state().mutex);
    auto& c = state().count[device];
    auto& fail_at = state().bound[device][FAIL_AT];
    const bool told_to_fail = fail_at > 0 && --fail_at == 0;
    if (told_to_fail || c[LIVE] + bytes > allowed(device)) {
      c[OOMS]++;
      TORCH_CHECK_WITH(OutOfMemoryError, false, kPrivateUse1, " out of memory. Tried to allocate ", bytes, " bytes. Device ",
                       device, " has a total capacity of ", total_of(device), " bytes of which ",
                       std::max<int64_t>(0, usable(device) - c[LIVE]), " are free. This process holds ", c[LIVE],
                       " bytes, and ", allowed(device), " are allowed.");
    }
    c[ALLOCS]++;
    c[PEAK] = std::max(c[PEAK], c[LIVE] += bytes);
    if (delayed()) traces.home = stream_here(device);
  }
  ~Block() {
    if (delayed() && forget(traces)) count(device, EARLY_FREES);
    Lock l(state().mutex);
    state().count[device][LIVE] -= bytes;
  }
  static void drop(void* block) { delete static_cast<Block*>(block); }
  static Block* of(const Storage& s) {  // none where there are no bytes
    const auto& data = s.data_ptr();
    return data.get_deleter() == &drop ? static_cast<Block*>(data.get_context()) : nullptr;
  }
};
inline void use(const Storage& s) {
  if (!delayed()) return;
  if (auto* block = Block::of(s)) use(block->traces, block->device);
}
inline DataPtr allocate(int device, size_t n) {
  if (n == 0) return DataPtr(nullptr, dev(checked(device)));
  auto block = std::make_unique<Block>(device, n);
  block->fresh = c10::GetAllocator(kCPU)->allocate(n);
  auto* data = block->fresh.get();
  if (state().poison) std::memset(data, 0xff, n);
  return DataPtr(data, block.release(), &Block::drop, dev(device));
}
inline DataPtr adopt(const Storage& cpu, int device) {  // makes a CPU storage device memory, without a copy
  if (cpu.nbytes() == 0) return DataPtr(nullptr, dev(device));
  auto block = std::make_unique<Block>(device, cpu.nbytes());
  block->adopted = cpu;
  return DataPtr(cpu.mutable_data(), block.release(), &Block::drop, dev(device));
}

struct DeviceMemory final : c10::DeviceAllocator {
  DataPtr allocate(size_t n) override { return vgpu::allocate(current_device, n); }
  void copy_data(void* dst, const void* src, size_t n) const override { default_copy_data(dst, src, n); }
  bool initialized() override { return true; }
  void emptyCache(c10::MempoolId_t) override {}
  void recordStream(const DataPtr&, Stream) override {}
  c10::CachingDeviceAllocator::DeviceStats getDeviceStats(DeviceIndex d) override {
    Lock l(state().mutex);
    const auto& c = state().count[checked(d)];
    c10::CachingDeviceAllocator::DeviceStats s;
    for (auto* bytes : {&s.allocated_bytes, &s.reserved_bytes, &s.active_bytes, &s.requested_bytes}) {
      (*bytes)[0].current = c[LIVE];
      (*bytes)[0].peak = c[PEAK];
    }
    s.num_ooms = c[OOMS];
    return s;
  }
  void resetAccumulatedStats(DeviceIndex) override {}
  void resetPeakStats(DeviceIndex d) override {
    Lock l(state().mutex);
    state().count[checked(d)][PEAK] = state().count[d][LIVE];
  }
  std::pair<size_t, size_t> getMemoryInfo(DeviceIndex d) override {
    Lock l(state().mutex);
    const auto live = state().count[checked(d)][LIVE];
    return {std::max<int64_t>(0, usable(d) - live), total_of(d)};
  }
};
inline DeviceMemory device_memory;
REGISTER_ALLOCATOR(kPrivateUse1, &device_memory)

// ---- pinned host memory: plain, but remembered; charged as the next power of two where the switch says so, which is
// what CachingHostAllocator takes of the system
struct PinnedMemory final : Allocator {
  DataPtr allocate(size_t n) override {
    if (n == 0) return DataPtr(nullptr, kCPU);
    auto* host = new DataPtr(c10::GetAllocator(kCPU)->allocate(n));
    Lock l(state().mutex);
    const auto charged = state().mode[PINNED_ROUND] ? std::bit_ceil(n) : n;
    state().pinned[static_cast<char*>(host->get())] = {n, charged};
    state().pinned_peak = std::max(state().pinned_peak, state().pinned_live += charged);
    return DataPtr(host->get(), host, &drop, kCPU);
  }
  static void drop(void* p) {
    std::unique_ptr<DataPtr> host(static_cast<DataPtr*>(p));
    Lock l(state().mutex);
    auto it = state().pinned.find(static_cast<char*>(host->get()));
    state().pinned_live -= it->second.charged;
    state().pinned.erase(it);
  }
  void copy_data(void* dst, const void* src, size_t n) const override { default_copy_data(dst, src, n); }
  static bool contains(const void* p) {
    Lock l(state().mutex);
    auto it = state().pinned.upper_bound(static_cast<const char*>(p));
    return it != state().pinned.begin() && (--it, static_cast<const char*>(p) < it->first + it->second.bytes);
  }
};
inline PinnedMemory pinned_memory;
}  // namespace vgpu

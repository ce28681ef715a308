// What torch asks of a backend: random numbers, the current device, streams and events. Part of vgpu.cpp, see there.
#pragma once
#include "memory.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <chrono>

namespace vgpu {
// ---- random numbers: a CPU generator under a device label, so a seed gives what it gives on the CPU
struct DeviceGenerator final : c10::GeneratorImpl {
  Generator cpu;
  DeviceGenerator(DeviceIndex d, Generator g)
      : GeneratorImpl(dev(d), DispatchKeySet(c10::DispatchKey::PrivateUse1)), cpu(std::move(g)) {}
  void set_current_seed(uint64_t s) override { cpu.set_current_seed(s); }
  uint64_t current_seed() const override { return cpu.current_seed(); }
  uint64_t seed() override { return cpu.seed(); }
  void set_offset(uint64_t o) override { cpu.set_offset(o); }
  uint64_t get_offset() const override { return cpu.get_offset(); }
  void set_state(const TensorImpl& s) override { cpu.unsafeGetGeneratorImpl()->set_state(s); }
  c10::intrusive_ptr<TensorImpl> get_state() const override { return cpu.unsafeGetGeneratorImpl()->get_state(); }
  DeviceGenerator* clone_impl() const override { return new DeviceGenerator(device_.index(), cpu.clone()); }
};
inline Generator new_generator(DeviceIndex d) {
  return make_generator<DeviceGenerator>(d < 0 ? current_device : d, at::detail::createCPUGenerator());
}
inline const Generator& default_generator(DeviceIndex d) {
  static auto* all = new std::vector<Generator>;
  for (int i = all->size(); i < kMaxDevices; i++) all->push_back(new_generator(i));
  return (*all)[d < 0 ? current_device : checked(d)];
}

// ---- what torch.accelerator, pin_memory, torch.Generator, torch.Stream and torch.Event ask of a backend
struct Hooks final : PrivateUse1HooksInterface {
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return true; }
  bool hasPrimaryContext(DeviceIndex) const override { return true; }
  DeviceIndex deviceCount() const override { return state().devices; }
  DeviceIndex getCurrentDevice() const override { return current_device; }
  void setCurrentDevice(DeviceIndex d) const override { current_device = checked(d); }
  DeviceIndex exchangeDevice(DeviceIndex d) const override { return std::exchange(current_device, checked(d)); }
  DeviceIndex maybeExchangeDevice(DeviceIndex d) const override { return d < 0 ? current_device : exchangeDevice(d); }
  const Generator& getDefaultGenerator(DeviceIndex d) const override { return default_generator(d); }
  Generator getNewGenerator(DeviceIndex d) const override { return new_generator(d); }
  Allocator* getPinnedMemoryAllocator() const override { return &pinned_memory; }
  bool isPinnedPtr(const void* p) const override { return PinnedMemory::contains(p); }
  void resizePrivateUse1Bytes(const Storage& s, size_t n) const override {
    auto fresh = allocate(s.device().index(), n);
    use(s);
    if (fresh && s.data()) std::memcpy(fresh.get(), s.data(), std::min(n, s.nbytes()));
    s.set_data_ptr_noswap(std::move(fresh));
    s.set_nbytes(n);
  }
};
struct Guard final : c10::impl::DeviceGuardImplInterface {
  static Stream stream(Device d, StreamId id) { return Stream(Stream::UNSAFE, indexed(d), id); }
  DeviceType type() const override { return kPrivateUse1; }
  Device getDevice() const override { return dev(current_device); }
  Device exchangeDevice(Device d) const override { return dev(std::exchange(current_device, checked(d.index()))); }
  void setDevice(Device d) const override { current_device = checked(d.index()); }
  void uncheckedSetDevice(Device d) const noexcept override { current_device = d.index(); }
  DeviceIndex deviceCount() const noexcept override { return state().devices; }
  void synchronizeDevice(const DeviceIndex d) const override { if (delayed()) host_waits_for_device(d); }
  Stream getStream(Device d) const override { return stream(d, current_stream[indexed(d).index()]); }
  Stream getDefaultStream(Device d) const override { return stream(d, 0); }
  Stream getNewStream(Device d, int) const override { static std::atomic<StreamId> id{0}; return stream(d, ++id); }
  Stream getStreamFromGlobalPool(Device d, bool) const override { return getNewStream(d, 0); }
  Stream exchangeStream(Stream s) const override {
    return stream(s.device(), std::exchange(current_stream[s.device_index()], s.id()));
  }
  // A question whether something is done is answered with yes, so it counts as having waited.
  bool queryStream(const Stream& s) const override { return synchronizeStream(s), true; }
  void synchronizeStream(const Stream& s) const override { if (delayed()) host_waits(key_of(s)); }
  struct Event { double time; Clock clock; };
  static Event& at(void* event) { return *static_cast<Event*>(event); }
  void record(void** event, const Stream& s, const DeviceIndex, const c10::EventFlag) const override {
    if (!*event) *event = new Event;
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    at(*event).time = std::chrono::duration<double, std::milli>(now).count();
    if (!delayed()) return;
    OrderLock l(order().mutex);
    at(*event).clock = order().streams[key_of(s)];
    join(at(*event).clock, order().host);
  }
  void block(void* event, const Stream& s) const override {
    if (!event || !delayed()) return;
    OrderLock l(order().mutex);
    join(order().streams[key_of(s)], at(event).clock);
  }
  bool queryEvent(void* event) const override { return synchronizeEvent(event), true; }
  void synchronizeEvent(void* event) const override { if (event && delayed()) host_waits(at(event).clock); }
  void destroyEvent(void* event, const DeviceIndex) const noexcept override { delete static_cast<Event*>(event); }
  double elapsedTime(void* a, void* b, const DeviceIndex) const override { return at(b).time - at(a).time; }
};
C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard)
}  // namespace vgpu

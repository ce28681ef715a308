// The devices: their counters, bounds and modes, and what is current in this thread. Part of vgpu.cpp, see there.
#pragma once
#include <c10/core/Stream.h>
#include <c10/util/Exception.h>

#include <atomic>
#include <map>
#include <mutex>

namespace vgpu {
using namespace at;
using c10::Stream;
using c10::StreamId;

// The orders of Counter, Bound and Mode are known to headroom_vgpu.
constexpr int kMaxDevices = 16;
constexpr int64_t kDefaultTotal = int64_t(1) << 40;
enum Counter { LIVE, PEAK, ALLOCS, OOMS, H2D_N, H2D_B, D2H_N, D2H_B, P2P_N, P2P_B, ITEMS, LATE, EARLY_FREES, NCOUNTERS };
// What bounds a device: TOTAL is the card's size; CAP is less where other programs hold the rest, so it shows in
// mem_get_info as on a shared card; LIMIT is what this process set for itself, which mem_get_info knows nothing of.
// FAIL_AT counts down: the allocation that brings it to 0 fails. A 0 means: none.
enum Bound { TOTAL, CAP, LIMIT, FAIL_AT, NBOUNDS };
enum Mode { PINNED_ROUND, DELAYED, NMODES };
struct State {
  std::mutex mutex;
  int64_t count[kMaxDevices][NCOUNTERS] = {};
  int64_t bound[kMaxDevices][NBOUNDS] = {};
  std::atomic<bool> mode[NMODES] = {};
  int devices = 1;
  bool poison = true;  // fresh memory reads as NaN
  struct Pinned { size_t bytes, charged; };
  std::map<const char*, Pinned> pinned;  // by the start of each pinned host block
  int64_t pinned_live = 0, pinned_peak = 0;
};
inline State& state() { static auto* s = new State; return *s; }  // leaked: tensors may outlive static destruction
using Lock = std::lock_guard<std::mutex>;
inline thread_local DeviceIndex current_device = 0;
inline thread_local StreamId current_stream[kMaxDevices] = {};

inline int checked(int index) {
  TORCH_CHECK(index >= 0 && index < state().devices, "vgpu: invalid device ordinal ", index, " of ", state().devices);
  return index;
}
inline Device dev(int index) { return Device(kPrivateUse1, static_cast<DeviceIndex>(index)); }
inline Device indexed(Device d) { return d.has_index() ? d : dev(current_device); }
inline bool on_vgpu(const Tensor& t) { return t.device().is_privateuseone(); }

inline void count(int device, Counter what, int64_t by = 1) {
  Lock l(state().mutex);
  state().count[device][what] += by;
}
inline int64_t total_of(int d) { return state().bound[d][TOTAL] ? state().bound[d][TOTAL] : kDefaultTotal; }
inline int64_t usable(int d) {  // by any program: what others hold is gone
  const auto cap = state().bound[d][CAP];
  return cap ? std::min(cap, total_of(d)) : total_of(d);
}
inline int64_t allowed(int d) {  // to this one
  const auto limit = state().bound[d][LIMIT];
  return limit ? std::min(limit, usable(d)) : usable(d);
}

struct OnDevice {
  DeviceIndex before = current_device;
  explicit OnDevice(std::optional<Device> d) { if (d && d->has_index()) current_device = checked(d->index()); }
  ~OnDevice() { current_device = before; }
};
}  // namespace vgpu

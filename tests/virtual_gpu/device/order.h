// The delayed mode: which work comes before which, and the copies that have not arrived. Part of vgpu.cpp, see there.
//
// Work runs when it is issued, as ever, save non-blocking copies between host and device on a stream other than the
// default one: those wait. Each stream, event and the host has a clock: up to which ticket of each stream its next work
// comes after. Waiting joins clocks. A copy arrives when the host has waited for it, or when an op on a stream that
// comes after it uses its target; any other op finds NaN there.
#pragma once
#include "state.h"

#include <set>
#include <utility>
#include <vector>

namespace vgpu {
using StreamKey = std::pair<DeviceIndex, StreamId>;
using Clock = std::map<StreamKey, int64_t>;

struct Copy {
  StreamKey stream;
  int64_t ticket;
  Tensor to, from;  // both as CPU tensors; `to` on a device does not keep its memory alive
};
struct Traces {  // what the delayed mode remembers of one block of device memory
  StreamKey home{0, 0};         // the stream that it was allocated on, to which it returns when freed
  std::vector<Copy> awaited;    // copies into it that have not arrived
  Clock used;                   // by other streams: their last work with it
  std::set<StreamKey> recorded; // streams that record_stream named: freeing waits for them
  int64_t epoch = 0;            // when the above was true
};
struct Order {
  std::recursive_mutex mutex;
  int64_t epoch = 0;  // rises with every change of mode: older tickets mean nothing
  Clock host;
  std::map<StreamKey, Clock> streams;
  std::set<Traces*> waiting;   // those with awaited copies
  std::vector<Copy> to_host;
};
inline Order& order() { static auto* o = new Order; return *o; }
using OrderLock = std::lock_guard<std::recursive_mutex>;

inline bool delayed() { return state().mode[DELAYED].load(std::memory_order_relaxed); }
inline StreamKey stream_here(DeviceIndex d) { return {d, current_stream[d]}; }
inline StreamKey key_of(const Stream& s) { return {s.device_index(), s.id()}; }
inline void join(Clock& into, const Clock& from) {
  for (auto& [stream, ticket] : from) into[stream] = std::max(into[stream], ticket);
}
inline bool covers(const Clock& clock, StreamKey stream, int64_t ticket) {
  const auto found = clock.find(stream);
  return found != clock.end() && found->second >= ticket;
}
inline int64_t issue(StreamKey stream) {  // a ticket for new work, which comes after all that the host waited for
  auto& clock = order().streams[stream];
  join(clock, order().host);
  return ++clock[stream];
}

inline void poison(const Tensor& cpu) {  // NaN in every floating type, whatever the strides
  auto ones = at::empty({}, cpu.options());
  std::memset(ones.mutable_data_ptr(), 0xff, ones.element_size());
  at::AutoDispatchBelowADInplaceOrView below;
  const_cast<Tensor&>(cpu).copy_(ones.expand_as(cpu));
}
template <class Ready>
void arrive(std::vector<Copy>& copies, Ready ready) {
  at::AutoDispatchBelowADInplaceOrView below;
  std::erase_if(copies, [&](Copy& copy) {
    const bool now = ready(copy);
    if (now) copy.to.copy_(copy.from);
    return now;
  });
}
inline void use(Traces& block, DeviceIndex d) {  // an op on the current stream reads or writes this block
  OrderLock l(order().mutex);
  const auto stream = stream_here(d);
  const auto ticket = issue(stream);
  if (std::exchange(block.epoch, order().epoch) != order().epoch) block.used.clear();
  if (stream != block.home) block.used[stream] = ticket;
  const auto& clock = order().streams[stream];
  arrive(block.awaited, [&](Copy& c) { return covers(clock, c.stream, c.ticket); });
  if (block.awaited.empty()) order().waiting.erase(&block);
}
inline void host_waits(const Clock& clock) {
  auto& o = order();
  OrderLock l(o.mutex);
  join(o.host, clock);
  const auto ready = [&](Copy& c) { return covers(o.host, c.stream, c.ticket); };
  for (auto it = o.waiting.begin(); it != o.waiting.end();) {
    arrive((*it)->awaited, ready);
    it = (*it)->awaited.empty() ? o.waiting.erase(it) : std::next(it);
  }
  arrive(o.to_host, ready);
}
inline void host_waits(StreamKey stream) {
  OrderLock l(order().mutex);
  host_waits(Clock(order().streams[stream]));
}
inline void host_waits_for_device(DeviceIndex d) {
  OrderLock l(order().mutex);
  Clock all;
  for (auto& [stream, clock] : order().streams) if (stream.first == d) join(all, clock);
  host_waits(all);
}
// Whether freeing this block gives its memory away while another stream may still use it: a card would let new work
// on the block's own stream have it at once.
inline bool forget(Traces& block) {
  auto& o = order();
  OrderLock l(o.mutex);
  o.waiting.erase(&block);
  if (block.epoch != o.epoch) return false;
  const auto& home = o.streams[block.home];
  for (auto& [stream, ticket] : block.used)
    if (!block.recorded.count(stream) && !covers(o.host, stream, ticket) && !covers(home, stream, ticket)) return true;
  return false;
}
inline void set_delayed(bool on) {  // nothing is awaited across a change of mode
  auto& o = order();
  OrderLock l(o.mutex);
  Clock all;
  for (auto& [stream, clock] : o.streams) join(all, clock);
  host_waits(all);
  o.host.clear();
  o.streams.clear();
  o.epoch++;
  state().mode[DELAYED] = on;
}
}  // namespace vgpu

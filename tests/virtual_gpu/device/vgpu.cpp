// vgpu: a virtual GPU for tests, on PyTorch's PrivateUse1 key. See the README in the folder above.
//
// Device memory is host memory, but counted and capped per device, and reachable only through tensors whose device is
// vgpu:N. An op without a kernel below runs the CPU kernel on CPU tensors that alias the same bytes (run_on_cpu):
// nothing is copied, inputs are relabelled on the way in, fresh results adopted (and charged) on the way out.
// Everything is synchronous; streams and events are handles that always report "done".
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/EmptyTensor.h>
#include <ATen/autocast_mode.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <ATen/native/transformers/attention.h>
#include <ATen/ops/_fused_sdp_choice_native.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/resize_native.h>
#include <ATen/ops/set_native.h>
#include <ATen/ops/view_native.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/library.h>

#include <chrono>
#include <map>
#include <mutex>
#include <span>

namespace vgpu {
using namespace at;
using c10::OperatorHandle;
using c10::Stream;
using c10::StreamId;
using torch::jit::Stack;

// ---- devices and their counters; the order of the counters is known to headroom_vgpu
constexpr int kMaxDevices = 16;
constexpr int64_t kDefaultTotal = int64_t(1) << 40;
enum Counter { LIVE, PEAK, ALLOCS, OOMS, H2D_N, H2D_B, D2H_N, D2H_B, P2P_N, P2P_B, ITEMS, NCOUNTERS };
// What bounds a device: TOTAL is the card's size; CAP is less where other programs hold the rest, so it shows in
// mem_get_info as on a shared card; LIMIT is what this process set for itself, which mem_get_info knows nothing of.
// FAIL_AT counts down: the allocation that brings it to 0 fails. A 0 means: none.
enum Bound { TOTAL, CAP, LIMIT, FAIL_AT, NBOUNDS };
struct State {
  std::mutex mutex;
  int64_t count[kMaxDevices][NCOUNTERS] = {};
  int64_t bound[kMaxDevices][NBOUNDS] = {};
  int devices = 1;
  bool poison = true;                    // fresh memory reads as NaN
  std::map<const char*, size_t> pinned;  // start -> bytes of each pinned host block
  int64_t pinned_live = 0, pinned_peak = 0;
};
State& state() { static auto* s = new State; return *s; }  // leaked: tensors may outlive static destruction
using Lock = std::lock_guard<std::mutex>;
thread_local DeviceIndex current_device = 0;
thread_local StreamId current_stream[kMaxDevices] = {};

int checked(int index) {
  TORCH_CHECK(index >= 0 && index < state().devices, "vgpu: invalid device ordinal ", index, " of ", state().devices);
  return index;
}
Device dev(int index) { return Device(kPrivateUse1, static_cast<DeviceIndex>(index)); }
Device indexed(Device d) { return d.has_index() ? d : dev(current_device); }
bool on_vgpu(const Tensor& t) { return t.device().is_privateuseone(); }

int64_t total_of(int d) { return state().bound[d][TOTAL] ? state().bound[d][TOTAL] : kDefaultTotal; }
int64_t usable(int d) {  // by any program: what others hold is gone
  const auto cap = state().bound[d][CAP];
  return cap ? std::min(cap, total_of(d)) : total_of(d);
}
int64_t allowed(int d) {  // to this one
  const auto limit = state().bound[d][LIMIT];
  return limit ? std::min(limit, usable(d)) : usable(d);
}

struct OnDevice {
  DeviceIndex before = current_device;
  explicit OnDevice(std::optional<Device> d) { if (d && d->has_index()) current_device = checked(d->index()); }
  ~OnDevice() { current_device = before; }
};

// ---- device memory
struct Block {  // one charged allocation: fresh host memory, or a CPU storage that a kernel returned
  const int device;
  const int64_t bytes;  // in 512-byte steps, like the CUDA caching allocator
  DataPtr fresh;
  Storage adopted;
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
  }
  ~Block() {
    Lock l(state().mutex);
    state().count[device][LIVE] -= bytes;
  }
  static void drop(void* block) { delete static_cast<Block*>(block); }
};
DataPtr allocate(int device, size_t n) {
  if (n == 0) return DataPtr(nullptr, dev(checked(device)));
  auto block = std::make_unique<Block>(device, n);
  block->fresh = c10::GetAllocator(kCPU)->allocate(n);
  auto* data = block->fresh.get();
  if (state().poison) std::memset(data, 0xff, n);
  return DataPtr(data, block.release(), &Block::drop, dev(device));
}
DataPtr adopt(const Storage& cpu, int device) {  // makes a CPU storage device memory, without a copy
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
DeviceMemory device_memory;
REGISTER_ALLOCATOR(kPrivateUse1, &device_memory)

// ---- pinned host memory: plain, but remembered
struct PinnedMemory final : Allocator {
  DataPtr allocate(size_t n) override {
    if (n == 0) return DataPtr(nullptr, kCPU);
    auto* host = new DataPtr(c10::GetAllocator(kCPU)->allocate(n));
    Lock l(state().mutex);
    state().pinned[static_cast<char*>(host->get())] = n;
    state().pinned_peak = std::max(state().pinned_peak, state().pinned_live += n);
    return DataPtr(host->get(), host, &drop, kCPU);
  }
  static void drop(void* p) {
    std::unique_ptr<DataPtr> host(static_cast<DataPtr*>(p));
    Lock l(state().mutex);
    auto it = state().pinned.find(static_cast<char*>(host->get()));
    state().pinned_live -= it->second;
    state().pinned.erase(it);
  }
  void copy_data(void* dst, const void* src, size_t n) const override { default_copy_data(dst, src, n); }
  static bool contains(const void* p) {
    Lock l(state().mutex);
    auto it = state().pinned.upper_bound(static_cast<const char*>(p));
    return it != state().pinned.begin() && (--it, static_cast<const char*>(p) < it->first + it->second);
  }
};
PinnedMemory pinned_memory;

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
Generator new_generator(DeviceIndex d) {
  return make_generator<DeviceGenerator>(d < 0 ? current_device : d, at::detail::createCPUGenerator());
}
const Generator& default_generator(DeviceIndex d) {
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
  void synchronizeDevice(const DeviceIndex) const override {}
  Stream getStream(Device d) const override { return stream(d, current_stream[indexed(d).index()]); }
  Stream getDefaultStream(Device d) const override { return stream(d, 0); }
  Stream getNewStream(Device d, int) const override { static std::atomic<StreamId> id{0}; return stream(d, ++id); }
  Stream getStreamFromGlobalPool(Device d, bool) const override { return getNewStream(d, 0); }
  Stream exchangeStream(Stream s) const override {
    return stream(s.device(), std::exchange(current_stream[s.device_index()], s.id()));
  }
  bool queryStream(const Stream&) const override { return true; }
  void synchronizeStream(const Stream&) const override {}
  void record(void** event, const Stream&, const DeviceIndex, const c10::EventFlag) const override {
    if (!*event) *event = new double;
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    *static_cast<double*>(*event) = std::chrono::duration<double, std::milli>(now).count();
  }
  void destroyEvent(void* event, const DeviceIndex) const noexcept override { delete static_cast<double*>(event); }
  double elapsedTime(void* a, void* b, const DeviceIndex) const override {
    return *static_cast<double*>(b) - *static_cast<double*>(a);
  }
  void block(void*, const Stream&) const override {}
  bool queryEvent(void*) const override { return true; }
  void synchronizeEvent(void*) const override {}
};
C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard)

// ---- running CPU kernels on device memory
const DispatchKeySet kCPUKeys(c10::DispatchKey::CPU), kDeviceKeys(c10::DispatchKey::PrivateUse1);

Storage alias_storage(const Storage& s) {  // a CPU storage over the same bytes, which keeps the original alive
  auto* owner = c10::intrusive_ptr<StorageImpl>::reclaim_copy(s.unsafeGetStorageImpl()).release();
  auto drop = [](void* p) { c10::intrusive_ptr<StorageImpl>::reclaim(static_cast<StorageImpl*>(p)); };
  return Storage(Storage::use_byte_size_t(), s.nbytes(), DataPtr(s.mutable_data(), owner, drop, kCPU),
                 c10::GetAllocator(kCPU), /*resizable=*/true);
}
Tensor like(const Tensor& model, Storage storage, DispatchKeySet keys) {
  auto t = at::detail::make_tensor<TensorImpl>(std::move(storage), keys, model.dtype());
  t.unsafeGetTensorImpl()->set_sizes_and_strides(model.sizes(), model.strides(), model.storage_offset());
  if (model.is_conj()) t._set_conj(true);
  if (model.is_neg()) t._set_neg(true);
  return t;
}
Tensor on_cpu(const Tensor& t) { return on_vgpu(t) ? like(t, alias_storage(t.storage()), kCPUKeys) : t; }

class Call {  // the tensors of one op call, as the device and as the CPU kernel know them
  const OperatorHandle& op_;
  c10::SmallVector<std::pair<Tensor, Tensor>, 6> tensors_;     // device, CPU
  c10::SmallVector<std::pair<Storage, Storage>, 6> storages_;  // device, CPU
  std::optional<std::pair<size_t, Device>> stray_;             // an argument on another device

 public:
  std::optional<Device> device;
  explicit Call(const OperatorHandle& op) : op_(op) {}

  Tensor in(const Tensor& t, size_t argument, bool is_index = false) {
    if (!t.defined()) return t;
    if (!on_vgpu(t)) {
      const bool welcome = t.is_cpu() && (t.dim() == 0 || is_index);  // scalars and indices may be on the CPU
      if (!welcome && !stray_) stray_ = {argument, t.device()};
      tensors_.push_back({t, t});
      return t;
    }
    if (!device) device = t.device();
    if (*device != t.device() && !stray_) stray_ = {argument, t.device()};
    for (auto& [d, c] : tensors_) if (d.is_same(t)) return c;
    const Storage* cpu = nullptr;
    for (auto& [d, c] : storages_) if (d.is_alias_of(t.storage())) cpu = &c;
    if (!cpu) cpu = &storages_.emplace_back(t.storage(), alias_storage(t.storage())).second;
    return tensors_.emplace_back(t, like(t, *cpu, kCPUKeys)).second;
  }
  void check() const {
    TORCH_CHECK(!stray_ || !device, "Expected all tensors to be on the same device, but got ",
                op_.schema().arguments()[stray_->first].name(), " is on ", stray_->second,
                ", different from other tensors on ", *device, " (when checking argument in method ",
                op_.operator_name(), ")");
  }
  void written() {  // what the kernel did to its arguments besides writing their bytes: new storages and shapes
    for (auto& [d, c] : storages_)
      if (d.data() != c.data()) {
        d.set_data_ptr_noswap(adopt(c, device->index()));
        d.set_nbytes(c.nbytes());
      }
    for (auto& [d, c] : tensors_) {
      if (d.sizes() != c.sizes() || d.strides() != c.strides() || d.storage_offset() != c.storage_offset())
        d.unsafeGetTensorImpl()->set_sizes_and_strides(c.sizes(), c.strides(), c.storage_offset());
      if (d.is_conj() != c.is_conj()) d._set_conj(c.is_conj());
    }
  }
  Tensor out(const Tensor& t) {  // an argument itself, a view of one, or a fresh result
    if (!t.defined() || !t.is_cpu() || !device) return t;
    for (auto& [d, c] : tensors_) if (c.is_same(t)) return d;
    for (auto& [d, c] : storages_)
      if (c.unsafeGetStorageImpl() == t.storage().unsafeGetStorageImpl()) return like(t, d, kDeviceKeys);
    Storage fresh(Storage::use_byte_size_t(), t.storage().nbytes(), adopt(t.storage(), device->index()), &device_memory,
                  /*resizable=*/true);
    storages_.push_back({fresh, t.storage()});
    return like(t, fresh, kDeviceKeys);
  }
};

bool wants_generator(const c10::Argument& a) {
  const auto* optional = a.type()->castRaw<c10::OptionalType>();
  return optional && optional->getElementType()->kind() == c10::TypeKind::GeneratorType;
}
void run_on_cpu(const OperatorHandle& op, const OperatorHandle& kernel, Stack* stack) {
  const auto& args = op.schema().arguments();
  IValue* values = stack->data() + stack->size() - args.size();
  Call call(op);
  for (size_t i = 0; i < args.size(); i++) {
    auto& v = values[i];
    if (v.isTensor()) {
      v = call.in(v.toTensor(), i);
    } else if (v.isTensorList()) {
      c10::List<Tensor> list;
      for (const auto& t : v.toTensorVector()) list.push_back(call.in(t, i));
      v = std::move(list);
    } else if (v.isOptionalTensorList()) {  // only index and index_put take these
      c10::List<std::optional<Tensor>> list;
      for (const auto& t : v.toOptionalTensorVector())
        list.push_back(t ? std::make_optional(call.in(*t, i, true)) : std::nullopt);
      v = std::move(list);
    } else if (v.isDevice() && v.toDevice().is_privateuseone()) {
      call.device = indexed(v.toDevice());
      v = Device(kCPU);
    }
  }
  call.check();
  for (size_t i = 0; i < args.size(); i++) {
    auto& v = values[i];
    if (!v.isGenerator() && !(v.isNone() && wants_generator(args[i]))) continue;
    const auto g = v.isNone() ? default_generator(call.device->index()) : v.toGenerator();
    TORCH_CHECK(g.device().is_privateuseone(), "Expected a '", kPrivateUse1, "' device type for generator but found '",
                g.device(), "'");
    v = static_cast<DeviceGenerator*>(g.unsafeGetGeneratorImpl())->cpu;
  }
  kernel.redispatchBoxed(kCPUKeys, stack);
  call.written();
  for (auto& v : std::span(*stack).last(op.schema().returns().size())) {
    if (v.isTensor()) {
      v = call.out(v.toTensor());
    } else if (v.isTensorList()) {
      c10::List<Tensor> list;
      for (const auto& t : v.toTensorVector()) list.push_back(call.out(t));
      v = std::move(list);
    }
  }
}
void fallback(const OperatorHandle& op, Stack* stack) { run_on_cpu(op, op, stack); }
void convolution(const OperatorHandle& op, Stack* stack) {  // arrives as convolution_overrideable, which the CPU lacks
  static const auto cpu = c10::Dispatcher::singleton().findSchemaOrThrow("aten::convolution", "");
  run_on_cpu(op, cpu, stack);
}
void convolution_backward(const OperatorHandle&, Stack* stack) {  // the same, and the CPU's also takes the bias' shape
  static const auto cpu = c10::Dispatcher::singleton().findSchemaOrThrow("aten::convolution_backward", "");
  const auto args = stack->end() - 10;
  const auto bias_sizes = args[9].toBoolList()[2] ? IValue(std::vector<int64_t>{args[0].toTensor().size(1)}) : IValue();
  stack->insert(args + 3, bias_sizes);
  run_on_cpu(cpu, cpu, stack);
}

// ---- kernels of our own
Tensor empty(IntArrayRef size, std::optional<ScalarType> dtype, std::optional<Layout>, std::optional<Device> device,
             std::optional<bool>, std::optional<MemoryFormat> format) {
  OnDevice guard(device);
  return at::detail::empty_generic(size, &device_memory, kDeviceKeys, dtype_or_default(dtype), format);
}
Tensor empty_strided(IntArrayRef size, IntArrayRef stride, std::optional<ScalarType> dtype, std::optional<Layout>,
                     std::optional<Device> device, std::optional<bool>) {
  OnDevice guard(device);
  return at::detail::empty_strided_generic(size, stride, &device_memory, kDeviceKeys, dtype_or_default(dtype));
}
const Tensor& resize_(const Tensor& self, IntArrayRef size, std::optional<MemoryFormat> format) {
  OnDevice guard(self.device());
  return at::native::resize_(self, size, format);
}
void count(const Tensor& moved, const Tensor& where, Counter times) {
  Lock l(state().mutex);
  state().count[where.device().index()][times]++;
  state().count[where.device().index()][times + 1] += moved.numel() * moved.element_size();
}
Tensor copy_from(const Tensor& self, const Tensor& dst, bool non_blocking) {
  if (!on_vgpu(self)) count(dst, dst, H2D_N);
  else if (!on_vgpu(dst)) count(self, self, D2H_N);
  else if (self.device() != dst.device()) count(dst, dst, P2P_N);
  on_cpu(dst).copy_(on_cpu(self), non_blocking);
  return dst;
}
Scalar local_scalar_dense(const Tensor& self) {
  { Lock l(state().mutex); state().count[self.device().index()][ITEMS]++; }
  return on_cpu(self).item();
}
bool shallow_copyable(const Tensor& self, const Tensor& from) {  // `param.data = x` across CPU and vgpu, as for CUDA
  auto dense = [](const Tensor& t) { return t.layout() == kStrided && (t.is_cpu() || on_vgpu(t)); };
  return dense(self) && dense(from);
}
void record_stream(Tensor&, Stream) {}
int64_t sdp_choice(const Tensor& q, const Tensor& k, const Tensor& v, const std::optional<Tensor>& mask, double dropout,
                   bool causal, std::optional<double> scale, bool gqa) {  // flash, without N^2 memory, where the CPU has it
  return at::native::_fused_sdp_choice_cpp(q, k, v, mask, dropout, causal, scale, gqa);
}
template <bool lower>
void autocast(const OperatorHandle& op, Stack* stack) {
  c10::impl::ExcludeDispatchKeyGuard guard(c10::DispatchKey::AutocastPrivateUse1);
  const auto dtype = lower ? at::autocast::get_autocast_dtype(kPrivateUse1) : kFloat;
  for (auto& v : std::span(*stack).last(op.schema().arguments().size()))
    if (v.isTensor()) v = at::autocast::cached_cast(dtype, v.toTensor(), kPrivateUse1);
  op.callBoxed(stack);
}

// ---- registrations
template <void kernel(const OperatorHandle&, Stack*)>
torch::CppFunction boxed() { return torch::CppFunction::makeFromBoxedFunction<kernel>(); }

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) { m.fallback(boxed<fallback>()); }
TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("empty.memory_format", empty);
  m.impl("empty_strided", empty_strided);
  m.impl("resize_", resize_);
  m.impl("_copy_from", copy_from);
  m.impl("_local_scalar_dense", local_scalar_dense);
  m.impl("_has_compatible_shallow_copy_type", shallow_copyable);
  m.impl("record_stream", record_stream);
  m.impl("as_strided", at::native::as_strided_tensorimpl);  // the hot views; the others go through the fallback
  m.impl("view", at::native::view);
  m.impl("_reshape_alias", at::native::_reshape_alias);
  m.impl("set_.source_Tensor", at::native::set_tensor_);
  m.impl("set_.source_Storage", static_cast<Tensor& (*)(Tensor&, Storage)>(at::native::set_));
  m.impl("set_.source_Storage_storage_offset", at::native::set_storage_cpu_);
  m.impl("convolution_overrideable", boxed<convolution>());
  m.impl("convolution_backward_overrideable", boxed<convolution_backward>());
  // These would be composites, which round differently and need more memory than a GPU's kernels.
  for (auto* op : {"native_layer_norm", "native_group_norm"}) m.impl(op, boxed<fallback>());
}
// copy_from resolves conjugated and negated views; PyTorch's fallbacks for those would call it again, without end.
TORCH_LIBRARY_IMPL(aten, Conjugate, m) { m.impl("_copy_from", torch::CppFunction::makeFallthrough()); }
TORCH_LIBRARY_IMPL(aten, Negative, m) { m.impl("_copy_from", torch::CppFunction::makeFallthrough()); }

#define NAME1(op) #op
#define NAME2(op, overload) #op "." #overload
#define PICK(a, b, macro, ...) macro
#define LOWER(...) m.impl(PICK(__VA_ARGS__, NAME2, NAME1)(__VA_ARGS__), boxed<autocast<true>>());
#define FLOAT(...) m.impl(PICK(__VA_ARGS__, NAME2, NAME1)(__VA_ARGS__), boxed<autocast<false>>());
TORCH_LIBRARY_IMPL(_, AutocastPrivateUse1, m) { m.fallback(torch::CppFunction::makeFallthrough()); }
TORCH_LIBRARY_IMPL(aten, AutocastPrivateUse1, m) {
  AT_FORALL_LOWER_PRECISION_FP(LOWER)
  AT_FORALL_FP32(FLOAT)
  AT_FORALL_FP32_SET_OPT_DTYPE(FLOAT)
}

TORCH_LIBRARY(vgpu, m) {  // controls, for headroom_vgpu
  m.def("init(int devices, bool poison) -> ()", [](int64_t devices, bool poison) {
    TORCH_CHECK(devices > 0 && devices <= kMaxDevices, "vgpu: 1 to ", kMaxDevices, " devices, not ", devices);
    state().devices = devices;
    state().poison = poison;
    if (!isPrivateUse1HooksRegistered()) RegisterPrivateUse1HooksInterface(new Hooks);
  });
  m.def("device_count() -> int", [] { return int64_t(state().devices); });
  m.def("default_generator(int device) -> Generator?", [](int64_t d) { return default_generator(d); });
  m.def("set_bound(int device, int which, int value) -> ()", [](int64_t d, int64_t which, int64_t value) {
    TORCH_CHECK(which >= 0 && which < NBOUNDS && value >= 0, "vgpu: no bound ", which, " of ", value);
    Lock l(state().mutex);
    state().bound[checked(d)][which] = value;
  });
  m.def("bounds(int device) -> int[]", [](int64_t d) {
    Lock l(state().mutex);
    return std::vector<int64_t>(state().bound[checked(d)], state().bound[d] + NBOUNDS);
  });
  m.def("counters(int device) -> int[]", [](int64_t d) {
    Lock l(state().mutex);
    std::vector<int64_t> all(state().count[checked(d)], state().count[d] + NCOUNTERS);
    all.insert(all.end(), {state().pinned_live, state().pinned_peak});
    return all;
  });
  m.def("reset(int device) -> ()", [](int64_t d) {  // all but what is allocated; the bounds stay
    Lock l(state().mutex);
    auto& c = state().count[checked(d)];
    for (int i = 0; i < NCOUNTERS; i++) if (i != LIVE) c[i] = 0;
    c[PEAK] = c[LIVE];
    state().pinned_peak = state().pinned_live;
  });
}
} // namespace vgpu
namespace at::native { REGISTER_PRIVATEUSE1_DISPATCH(_fused_sdp_choice_stub, &vgpu::sdp_choice) }

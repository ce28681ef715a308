// vgpu: a virtual GPU for tests, on PyTorch's PrivateUse1 key. See the README in the folder above.
//
// Device memory is host memory, but counted and capped per device, and reachable only through tensors whose device is
// vgpu:N. An op without a kernel below runs the CPU kernel on CPU tensors that alias the same bytes (run_on_cpu):
// nothing is copied, inputs are relabelled on the way in, fresh results adopted (and charged) on the way out.
// Everything is synchronous, save what the delayed mode (order.h) keeps back. One translation unit with its headers:
// they are parts, not interfaces, and torch's headers take most of the time.
#include <ATen/EmptyTensor.h>
#include <ATen/autocast_mode.h>
#include <ATen/native/transformers/attention.h>
#include <ATen/ops/_fused_sdp_choice_native.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/resize_native.h>
#include <ATen/ops/set_native.h>
#include <ATen/ops/view_native.h>
#include <torch/library.h>

#include "hooks.h"

#include <span>

namespace vgpu {
using c10::OperatorHandle;
using torch::jit::Stack;

// ---- running CPU kernels on device memory
const DispatchKeySet kCPUKeys(c10::DispatchKey::CPU), kDeviceKeys(c10::DispatchKey::PrivateUse1);

Storage alias_storage(const Storage& s) {  // a CPU storage over the same bytes, which keeps the original alive
  if (s.device_type() == kPrivateUse1) use(s);
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
void count_copy(const Tensor& moved, const Tensor& where, Counter times) {
  count(where.device().index(), times);
  count(where.device().index(), Counter(times + 1), moved.numel() * moved.element_size());
}
// Keeps back a copy between host and device. As on CUDA, pageable host memory is read at once and written at once;
// pinned memory is read when the copy runs, and stays alive until then.
bool keep_back(const Tensor& self, const Tensor& dst) {
  const auto d = (on_vgpu(dst) ? dst : self).device().index();
  const auto stream = stream_here(d);
  const bool up = on_vgpu(dst);
  if (stream.second == 0 || (up && on_vgpu(self)) || dst.numel() == 0) return false;
  if (!up && !PinnedMemory::contains(dst.data_ptr())) return false;
  OrderLock l(order().mutex);
  const auto from = up && PinnedMemory::contains(self.data_ptr()) ? like(self, alias_storage(self.storage()), kCPUKeys)
                                                                  : on_cpu(self).clone();
  Tensor to = dst;
  if (up) {
    use(dst.storage());
    auto* base = dst.storage().mutable_data();
    Storage loose(Storage::use_byte_size_t(), dst.storage().nbytes(), DataPtr(base, kCPU), nullptr, false);
    to = like(dst, loose, kCPUKeys);
  } else {
    to = like(dst, alias_storage(dst.storage()), kCPUKeys);
  }
  poison(to);
  auto* block = up ? Block::of(dst.storage()) : nullptr;
  (up ? block->traces.awaited : order().to_host).push_back({stream, issue(stream), to, from});
  if (up) order().waiting.insert(&block->traces);
  count(d, LATE);
  return true;
}
Tensor copy_from(const Tensor& self, const Tensor& dst, bool non_blocking) {
  if (!on_vgpu(self)) count_copy(dst, dst, H2D_N);
  else if (!on_vgpu(dst)) count_copy(self, self, D2H_N);
  else if (self.device() != dst.device()) count_copy(dst, dst, P2P_N);
  if (delayed() && non_blocking && keep_back(self, dst)) return dst;
  on_cpu(dst).copy_(on_cpu(self), non_blocking);
  // a blocking copy to or from the host is waited for, and with it all before it on its stream
  if (delayed() && !non_blocking && on_vgpu(self) != on_vgpu(dst))
    host_waits(stream_here((on_vgpu(dst) ? dst : self).device().index()));
  return dst;
}
Scalar local_scalar_dense(const Tensor& self) {
  const auto d = self.device().index();
  count(d, ITEMS);
  const auto value = on_cpu(self).item();
  if (delayed()) host_waits(stream_here(d));
  return value;
}
bool shallow_copyable(const Tensor& self, const Tensor& from) {  // `param.data = x` across CPU and vgpu, as for CUDA
  auto dense = [](const Tensor& t) { return t.layout() == kStrided && (t.is_cpu() || on_vgpu(t)); };
  return dense(self) && dense(from);
}
void record_stream(Tensor& self, Stream stream) {
  auto* block = delayed() ? Block::of(self.storage()) : nullptr;
  if (!block) return;
  OrderLock l(order().mutex);
  block->traces.recorded.insert(key_of(stream));
}
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
  m.def("set_mode(int which, bool on) -> ()", [](int64_t which, bool on) {
    TORCH_CHECK(which >= 0 && which < NMODES, "vgpu: no mode ", which);
    if (which == DELAYED) set_delayed(on);
    else state().mode[which] = on;
  });
  m.def("modes() -> int[]", [] { return std::vector<int64_t>(state().mode, state().mode + NMODES); });
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

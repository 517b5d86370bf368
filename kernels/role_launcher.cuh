// The launcher of a transport: arguments and grids of every role kernel.
#pragma once

#include <functional>

#include "launcher.cuh"
#include "roles/attention_dispatch.cuh"
#include "roles/attention_receive.cuh"
#include "roles/ffn_combine.cuh"
#include "roles/ffn_copy.cuh"
#include "roles/ffn_dispatch.cuh"

namespace fanin::kernels {

/// Bytes of a row in shared memory.
inline int stage_bytes(std::size_t row) { return static_cast<int>(layout::align_up(row, 128)); }

/// endpoint(rank, watch) makes the transport that a rank's kernels post to. Their peers are the
/// ranks of their rail, numbered as in rail_view.
template <class Transport, device::Scope kScope, bool kStamped>
class RoleLauncher : public Launcher {
 public:
  using Endpoint = std::function<Transport(int, const device::Watch&)>;

  RoleLauncher(const World& world, const LaunchPlan& plan, Endpoint endpoint)
      : world_(world), plan_(plan), endpoint_(std::move(endpoint)), shape_(world.shape()) {}

  void prepare() override {
    claim(roles::attention_dispatch<Transport, kStamped>);
    claim(roles::attention_finalize<kStamped>);
    claim(roles::attention_collect<kScope, kStamped>);
    claim(roles::attention_reduce<kStamped>);
    claim(roles::ffn_copy<kStamped>);
    if (shape_.gpus_per_domain > 1) {
      claim(roles::ffn_dispatch<roles::RailDispatchArgs, kScope, kStamped>);
      claim(roles::ffn_combine<roles::RailCombineArgs<Transport>, kScope, kStamped>);
    } else {
      claim(roles::ffn_dispatch<roles::FfnDispatchArgs, kScope, kStamped>);
      claim(roles::ffn_combine<roles::FfnCombineArgs<Transport>, kScope, kStamped>);
    }
    claim(roles::ffn_complete<kStamped>);
  }

  void source_send(int source, cudaStream_t stream) override {
    dispatch_only(source, stream);
    launch(roles::attention_finalize<kStamped>, 1, roles::kFinalizeThreads, 0, stream,
           receive_args(source, KernelId::attention_finalize));
  }

  void source_receive(int source, cudaStream_t stream) override {
    launch(roles::attention_collect<kScope, kStamped>, 1, roles::kCollectThreads, plan_.whole_sm,
           stream, receive_args(source, KernelId::attention_collect));
    launch(roles::attention_reduce<kStamped>, plan_.reduce_ctas, roles::kReduceThreads, 0, stream,
           receive_args(source, KernelId::attention_reduce));
  }

  void ffn_exchange(int ffn, cudaStream_t stream) override {
    const int dispatch_row = stage_bytes(layout::dispatch_row_bytes(shape_));
    const roles::FfnMemory memory = world_.ffn(ffn);
    const Shape received = member_view(shape_);
    ffn_receive(ffn, stream);
    launch(roles::ffn_copy<kStamped>, plan_.copy_ctas, 32 * plan_.copy_warps,
           roles::ffn_copy_shared(plan_.copy_warps, dispatch_row), stream,
           roles::FfnCopyArgs{received, memory, watch(ffn, KernelId::ffn_copy),
                              world_.trace(ffn, KernelId::ffn_copy), dispatch_row});
    ffn_return(ffn, stream);
    launch(roles::ffn_complete<kStamped>, 1, roles::kCompleteThreads, 0, stream,
           roles::FfnCopyArgs{received, memory, watch(ffn, KernelId::ffn_complete),
                              world_.trace(ffn, KernelId::ffn_complete), dispatch_row});
  }

  void dispatch_only(int source, cudaStream_t stream) override {
    const int rank = shape_.rank_of_source(source);
    const device::Watch own_watch = watch(rank, KernelId::attention_dispatch);
    const roles::SourceMemory memory = world_.source(source);
    const Shape shape = rail_of(source);
    launch(roles::attention_dispatch<Transport, kStamped>, shape_.sms,
           32 * roles::attention_dispatch_warps(shape_.channels_per_sm), plan_.whole_sm, stream,
           roles::AttentionDispatchArgs<Transport>{
               own_watch, world_.trace(rank, KernelId::attention_dispatch),
               roles::LoadPlan(shape, memory, plan_.stages,
                               stage_bytes(layout::dispatch_row_bytes(shape))),
               OwnerOf(shape), shape, memory, endpoint_(rank, own_watch),
               world_.ffn_peers(source % shape_.gpus_per_domain)});
  }

 private:
  /// The exchange as the rail of an Attention or FFN rank sees it, the rank counted in its role.
  Shape rail_of(int rank_in_role) const {
    return rail_view(shape_, rank_in_role % shape_.gpus_per_domain);
  }

  /// F1.
  void ffn_receive(int ffn, cudaStream_t stream) {
    const roles::FfnDispatchArgs args{
        rail_of(ffn), world_.ffn(ffn), watch(ffn, KernelId::ffn_dispatch),
        world_.trace(ffn, KernelId::ffn_dispatch), stage_bytes(layout::dispatch_row_bytes(shape_))};
    const int threads = 32 * (shape_.channels_per_sm + roles::kNotifyWarps);
    if (shape_.gpus_per_domain > 1) {
      launch(roles::ffn_dispatch<roles::RailDispatchArgs, kScope, kStamped>, shape_.sms, threads,
             plan_.whole_sm, stream, roles::RailDispatchArgs{args, world_.domain(ffn)});
    } else {
      launch(roles::ffn_dispatch<roles::FfnDispatchArgs, kScope, kStamped>, shape_.sms, threads,
             plan_.whole_sm, stream, args);
    }
  }

  /// F3.
  void ffn_return(int ffn, cudaStream_t stream) {
    const device::Watch own_watch = watch(ffn, KernelId::ffn_combine);
    roles::FfnMemory memory = world_.ffn(ffn);
    memory.ffn = ffn / shape_.gpus_per_domain;
    const roles::FfnCombineArgs<Transport> args{rail_of(ffn),
                                                memory,
                                                world_.source_peers(ffn % shape_.gpus_per_domain),
                                                endpoint_(ffn, own_watch),
                                                own_watch,
                                                world_.trace(ffn, KernelId::ffn_combine),
                                                stage_bytes(layout::combine_row_bytes(shape_))};
    const int threads = 2 * 32 * shape_.channels_per_sm;
    if (shape_.gpus_per_domain > 1) {
      launch(roles::ffn_combine<roles::RailCombineArgs<Transport>, kScope, kStamped>, shape_.sms,
             threads, plan_.whole_sm, stream,
             roles::RailCombineArgs<Transport>{args, world_.domain(ffn)});
    } else {
      launch(roles::ffn_combine<roles::FfnCombineArgs<Transport>, kScope, kStamped>, shape_.sms,
             threads, plan_.whole_sm, stream, args);
    }
  }

  roles::AttentionReceiveArgs receive_args(int source, KernelId kernel) const {
    const int rank = shape_.rank_of_source(source);
    return {rail_of(source), world_.source(source), watch(rank, kernel),
            world_.trace(rank, kernel)};
  }

  device::Watch watch(int rank, KernelId kernel) const {
    return {world_.stall_report(), plan_.limit_ns, kernel, rank};
  }

  /// The same carve-out for every kernel, so that no SM has to change it between two of them.
  template <class Kernel>
  void claim(Kernel* kernel) const {
    FANIN_CUDA_CHECK(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, plan_.whole_sm));
    FANIN_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                          cudaSharedmemCarveoutMaxShared));
  }

  template <class Args>
  void launch(void (*kernel)(Args), int ctas, int threads, std::size_t shared, cudaStream_t stream,
              const Args& args) const {
    kernel<<<static_cast<unsigned>(ctas), static_cast<unsigned>(threads), shared, stream>>>(args);
    FANIN_CUDA_CHECK(cudaGetLastError());
  }

  const World& world_;
  LaunchPlan plan_;
  Endpoint endpoint_;
  Shape shape_;
};

}  // namespace fanin::kernels

/** Preloaded into a gate: reports its memory after a garbage collection. */
process.on("message", ({ message }: { readonly message: unknown }) => {
  if (message !== "heap") return;
  // Twice, because the second run frees what the first one finalizes.
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  process.send?.({ heap: heapUsed + external, rss });
});
process.channel?.unref();

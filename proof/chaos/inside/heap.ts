/** Loaded into a gate: tells what its memory is once everything that nobody needs is gone. */
process.on("message", ({ message }: { readonly message: unknown }) => {
  if (message !== "heap") return;
  // Twice: what the first one finalizes, the second one frees.
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  process.send?.({ heap: heapUsed + external, rss });
});
process.channel?.unref();

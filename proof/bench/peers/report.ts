/** Loaded before a server's own code: tells whoever measures it what it has used so far. */
export {};

process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpu: user + system, memory: process.memoryUsage.rss() });
});
process.on("disconnect", () => process.exit());

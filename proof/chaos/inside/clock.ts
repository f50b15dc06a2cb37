/** Preloaded into a gate or a command: shifts the wall clock and leaves the monotonic clock alone. */
let shiftMs = Number(process.env.CHAOS_SHIFT_MS ?? 0);

const Real = Date;
const now = (): number => Real.now() + shiftMs;

globalThis.Date = new Proxy(Real, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  apply: () => new Real(now()).toString(),
  get: (target, name, receiver) => (name === "now" ? now : Reflect.get(target, name, receiver)),
});

if (process.channel !== undefined) {
  process.on("message", ({ message }: { readonly message: { readonly shiftMs: number } }) => {
    shiftMs = message.shiftMs;
    process.send?.({ now: now() });
  });
  process.channel?.unref();
}

import { mock } from "node:test";

let passed = 0;
let isReplaced = false;

/**
 * Advances both clocks of this process until its tests end. `oidc-provider` and `openid-client` read
 * the time themselves, so an injected clock would move only half of a sign-in.
 */
export function advanceTime(milliseconds: number): void {
  passed += milliseconds;
  if (isReplaced) return;
  isReplaced = true;
  const now = Date.now.bind(Date);
  const monotonic = performance.now.bind(performance);
  mock.method(Date, "now", () => now() + passed);
  mock.method(performance, "now", () => monotonic() + passed);
}

import type { TestContext } from "node:test";
import { Fault } from "../../src/lib/fault.ts";

/** The Fault that the work throws. */
export function faultOf(work: () => unknown): Fault {
  try {
    work();
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

/** What nobody handles while the test runs: rejections and exceptions. */
export function strayFaults(t: TestContext): readonly unknown[] {
  const faults: unknown[] = [];
  const keep = (fault: unknown): number => faults.push(fault);
  process.on("unhandledRejection", keep).on("uncaughtException", keep);
  t.after(() => process.off("unhandledRejection", keep).off("uncaughtException", keep));
  return faults;
}

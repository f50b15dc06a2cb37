import { Fault } from "../../src/core/base/fault.ts";

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

import { AnyFault, codeOf, messageOf, Unavailable } from "../../core/base/fault.ts";

/** For a transfer in one step that failed: what the target has now, and what to do. */
export function transferFault(transfer: "import" | "copy", error: unknown): AnyFault {
  const reason = messageOf(error);
  if (error instanceof Unavailable) {
    // If only the database's answer was lost, everything is there.
    const again = "run the same command again: it does everything, or reports that it is done";
    return new AnyFault(error.code, `the ${transfer} stopped: ${reason}; ${again}`, {
      cause: error,
    });
  }
  const done = transfer === "import" ? "imported" : "copied";
  const code = codeOf(error) ?? `${transfer}_failed`;
  return new AnyFault(code, `nothing was ${done}: ${reason}`, { cause: error });
}

import { guardedFolder } from "../../test/support/postgres-folder.ts";
import type { CaseContext } from "./case.ts";
import { startGate } from "./gate.ts";

export interface Finding {
  readonly kind: "figure" | "passed" | "failed" | "skipped";
  readonly what: string;
  readonly value: string;
}

export interface OpenContext extends CaseContext, AsyncDisposable {
  readonly findings: readonly Finding[];
}

const MAX_PROBLEMS_SHOWN = 5;

/** Starts what a case needs, collects its findings, and ends everything on disposal. */
export function openContext(
  say: (text: string) => void,
  includes: (operation: string) => boolean,
): OpenContext {
  const opened = new AsyncDisposableStack();
  const findings: Finding[] = [];
  return {
    findings,
    say,
    includes,
    defer: (end) =>
      opened.defer(async () => {
        await end();
      }),
    async folder() {
      const folder = await guardedFolder({});
      opened.defer(() => folder.remove());
      return folder;
    },
    async startGate(folder, options) {
      // A case that exceeded its time limit may still be running.
      if (opened.disposed) throw new Error("the case is over");
      const gate = await startGate(folder, options);
      opened.defer(() => gate.kill());
      return gate;
    },
    figure: (what, value) => void findings.push({ kind: "figure", what, value }),
    check(what, problems) {
      const value = shortened(problems).join("; ");
      findings.push({ kind: problems.length === 0 ? "passed" : "failed", what, value });
    },
    skip: (what) => void findings.push({ kind: "skipped", what, value: "" }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

function shortened(problems: readonly string[]): readonly string[] {
  const more = problems.length - MAX_PROBLEMS_SHOWN;
  const shown = problems.slice(0, MAX_PROBLEMS_SHOWN);
  return more > 0 ? [...shown, `and ${more} more`] : shown;
}

import { guardedFolder } from "../../test/support/postgres-folder.ts";
import type { Stage } from "./case.ts";
import { startGate } from "./gate.ts";

export interface Finding {
  readonly kind: "figure" | "kept" | "broken" | "left out";
  readonly what: string;
  readonly value: string;
}

export interface OpenStage extends Stage, AsyncDisposable {
  readonly findings: readonly Finding[];
}

const MOST_PROBLEMS_SHOWN = 5;

/** Everything that a case starts, finds and says. */
export function openStage(say: (text: string) => void): OpenStage {
  const opened = new AsyncDisposableStack();
  const findings: Finding[] = [];
  return {
    findings,
    say,
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
      // A case that took too long goes on behind its end.
      if (opened.disposed) throw new Error("the case is over");
      const gate = await startGate(folder, options);
      opened.defer(() => gate.kill());
      return gate;
    },
    figure: (what, value) => void findings.push({ kind: "figure", what, value }),
    promise(what, problems) {
      const value = shortened(problems).join("; ");
      findings.push({ kind: problems.length === 0 ? "kept" : "broken", what, value });
    },
    leaveOut: (what) => void findings.push({ kind: "left out", what, value: "" }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

function shortened(problems: readonly string[]): readonly string[] {
  const more = problems.length - MOST_PROBLEMS_SHOWN;
  const shown = problems.slice(0, MOST_PROBLEMS_SHOWN);
  return more > 0 ? [...shown, `and ${more} more`] : shown;
}

import type { Amounts, Portion } from "../../core/transfer/transfer-store.ts";
import { counted } from "../terminal.ts";

/** `2 users and 1 log entry`. */
export const amountsText = ({ users, entries }: Amounts): string =>
  `${counted(users, "user")} and ${counted(entries, "log entry", "log entries")}`;

const units = { users: "users", entries: "log entries", pages: "pages" } as const;

/** How far a step has come, in the units that it counts. */
export type Progress = { readonly step: string } & {
  readonly [unit in keyof typeof units]?: Portion | undefined;
};

const REDRAW_EVERY_MS = 100;

interface ProgressOutput {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

interface ProgressDisplay {
  show(progress: Progress): void;
  /** Clears the line for the next output. */
  end(): void;
}

/** A line that is redrawn on a terminal; elsewhere nothing. */
export function progressDisplay(output: ProgressOutput, now: () => number): ProgressDisplay {
  const isTerminal = output.isTTY === true;
  let shownAt = Number.NEGATIVE_INFINITY;
  return {
    show(progress) {
      if (!isTerminal || now() - shownAt < REDRAW_EVERY_MS) return;
      shownAt = now();
      // One column stays free: some terminals wrap a full line.
      const columns = (output.columns || 80) - 1;
      output.write(`\r${lineOf(progress).slice(0, columns)}\u001b[K`);
    },
    end() {
      if (isTerminal) output.write("\r\u001b[K");
    },
  };
}

/** `copying: users 2/2, log entries 2,498/9,998`. */
function lineOf({ step, ...portions }: Progress): string {
  const counts = (Object.keys(units) as readonly (keyof typeof units)[]).flatMap((unit) => {
    const { [unit]: portion } = portions;
    if (portion === undefined) return [];
    return `${units[unit]} ${number(portion.done)}/${number(portion.total)}`;
  });
  return `${step}: ${counts.join(", ")}`;
}

const number = (value: number): string => value.toLocaleString("en");

import type { Amounts, Progress } from "../../core/transfer/transfer-store.ts";
import { counted } from "../terminal.ts";

/** `2 users and 1 log entry`. */
export const amountsText = ({ users, entries }: Amounts): string =>
  `${counted(users, "user")} and ${counted(entries, "log entry", "log entries")}`;

const REDRAW_EVERY_MS = 100;

interface ProgressOutput {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

interface ProgressDisplay extends Disposable {
  show(progress: Progress): void;
  /** Clears the line for the next output. */
  end(): void;
}

/** A line that is redrawn on a terminal; elsewhere nothing. */
export function progressDisplay(
  output: ProgressOutput,
  now: () => number = () => performance.now(),
): ProgressDisplay {
  const isTerminal = output.isTTY === true;
  let shownAt = Number.NEGATIVE_INFINITY;
  const end = (): void => {
    if (isTerminal) output.write("\r\u001b[K");
  };
  return {
    show(progress) {
      if (!isTerminal || now() - shownAt < REDRAW_EVERY_MS) return;
      shownAt = now();
      // One column stays free: some terminals wrap a full line.
      const columns = (output.columns || 80) - 1;
      output.write(`\r${lineOf(progress).slice(0, columns)}\u001b[K`);
    },
    end,
    [Symbol.dispose]: end,
  };
}

/** `copying: users 2/2, log entries 2,498/9,998`. */
function lineOf(progress: Progress): string {
  const counts = Object.entries({
    users: progress.users,
    "log entries": progress.entries,
    pages: progress.pages,
  });
  const texts = counts.flatMap(([name, portion]) =>
    portion === undefined ? [] : `${name} ${number(portion.done)}/${number(portion.total)}`,
  );
  return `${progress.step}: ${texts.join(", ")}`;
}

const number = (value: number): string => value.toLocaleString("en");

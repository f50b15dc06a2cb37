import type { Amounts, Portion } from "../../core/transfer/transfer-store.ts";
import { counted } from "../terminal.ts";

/** `2 users and 1 log entry`. */
export const amountsText = ({ users, entries }: Amounts): string =>
  `${counted(users, "user")} and ${counted(entries, "log entry", "log entries")}`;

/** How far a step has come, in the units that it counts. */
export type Progress = { readonly step: string } & {
  readonly [unit in Unit]?: Portion | undefined;
};

const units = { users: "users", entries: "log entries", bytes: "bytes", pages: "pages" } as const;

type Unit = keyof typeof units;

const REDRAW_EVERY_MS = 100;
const LINE_EVERY_MS = 3_000;
const BAR_LENGTH = 20;
/** A rate is shown from then on: that of the first moments would mislead. */
const RATE_AFTER_MS = 500;

interface ProgressOutput {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

export interface ProgressDisplay {
  show(progress: Progress): void;
  /** Clears the line for the next output. */
  end(): void;
}

/** The state when a step began: work done before it does not count for the rate. */
interface StepStart {
  readonly step: string;
  readonly at: number;
  readonly done: number;
}

/** A bar that is redrawn on a terminal, a line every few seconds elsewhere. */
export function progressDisplay(output: ProgressOutput, now: () => number): ProgressDisplay {
  const terminal = output.isTTY === true;
  let start: StepStart | undefined;
  // The first line waits too: a short step needs none.
  let shownAt = terminal ? Number.NEGATIVE_INFINITY : now();
  return {
    show(progress) {
      const at = now();
      if (start?.step !== progress.step)
        start = { step: progress.step, at, done: sumOf(progress).done };
      if (at - shownAt < (terminal ? REDRAW_EVERY_MS : LINE_EVERY_MS)) return;
      shownAt = at;
      const state = { progress, elapsedMs: at - start.at, doneBefore: start.done };
      // One column stays free: some terminals wrap a full line.
      const columns = (output.columns || 80) - 1;
      output.write(terminal ? `\r${barOf(state, columns)}\u001b[K` : `${lineOf(state)}\n`);
    },
    end() {
      if (terminal) output.write("\r\u001b[K");
    },
  };
}

interface ProgressState {
  readonly progress: Progress;
  readonly elapsedMs: number;
  readonly doneBefore: number;
}

/** The most important parts come first: a narrow terminal cuts off the rest. */
export function barOf(state: ProgressState, columns: number): string {
  const filled = Math.floor(shareOf(sumOf(state.progress)) * BAR_LENGTH);
  const bar = `[${"#".repeat(filled)}${".".repeat(BAR_LENGTH - filled)}]`;
  return `${bar} ${lineOf(state)}`.slice(0, columns);
}

export function lineOf({ progress, elapsedMs, doneBefore }: ProgressState): string {
  const sum = sumOf(progress);
  const percent = `${Math.floor(shareOf(sum) * 100)}%`;
  const counts = portionsIn(progress).map(
    ([unit, { done, total }]) => `${units[unit]} ${number(done)}/${number(total)}`,
  );
  const line = `${percent.padStart(4)} ${progress.step}: ${counts.join(", ")}`;
  const perSecond = ((sum.done - doneBefore) / elapsedMs) * 1_000;
  if (elapsedMs < RATE_AFTER_MS || perSecond <= 0) return line;
  return `${line}, ${number(perSecond)}/s, ${timeOf((sum.total - sum.done) / perSecond)} left`;
}

const portionsIn = (progress: Progress): readonly (readonly [Unit, Portion])[] =>
  (Object.keys(units) as readonly Unit[])
    .map((unit) => [unit, progress[unit]] as const)
    .filter((part): part is readonly [Unit, Portion] => part[1] !== undefined);

const sumOf = (progress: Progress): Portion =>
  portionsIn(progress).reduce(
    (sum, [, { done, total }]) => ({ done: sum.done + done, total: sum.total + total }),
    { done: 0, total: 0 },
  );

const shareOf = ({ done, total }: Portion): number => (total === 0 ? 1 : done / total);

const number = (value: number): string => Math.round(value).toLocaleString("en");

/** `0:07`, `12:00`, `3:02:10`. */
function timeOf(seconds: number): string {
  const whole = Math.ceil(seconds);
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor((whole % 3_600) / 60)];
  const rest = String(whole % 60).padStart(2, "0");
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

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
/** Earlier, the rate of the start would mislead. */
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
      if (start?.step !== progress.step) start = { step: progress.step, at, done: done(progress) };
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
  const filled = Math.floor(shareOf(state.progress) * BAR_LENGTH);
  const bar = `[${"#".repeat(filled)}${".".repeat(BAR_LENGTH - filled)}]`;
  return `${bar} ${lineOf(state)}`.slice(0, columns);
}

export function lineOf({ progress, elapsedMs, doneBefore }: ProgressState): string {
  const percent = `${Math.floor(shareOf(progress) * 100)}%`;
  const counts = portionsIn(progress).map(
    ([unit, { done, total }]) => `${units[unit]} ${number(done)}/${number(total)}`,
  );
  const line = `${percent.padStart(4)} ${progress.step}: ${counts.join(", ")}`;
  const perSecond = ((done(progress) - doneBefore) / elapsedMs) * 1_000;
  if (elapsedMs < RATE_AFTER_MS || perSecond <= 0) return line;
  const left = (total(progress) - done(progress)) / perSecond;
  return `${line}, ${number(perSecond)}/s, ${timeOf(left)} left`;
}

function portionsIn(progress: Progress): readonly (readonly [Unit, Portion])[] {
  return (Object.keys(units) as readonly Unit[]).flatMap((unit) => {
    const portion = progress[unit];
    return portion === undefined ? [] : [[unit, portion] as const];
  });
}

const done = (progress: Progress): number =>
  portionsIn(progress).reduce((sum, [, portion]) => sum + portion.done, 0);

const total = (progress: Progress): number =>
  portionsIn(progress).reduce((sum, [, portion]) => sum + portion.total, 0);

const shareOf = (progress: Progress): number =>
  total(progress) === 0 ? 1 : done(progress) / total(progress);

const number = (value: number): string => Math.round(value).toLocaleString("en");

/** `0:07`, `12:00`, `3:02:10`. */
function timeOf(seconds: number): string {
  const whole = Math.ceil(seconds);
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor((whole % 3_600) / 60)];
  const rest = String(whole % 60).padStart(2, "0");
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

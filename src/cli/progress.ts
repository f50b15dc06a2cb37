import type { CopyProgress } from "../core/copy.ts";

const REDRAW_EVERY_MS = 100;
const LINE_EVERY_MS = 3_000;
const BAR_LENGTH = 20;
/** Before that, a rate says more about the start than about the rest. */
const RATE_AFTER_MS = 500;

export interface ProgressOutput {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

export interface ProgressDisplay {
  show(progress: CopyProgress): void;
  /** Leaves the line clear for what is said next. */
  end(): void;
}

/** Where a step began: what was done before does not count for the rate. */
interface StepStart {
  readonly step: CopyProgress["step"];
  readonly at: number;
  readonly done: number;
}

/** A bar that is redrawn on a terminal, a line every few seconds elsewhere. */
export function progressDisplay(output: ProgressOutput, now: () => number): ProgressDisplay {
  const terminal = output.isTTY === true;
  let start: StepStart | undefined;
  // The first line has to wait, too: what is over quickly needs none.
  let shownAt = terminal ? Number.NEGATIVE_INFINITY : now();
  return {
    show(progress) {
      const at = now();
      if (start?.step !== progress.step) start = { step: progress.step, at, done: done(progress) };
      if (at - shownAt < (terminal ? REDRAW_EVERY_MS : LINE_EVERY_MS)) return;
      shownAt = at;
      const state = { progress, elapsedMs: at - start.at, doneBefore: start.done };
      // One column stays free, where some terminals would go on to the next line.
      const columns = (output.columns || 80) - 1;
      output.write(terminal ? `\r${barOf(state, columns)}\u001b[K` : `${lineOf(state)}\n`);
    },
    end() {
      if (terminal) output.write("\r\u001b[K");
    },
  };
}

export interface ProgressState {
  readonly progress: CopyProgress;
  readonly elapsedMs: number;
  readonly doneBefore: number;
}

/** The most important first, since a narrow terminal cuts off the rest. */
export function barOf(state: ProgressState, columns: number): string {
  const filled = Math.floor(shareOf(state.progress) * BAR_LENGTH);
  const bar = `[${"#".repeat(filled)}${".".repeat(BAR_LENGTH - filled)}]`;
  return `${bar} ${lineOf(state)}`.slice(0, columns);
}

export function lineOf({ progress, elapsedMs, doneBefore }: ProgressState): string {
  const { step, users, entries } = progress;
  const percent = `${Math.floor(shareOf(progress) * 100)}%`;
  const counts = `users ${portion(users)}, log entries ${portion(entries)}`;
  const perSecond = ((done(progress) - doneBefore) / elapsedMs) * 1_000;
  if (elapsedMs < RATE_AFTER_MS || perSecond <= 0) {
    return `${percent.padStart(4)} ${step}: ${counts}`;
  }
  const left = (total(progress) - done(progress)) / perSecond;
  return `${percent.padStart(4)} ${step}: ${counts}, ${number(perSecond)}/s, ${timeOf(left)} left`;
}

const done = ({ users, entries }: CopyProgress): number => users.done + entries.done;

const total = ({ users, entries }: CopyProgress): number => users.total + entries.total;

const shareOf = (progress: CopyProgress): number =>
  total(progress) === 0 ? 1 : done(progress) / total(progress);

const portion = (one: CopyProgress["users"]): string => `${number(one.done)}/${number(one.total)}`;

const number = (value: number): string => Math.round(value).toLocaleString("en");

/** `0:07`, `12:00`, `3:02:10`. */
function timeOf(seconds: number): string {
  const whole = Math.ceil(seconds);
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor((whole % 3_600) / 60)];
  const rest = String(whole % 60).padStart(2, "0");
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

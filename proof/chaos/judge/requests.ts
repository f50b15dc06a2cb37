import { quantile } from "../../bench/figures.ts";

/** How one request fared. Moments in ms since some moment. */
export interface Sent {
  readonly kind: string;
  readonly sentAt: number;
  readonly ms: number;
  /**
   * `refused`: the connection was not taken, or ended before it was ever of use. `reset`: it had
   * been, and ended instead of an answer. `cut`: in the middle of one.
   */
  readonly fate: "answered" | "refused" | "reset" | "cut";
  readonly status: number;
  /** Whether the answer is one that the kind of request may get. */
  readonly sound: "yes" | "no";
}

/** What was on its way over open connections when the end was asked for is answered whole. */
export function judgeShutdown(sent: readonly Sent[], signalAt: number): readonly string[] {
  return sent.flatMap((one) => {
    const told = before(one, signalAt);
    if (one.fate === "cut") return [`${told}: cut off in the middle of its answer`];
    if (one.fate === "reset" && one.sentAt < signalAt) return [`${told}: not answered`];
    return one.fate === "answered" && one.sound === "no" ? [`${told}: answered ${one.status}`] : [];
  });
}

/** An open connection ends with an answer that says so, not under a request that comes afterwards. */
export function judgeResets(sent: readonly Sent[], signalAt: number): readonly string[] {
  return sent
    .filter(({ fate, sentAt }) => fate === "reset" && sentAt >= signalAt)
    .map((one) => `${before(one, signalAt)}: reset without a word`);
}

const before = ({ kind, sentAt }: Sent, signalAt: number): string =>
  sentAt < signalAt
    ? `${kind}, sent ${inMs(signalAt - sentAt)} before the signal`
    : `${kind}, sent ${inMs(sentAt - signalAt)} after the signal`;

/** Every request answered, soundly, and 99 of 100 in time. */
export function judgeAnswers(sent: readonly Sent[], p99Ms: number): readonly string[] {
  const wrong = sent
    .filter(({ fate, sound }) => fate !== "answered" || sound === "no")
    .map(({ kind, fate, status, ms }) => `${kind}: ${fate} ${status} after ${ms.toFixed(0)} ms`);
  const p99 = p99Of(sent);
  const none = sent.length === 0 ? ["nothing was asked"] : [];
  return [...none, ...wrong, ...(p99 > p99Ms ? [`99 of 100 took up to ${inMs(p99)}`] : [])];
}

export const p99Of = (sent: readonly Sent[]): number =>
  quantile(
    sent.map(({ ms }) => ms),
    0.99,
  );

export const p50Of = (sent: readonly Sent[]): number =>
  quantile(
    sent.map(({ ms }) => ms),
    0.5,
  );

export const inMs = (ms: number): string => `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;

export const latencies = (sent: readonly Sent[]): string =>
  `p50 ${inMs(p50Of(sent))}, p99 ${inMs(p99Of(sent))}, ${sent.length} requests`;

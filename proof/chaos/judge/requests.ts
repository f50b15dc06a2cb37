import { quantile } from "../../bench/figures.ts";

/** The outcome of one request. Times are in ms. */
export interface Sent {
  readonly kind: string;
  readonly sentAt: number;
  readonly ms: number;
  /**
   * `refused`: the connection never delivered a response. `reset`: it had delivered one, and ended
   * without this response. `cut`: it ended in the middle of this response.
   */
  readonly fate: "answered" | "refused" | "reset" | "cut";
  readonly status: number;
  /** Whether the response is one that the request may get. */
  readonly expected: "yes" | "no";
}

/** Requests in flight on open connections at the signal must get complete responses. */
export function judgeShutdown(sent: readonly Sent[], signalAt: number): readonly string[] {
  return sent.flatMap((one) => {
    const when = before(one, signalAt);
    if (one.fate === "cut") return [`${when}: the response was cut off`];
    if (one.fate === "reset" && one.sentAt < signalAt) return [`${when}: no response`];
    return one.fate === "answered" && one.expected === "no"
      ? [`${when}: status ${one.status}`]
      : [];
  });
}

/** The gate must announce the end of an open connection, not reset it under a later request. */
export function judgeResets(sent: readonly Sent[], signalAt: number): readonly string[] {
  return sent
    .filter(({ fate, sentAt }) => fate === "reset" && sentAt >= signalAt)
    .map((one) => `${before(one, signalAt)}: connection reset`);
}

const before = ({ kind, sentAt }: Sent, signalAt: number): string =>
  sentAt < signalAt
    ? `${kind}, sent ${inMs(signalAt - sentAt)} before the signal`
    : `${kind}, sent ${inMs(sentAt - signalAt)} after the signal`;

/** Every request must get an expected response, and 99 of 100 in time. */
export function judgeResponses(sent: readonly Sent[], p99Ms: number): readonly string[] {
  const wrong = sent
    .filter(({ fate, expected }) => fate !== "answered" || expected === "no")
    .map(({ kind, fate, status, ms }) => `${kind}: ${fate} ${status} after ${ms.toFixed(0)} ms`);
  const p99 = p99Of(sent);
  const none = sent.length === 0 ? ["no requests were sent"] : [];
  return [...none, ...wrong, ...(p99 > p99Ms ? [`p99 is ${inMs(p99)}`] : [])];
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

import { pathOf } from "../../web/paths.ts";
import { type Handle, wasSent } from "../listener.ts";
import { type Counter, counter, type Histogram, histogram } from "./instruments.ts";
import type { Metric } from "./text-format.ts";

const REQUEST_SECONDS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
];

export interface RequestCounting {
  readonly metrics: readonly Metric[];
  /** Wraps a handler to count its requests. All paths outside `paths` count as one. */
  counting(handle: Handle, paths: Iterable<string>): Handle;
}

/** Requests of one method for one route. */
interface Kind {
  readonly durations: Histogram;
  /** By status, or `aborted`. */
  readonly answers: Map<number | "aborted", Counter>;
}

const OTHER = "other";
const METHODS = ["GET", "HEAD", "POST"];

/** Labels come from fixed lists, so that clients cannot create series with new paths or methods. */
export function createRequestCounting(seconds: () => number): RequestCounting {
  const requests = counter(
    "latchkey_http_requests_total",
    "Requests by route and status. Aborted: the client disconnected before the end of the response.",
  );
  const durations = histogram(
    "latchkey_http_request_duration_seconds",
    "Time from a request's headers to the end of its response.",
    REQUEST_SECONDS,
  );
  const kinds = new Map<string, Map<string, Kind>>();

  function kindOf(route: string, method: string): Kind {
    const ofRoute = kinds.get(route);
    const known = ofRoute?.get(method);
    if (known !== undefined) return known;
    const kind = { durations: durations.of({ route, method }), answers: new Map() };
    kinds.set(route, (ofRoute ?? new Map()).set(method, kind));
    return kind;
  }

  function count(route: string, method: string, status: number | "aborted", took: number): void {
    const kind = kindOf(route, method);
    kind.durations.observe(took);
    let answers = kind.answers.get(status);
    if (answers === undefined) {
      answers = requests.of({ route, method, code: String(status) });
      kind.answers.set(status, answers);
    }
    answers.add(1);
  }

  return {
    metrics: [requests, durations],
    counting(handle, paths) {
      const routes = new Set(paths);
      const methods = new Set(METHODS);
      return (incoming, outgoing) => {
        const start = seconds();
        outgoing.once("close", () => {
          const { url = "", method = "" } = incoming;
          const path = pathOf(url);
          count(
            routes.has(path) ? path : OTHER,
            methods.has(method) ? method : OTHER,
            wasSent(outgoing) ? outgoing.statusCode : "aborted",
            seconds() - start,
          );
        });
        handle(incoming, outgoing);
      };
    },
  };
}

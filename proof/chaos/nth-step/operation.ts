export type Env = Readonly<Record<string, string>>;

/** Where an operation runs. */
export interface Place {
  readonly folder: string;
  readonly env: Env;
}

/** How an operation ended: with 0 if it was done, `null` if it was killed. */
export interface Ending {
  readonly code: number | null;
  readonly said: string;
}

/** The n-th call of this kind in the thread. */
export interface Point {
  readonly call: string;
  readonly n: number;
  readonly thread: string;
  readonly fate: "fails" | "killed";
}

/** Without a point, calls are only counted. */
export interface Tracing {
  readonly log: string;
  readonly point?: Point;
}

/** An operation that changes the disk, and the state before and after it. */
export interface Operation {
  readonly name: string;
  /** An operation of a gate also succeeds after it was done. */
  readonly by: "command" | "gate";
  readonly before: string;
  readonly after: string;
  /** Its error message. */
  readonly failure: RegExp;
  /** The folder that it changes, in its own: all by default. */
  readonly within?: string;
  prepare(folder: string, env: Env): Promise<void>;
  state(folder: string, env: Env): Promise<string>;
  run(place: Place): Promise<Ending>;
  /** Runs it in a process that strace watches. */
  trace(place: Place, tracing: Tracing): Promise<Ending>;
}

import type { Grant, Token } from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import type { Visitor } from "./visitor.ts";

/** Contains a code or token that a request uses up. */
interface Consumed {
  readonly id: string;
  readonly grantId: string | undefined;
}

/** Anybody can make the provider write these. */
const BEGINNINGS: ReadonlySet<string> = new Set([
  "DeviceCode",
  "Interaction",
  "PushedAuthorizationRequest",
  "Session",
]);

/**
 * Contains what one request to the provider knows and writes. What it writes is committed in one
 * transaction before its response is sent: either all of it, or nothing.
 */
export class RequestState {
  readonly visitor: Visitor | undefined;
  /** Contains the grants that this request has looked up. */
  readonly grants: Map<string, Promise<Grant | undefined>> = new Map();
  readonly #consumed = new Map<string, Consumed>();
  readonly #written = new Map<string, Token>();
  /** Contains the IDs of the codes that this request has found. */
  readonly #foundCodes = new Set<string>();

  constructor(visitor: Visitor | undefined) {
    this.visitor = visitor;
  }

  /** Notes that a code or token is used up. `commit` says whether this request was the first. */
  consume(consumed: Consumed): void {
    this.#consumed.set(consumed.id, consumed);
  }

  noteFoundCode(id: string): void {
    this.#foundCodes.add(id);
  }

  /** Returns whether this request has found the code, which it may have removed since. */
  hasFoundCode(id: string): boolean {
    return this.#foundCodes.has(id);
  }

  write(token: Token): void {
    this.#written.set(token.id, token);
  }

  /** Returns whether this request begins a sign-in that waits for somebody. */
  get beginsSignIn(): boolean {
    return [...this.#written.values()].some(({ kind }) => BEGINNINGS.has(kind));
  }

  /** Returns what this request has written. */
  findWritten(id: string): Token | undefined {
    return this.#written.get(id);
  }

  forget(id: string): void {
    this.#written.delete(id);
  }

  /**
   * Commits everything. If another request has used a code or token first, one of the two is a
   * thief: nothing is written, and the grants of both end.
   */
  async commit(
    store: Pick<StoreParts, "tokens" | "grants">,
    now: Date,
  ): Promise<"committed" | "already-used"> {
    const written = [...this.#written.values()];
    const consumed = [...this.#consumed.keys()];
    if (written.length === 0 && consumed.length === 0) return "committed";
    const outcome = await store.tokens.commit({ consumed, written }, now);
    if (outcome === "committed") return outcome;
    for (const { grantId } of this.#consumed.values()) {
      if (grantId !== undefined) await store.grants.remove({ id: grantId });
    }
    return outcome;
  }
}

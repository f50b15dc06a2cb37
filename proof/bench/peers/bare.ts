import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Peer } from "./peer.ts";

/** A page of Latchkey's, as its bytes went over the wire. */
export interface RecordedPage {
  readonly path: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

export const RECORDED = "pages.json";

/** Pages to be served by nothing but the HTTP layer that Latchkey serves them with. */
export function recordedPages(folder: string): readonly RecordedPage[] {
  try {
    return JSON.parse(readFileSync(join(folder, RECORDED), "utf8"));
  } catch {
    return [];
  }
}

/** As long as one of Latchkey's: reading headers is the HTTP layer's work. */
const COOKIE = `session=${"x".repeat(205)}`;

/** No door: what is left when nobody is asked who they are. */
export function bare(serve: Peer["serve"]): Peer {
  return { plant: async () => [COOKIE], serve };
}

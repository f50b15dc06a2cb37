import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Peer } from "./peer.ts";

/** The raw bytes of one of Latchkey's pages. */
export interface RecordedPage {
  readonly path: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

export const RECORDED = "pages.json";

/** Latchkey's pages, served by only the HTTP layer. */
export function recordedPages(folder: string): readonly RecordedPage[] {
  try {
    return JSON.parse(readFileSync(join(folder, RECORDED), "utf8"));
  } catch {
    return [];
  }
}

/** As long as Latchkey's cookie for the same user, because the HTTP layer parses the headers. */
const COOKIE = `session=${"x".repeat(192)}`;

/** Serves without any check of the session. */
export function bare(serve: Peer["serve"]): Peer {
  return { plant: async () => [COOKIE], serve };
}

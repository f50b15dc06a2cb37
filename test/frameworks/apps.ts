import { browseNext, refuseStrangersAction } from "./next-steps.ts";
import type { Step } from "./steps.ts";

/** An app in `examples`, and in what it differs from the others. */
export interface App {
  /** Its folder in `examples`. */
  readonly name: string;
  readonly build?: "needed";
  /** `own`: by its script. Otherwise the types of the runtime, by which its `app.ts` is checked. */
  readonly types?: "own" | "node" | "bun";
  /** `fixed`: the framework accepts forms only from the origin that it was built for. */
  readonly origin?: "fixed";
  /** `header`: the app reads the client's address from a header, which only a proxy makes reliable. */
  readonly address?: "header";
  /** `at once`: the framework stops without writing the last entries of the audit log. */
  readonly stop?: "at once";
  readonly steps?: readonly Step[];
}

/** The apps, those first that take longest. */
export const apps: readonly App[] = [
  {
    ...{ name: "next", build: "needed", address: "header", stop: "at once" },
    steps: [refuseStrangersAction, browseNext],
  },
  { name: "react-router", build: "needed", types: "own" },
  { name: "astro", build: "needed", types: "own" },
  { name: "sveltekit", build: "needed", origin: "fixed" },
  { name: "nest", build: "needed" },
  { name: "deno" },
  { name: "bun", types: "bun" },
  { name: "express", types: "node" },
  { name: "express-4", types: "node" },
  { name: "fastify", types: "node" },
  { name: "hono", types: "node" },
  { name: "node", types: "node" },
  { name: "h3", types: "node" },
];

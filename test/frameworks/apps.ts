import { refuseStrangersAction, serveBelowBasePath } from "./next-steps.ts";
import type { Step } from "./steps.ts";
import { redirectData } from "./sveltekit-steps.ts";

/** An app in `examples`, and in what it differs from the others. */
export interface App {
  /** Its folder in `examples`. */
  readonly name: string;
  readonly build?: "needed";
  /** The page whose code it uses, if that is not in its folder. */
  readonly code?: string;
  /** How to start it, if not by its script. */
  readonly start?: string;
  /** The page that greets the user, if not the first one. */
  readonly home?: string;
  /** `client`: code in the browser follows the link to `/notes`, and sends the form there. */
  readonly links?: "client";
  /** What the framework itself writes to the browser's console. */
  readonly logs?: RegExp;
  /** The types of the runtime, by which its `app.ts` is checked if it has no script for that. */
  readonly types?: "node" | "bun";
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
    ...{ name: "next", build: "needed", address: "header", stop: "at once", links: "client" },
    start: "exec next start --hostname 127.0.0.1",
    logs: /An unexpected response was received from the server/,
    steps: [refuseStrangersAction, serveBelowBasePath],
  },
  {
    ...{ name: "nest", build: "needed", home: "/hello" },
    start: "exec node dist/main.js",
  },
  {
    ...{ name: "react-router", build: "needed", links: "client" },
    logs: /Failed to fetch manifest patches/,
    start: "exec node server.js",
  },
  {
    ...{ name: "astro", build: "needed" },
    start: "exec node dist/server/entry.mjs",
  },
  {
    ...{ name: "sveltekit", build: "needed", origin: "fixed", links: "client" },
    ...{ start: "exec node build", logs: /Not found: \/auth\/login/ },
    steps: [redirectData],
  },
  {
    ...{ name: "sveltekit-3", build: "needed", origin: "fixed", links: "client" },
    ...{ code: "sveltekit", logs: /Not found: \/auth\/login/ },
    steps: [redirectData],
  },
  { name: "deno" },
  { name: "bun", types: "bun" },
  { name: "express", types: "node" },
  { name: "express-4", types: "node" },
  { name: "fastify", types: "node" },
  { name: "hono", types: "node" },
  { name: "node", types: "node" },
  { name: "h3", types: "node" },
];

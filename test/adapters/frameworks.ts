import { expressApp } from "./express-app.ts";
import { fastifyApp } from "./fastify-app.ts";
import { fetchApp } from "./fetch-app.ts";
import type { Framework } from "./framework.ts";
import { honoApp } from "./hono-app.ts";
import { nodeApp } from "./node-app.ts";

/** Every adapter, in an application of its own. */
export const frameworks: readonly Framework[] = [
  honoApp,
  nodeApp,
  expressApp,
  fastifyApp,
  fetchApp,
];

/** Without a base path and with one. */
export const bases = ["", "/auth"] as const;

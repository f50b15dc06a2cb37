import { expressApp } from "./express-app.ts";
import { fastifyApp } from "./fastify-app.ts";
import { fetchApp } from "./fetch-app.ts";
import type { Framework } from "./framework.ts";
import { honoApp } from "./hono-app.ts";
import { nodeApp } from "./node-app.ts";

/** One application for each adapter. */
export const frameworks: readonly Framework[] = [
  honoApp,
  nodeApp,
  expressApp,
  fastifyApp,
  fetchApp,
];

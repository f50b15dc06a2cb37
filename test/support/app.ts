import type { TestContext } from "node:test";
import type { AuthOptions } from "../../src/index.ts";
import { honoApp } from "../adapters/hono-app.ts";
import { type RunningAdapter, startApp as startFramework } from "../adapters/running.ts";

export type RunningApp = RunningAdapter;

/** The app of the adapters' tests that uses the library with Hono, on a free port. */
export const startApp = (t: TestContext, options: Partial<AuthOptions> = {}): Promise<RunningApp> =>
  startFramework(t, honoApp, options);

import type { TestContext } from "node:test";
import type { AuthOptions } from "../../src/index.ts";
import { honoApp } from "../adapters/hono-app.ts";
import { type RunningAdapter, startApp as startFramework } from "../adapters/running.ts";
import { SETUP_FORM } from "./gate.ts";

export type RunningApp = RunningAdapter;

/** The app of the adapters' tests that uses the library with Hono, on a free port. */
export const startApp = (t: TestContext, options: Partial<AuthOptions> = {}): Promise<RunningApp> =>
  startFramework(t, honoApp, options);

/** The same app with the account `OWNER`, and a session of this account. */
export async function startConfiguredApp(
  t: TestContext,
  options: Partial<AuthOptions> = {},
): Promise<{ readonly app: RunningApp; readonly session: string }> {
  const app = await startApp(t, options);
  const { session = "" } = await app.send("/setup", { form: SETUP_FORM });
  return { app, session };
}

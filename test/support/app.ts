import type { TestContext } from "node:test";
import { honoApp } from "../adapters/hono-app.ts";
import { type RunningAdapter, startApp as startFramework } from "../adapters/running.ts";
import { SETUP_FORM } from "./gate.ts";
import type { AppOptions } from "./options.ts";

export type RunningApp = RunningAdapter;

/** The app of the adapters' tests that uses the library with Hono, on a free port. */
export const startApp = (t: TestContext, options: AppOptions = {}): Promise<RunningApp> =>
  startFramework(t, honoApp, options);

/** The same app with the account `OWNER`, and a session of this account. */
export async function startConfiguredApp(
  t: TestContext,
  options: AppOptions = {},
): Promise<{ readonly app: RunningApp; readonly session: string }> {
  const app = await startApp(t, options);
  const { session = "" } = await app.send("/setup", { form: SETUP_FORM });
  return { app, session };
}

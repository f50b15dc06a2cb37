import assert from "node:assert/strict";
import { readSettings, type Settings } from "../../src/server/settings.ts";

type Values = Readonly<Record<string, string | undefined>>;

const read = (env: Values, flags: Values = {}, envFile?: string) =>
  readSettings({ env, flags, envFile });

/** All but the environment for programs, which repeats what was given. */
export type OwnSettings = Omit<Settings, "programEnvironment">;

export function settled(env: Values, flags: Values = {}, envFile?: string): OwnSettings {
  const { programEnvironment: _, ...own } = wholeSettings(env, flags, envFile);
  return own;
}

export function wholeSettings(env: Values, flags: Values = {}, envFile?: string): Settings {
  const reading = read(env, flags, envFile);
  assert.ok(reading.kind === "settings", JSON.stringify(reading));
  return reading.settings;
}

export function problems(env: Values, flags: Values = {}, envFile?: string): readonly string[] {
  const reading = read(env, flags, envFile);
  return reading.kind === "wrong" ? reading.problems : [];
}

export function warnings(env: Values): readonly string[] {
  const reading = read(env);
  return reading.kind === "settings" ? reading.warnings : [];
}

import assert from "node:assert/strict";
import { readSettings, type Settings } from "../../../src/gate/settings/settings.ts";
import type { SettingProblem } from "../../../src/gate/settings/sources.ts";

type Values = Readonly<Record<string, string | undefined>>;

const read = (env: Values, flags: Values = {}, envFile?: string) =>
  readSettings({ env, flags, envFile });

/** Without the environment for programs, which repeats what was given. */
export type OwnSettings = Omit<Settings, "programEnvironment">;

export function settled(env: Values, flags: Values = {}, envFile?: string): OwnSettings {
  const { programEnvironment: _, ...own } = wholeSettings(env, flags, envFile);
  return own;
}

export function wholeSettings(env: Values, flags: Values = {}, envFile?: string): Settings {
  const reading = read(env, flags, envFile);
  assert.deepEqual(reading.problems, []);
  return reading.settings;
}

/** With the settings that each problem is about. */
export const wholeProblems = (
  env: Values,
  flags: Values = {},
  envFile?: string,
): readonly SettingProblem[] => read(env, flags, envFile).problems;

export const problems = (env: Values, flags: Values = {}, envFile?: string): readonly string[] =>
  wholeProblems(env, flags, envFile).map(({ message: text }) => text);

export const warnings = (env: Values, envFile?: string): readonly string[] =>
  read(env, {}, envFile).warnings;

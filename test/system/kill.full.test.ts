import { test } from "node:test";
import { killDuringChange, killDuringSetup } from "./kill.ts";

const KILLS = 50;

test(`leaves no account or a usable one when killed ${KILLS} times during the setup`, (t) =>
  killDuringSetup(t, KILLS));

test(`leaves the old or the new password when killed ${KILLS} times during a change`, (t) =>
  killDuringChange(t, KILLS));

import { test } from "node:test";
import { sharedPostgres } from "../support/postgres-shared.ts";
import { LONG_RACE, raceForAccount, titleOf } from "./account-race.ts";
import { postgresCourse, sqliteCourse } from "./courses.ts";

const server = await sharedPostgres();

test(`SQLite: ${titleOf(LONG_RACE)}`, (t) => raceForAccount(t, LONG_RACE, () => sqliteCourse(t)));

test(`PostgreSQL: ${titleOf(LONG_RACE)}`, (t) =>
  raceForAccount(t, LONG_RACE, () => postgresCourse(t, server)));

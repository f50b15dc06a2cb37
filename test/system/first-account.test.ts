import { test } from "node:test";
import { sharedPostgres } from "../support/postgres-shared.ts";
import { raceForAccount, SHORT_RACE, titleOf } from "./account-race.ts";
import { postgresCourse, sqliteCourse } from "./courses.ts";

const server = await sharedPostgres();

test(`SQLite: ${titleOf(SHORT_RACE)}`, (t) => raceForAccount(t, SHORT_RACE, () => sqliteCourse(t)));

test(`PostgreSQL: ${titleOf(SHORT_RACE)}`, (t) =>
  raceForAccount(t, SHORT_RACE, () => postgresCourse(t, server)));

import { test } from "node:test";
import { sharedPostgres } from "../support/postgres-shared.ts";
import { raceForAttempts, titleOf } from "./limiter-race.ts";

const ROUNDS = 20;

const server = await sharedPostgres();

test(titleOf(ROUNDS), (t) => raceForAttempts(t, server, ROUNDS));

import assert from "node:assert/strict";
import { test } from "node:test";
import express, { type Express, Router } from "express";
import { type ExpressAuth, expressAuth } from "../../src/adapters/express.ts";
import { execute } from "../support/database.ts";
import { OWNER } from "../support/gate.ts";
import { answerFault } from "./express-app.ts";
import { handled, serveListener } from "./framework.ts";
import { type RunningAdapter, SETUP_FORM, startWith } from "./running.ts";

type Context = Parameters<typeof startWith>[0];

/** An Express application that `build` fills. */
function startExpress(
  t: Context,
  build: (app: Express, door: ExpressAuth) => void,
  basePath = "",
): Promise<RunningAdapter> {
  const start: Parameters<typeof startWith>[1] = ({ auth }) => {
    const app = express();
    build(app, expressAuth(auth));
    app.use((request, response) => {
      response.status(404).send(`not found: ${request.url}`);
    });
    app.use(answerFault);
    return serveListener(app);
  };
  return startWith(t, start, { basePath });
}

for (const { how, mount } of [
  { how: "app.use(routes)", mount: (app: Express, door: ExpressAuth) => app.use(door.routes) },
  {
    how: 'app.use("/auth", routes)',
    mount: (app: Express, door: ExpressAuth) => app.use("/auth", door.routes),
  },
  {
    how: "a router in a router",
    mount: (app: Express, door: ExpressAuth) => {
      app.use("/auth", Router().use("/", Router().use(door.routes)));
    },
  },
]) {
  test(`mounted by ${how}, the routes are found under the base path`, async (t) => {
    const app = await startExpress(t, mount, "/auth");
    const done = await app.send("/auth/setup", { form: SETUP_FORM });
    assert.deepEqual([done.status, done.location], [303, "/"]);
    const { session } = await app.send("/auth/login", { form: OWNER });
    assert.match((await app.send("/auth", { session })).body, /action="\/auth\/logout"/);
    assert.equal((await app.send("/auth/login?error=1")).status, 200);
  });

  test(`mounted by ${how}, the routes leave other URLs as they are`, async (t) => {
    const app = await startExpress(t, mount, "/auth");
    for (const path of ["/login", "/auth/other?a=b", "/auth/auth/login", "/auth/"]) {
      const { status, body } = await app.send(path);
      assert.deepEqual([status, body], [404, `not found: ${path}`]);
    }
  });
}

test("user(response) without a guard is a not_guarded, for the application's error handler", async (t) => {
  const codes: unknown[] = [];
  const app = await startExpress(t, (express, door) => {
    express.get("/open", (_request, response) => {
      response.send(door.user(response).username);
    });
    express.use(
      (error: { code?: unknown }, _request: unknown, _response: unknown, next: unknown) => {
        codes.push(error.code);
        if (typeof next === "function") next(error);
      },
    );
  });
  const { status, body } = await app.send("/open", { session: app.addAccount() });
  assert.deepEqual([status, body], [418, handled("this route is not behind a guard")]);
  assert.deepEqual(codes, ["not_guarded"]);
});

test("a guard before a router guards all that is in it, and nothing else", async (t) => {
  const app = await startExpress(t, (express, door) => {
    const router = Router();
    router.get("/one", (_request, response) => {
      response.send(`one, for ${door.user(response).username}`);
    });
    router.use(
      "/deep",
      Router().get("/two", (_request, response) => {
        response.send(`two, for ${door.user(response).username}`);
      }),
    );
    express.use("/inside", door.requireAuth, router);
    express.get("/outside", (_request, response) => {
      response.send("outside");
    });
  });
  const session = app.addAccount();
  assert.equal((await app.send("/inside/one", { session })).body, "one, for owner");
  assert.equal((await app.send("/inside/deep/two", { session })).body, "two, for owner");
  for (const path of ["/inside/one", "/inside/deep/two", "/inside/nothing", "/inside"]) {
    assert.equal((await app.send(path)).location, "/login", path);
  }
  assert.equal((await app.send("/outside")).body, "outside");
});

test("in a router, the log has the whole path of what failed, without the query", async (t) => {
  const app = await startExpress(t, (express, door) => {
    express.use("/inside", Router().use("/deep", door.requireAuth));
  });
  const session = app.addAccount();
  execute(app.databaseFile, "ALTER TABLE users RENAME TO hidden");
  assert.equal((await app.send("/inside/deep/one?token=x", { session })).status, 500);
  assert.deepEqual(
    app.log.map(({ fields }) => "path" in fields && fields.path),
    ["/inside/deep/one"],
  );
});

for (const { how, fail } of [
  { how: "next(error)", fail: (next: (error: Error) => void) => next(new Error("broken")) },
  { how: "a rejected promise", fail: () => Promise.reject(new Error("broken")) },
]) {
  test(`${how} behind a guard reaches the application's error handler`, async (t) => {
    const app = await startExpress(t, (express, door) => {
      express.get("/failing", door.requireAuth, (_request, _response, next) => fail(next));
    });
    const session = app.addAccount();
    for (const time of ["first", "later"]) {
      const { status, body } = await app.send("/failing", { session });
      assert.deepEqual([status, body], [418, handled("broken")], time);
    }
    assert.deepEqual(app.log, []);
  });
}

test("pageHelpers in a router see the query of the request", async (t) => {
  const app = await startExpress(t, (express, door) => {
    express.use("/inside", async (request, response) => {
      response.json(await door.pageHelpers(request));
    });
  });
  const { body } = await app.send("/inside?error=1");
  assert.deepEqual(JSON.parse(body), { NeedsSetup: true, HasError: true });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import express, { type ErrorRequestHandler, type Express, Router, urlencoded } from "express";
import { type ExpressAuth, expressAuth } from "../../src/adapters/express.ts";
import type { AuthOptions } from "../../src/index.ts";
import { OWNER } from "../support/gate.ts";
import { sendRaw } from "../support/raw.ts";
import { answerFault } from "./express-app.ts";
import { serveListener } from "./framework.ts";
import { type RunningAdapter, SETUP_FORM, startWith } from "./running.ts";

type Context = Parameters<typeof startWith>[0];

/** Starts an Express application with the routes that `build` adds. */
function startExpress(
  t: Context,
  build: (app: Express, adapter: ExpressAuth) => void,
  options: Partial<AuthOptions> = {},
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
  return startWith(t, start, options);
}

const mounts: Readonly<Record<string, (app: Express, adapter: ExpressAuth) => void>> = {
  "app.use(routes)": (app, { routes }) => app.use(routes),
  'app.use("/auth", routes)': (app, { routes }) => app.use("/auth", routes),
  "a router in a router": (app, { routes }) => {
    app.use("/auth", Router().use("/", Router().use(routes)));
  },
};

for (const [how, mount] of Object.entries(mounts)) {
  test(`${how}: serves the routes under the base path and leaves other URLs`, async (t) => {
    const app = await startExpress(t, mount, { basePath: "/auth" });
    const done = await app.send("/auth/setup", { form: SETUP_FORM });
    assert.deepEqual([done.status, done.location], [303, "/"]);
    const { session } = await app.send("/auth/login", { form: OWNER });
    assert.equal((await app.send("/auth", { session })).location, "/auth/account/profile");
    const profile = await app.send("/auth/account/profile", { session });
    assert.match(profile.body, /action="\/auth\/logout"/);
    assert.equal((await app.send("/auth/login?error=1")).status, 200);
    for (const path of ["/login", "/auth/other?a=b", "/auth/auth/login", "/auth/"]) {
      const { status, body } = await app.send(path);
      assert.deepEqual([status, body], [404, `not found: ${path}`]);
    }
  });
}

test("user(response) without a guard passes not_guarded to the error handler", async (t) => {
  const answerCode: ErrorRequestHandler = (error, _request, response, _next) => {
    response.status(418).send(error.code);
  };
  const app = await startExpress(t, (express, adapter) => {
    express.get("/open", (_request, response) => {
      response.send(adapter.user(response).username);
    });
    express.use(answerCode);
  });
  const { status, body } = await app.send("/open", { session: app.addAccount() });
  assert.deepEqual([status, body], [418, "not_guarded"]);
});

test("a guard in a router returns to the URL that the client requested", async (t) => {
  const app = await startExpress(
    t,
    (express, adapter) => {
      express.use("/app", Router().use("/deep", adapter.requireAuth));
    },
    { guards: { returnTo: true } },
  );
  const { location } = await app.send("/app/deep/5?x=1", { headers: { Accept: "text/html" } });
  assert.equal(location, "/setup?return_to=%2Fapp%2Fdeep%2F5%3Fx%3D1");
});

test("a guard never returns to another host that the request line names", async (t) => {
  const app = await startExpress(
    t,
    (express, adapter) => {
      express.use(adapter.requireAuth);
    },
    { guards: { returnTo: true } },
  );
  for (const [target, location] of [
    ["//evil.example/a", "/setup"],
    ["/\\evil.example/a", "/setup"],
    ["http://evil.example/a", "/setup?return_to=%2Fa"],
  ] as const) {
    const request = `GET ${target} HTTP/1.1\r\nHost: app\r\nConnection: close\r\nAccept: text/html\r\n\r\n`;
    const answer = await sendRaw(app.url, request);
    assert.ok(answer.includes(`\r\nLocation: ${location}\r\n`), answer);
  }
});

test("a body parser before the routes makes forms fail with a log line that says so", async (t) => {
  const app = await startExpress(t, (express, adapter) => {
    express.use(urlencoded(), adapter.routes);
  });
  const { status, body } = await app.send("/setup", { form: SETUP_FORM });
  assert.equal(status, 500);
  assert.match(body, /mount Latchkey&#39;s routes before body parsers/);
  const told = app.log.map(({ message, fields }) => [message, Object(fields).err.code]);
  assert.deepEqual(told, [["request failed", "form_already_read"]]);
  assert.equal((await app.send("/setup")).status, 200);
});

test("a body parser that keeps the raw body can run before the routes", async (t) => {
  const app = await startExpress(t, (express, adapter) => {
    const verify = (request: object, _response: object, rawBody: Buffer) => {
      Object.assign(request, { rawBody });
    };
    express.use(urlencoded({ verify }), adapter.routes);
  });
  const { status, location } = await app.send("/setup", { form: SETUP_FORM });
  assert.deepEqual([status, location], [303, "/"]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import Fastify, { type FastifyInstance } from "fastify";
import { type FastifyAuth, fastifyAuth } from "../../src/adapters/fastify.ts";
import { eventually } from "../support/eventually.ts";
import { OWNER } from "../support/gate.ts";
import { addFormParser, serveFastify } from "./fastify-app.ts";
import { type RunningAdapter, SETUP_FORM, startWith } from "./running.ts";

type Context = Parameters<typeof startWith>[0];

/** Starts a Fastify application with the routes that `build` adds. */
function startFastify(
  t: Context,
  build: (app: FastifyInstance, adapter: FastifyAuth) => unknown,
  basePath = "",
): Promise<RunningAdapter> {
  const start: Parameters<typeof startWith>[1] = async ({ auth }) => {
    const app = Fastify({ forceCloseConnections: true });
    await build(app, fastifyAuth(auth));
    return serveFastify(app);
  };
  return startWith(t, start, { basePath });
}

const ONLY_FOR = "only for ";

for (const hook of ["onRequest", "preHandler"] as const) {
  test(`requireAuth as ${hook} of an instance protects that instance only`, async (t) => {
    const app = await startFastify(t, (fastify, adapter) => {
      fastify.register(
        async (inside) => {
          inside.addHook(hook, adapter.requireAuth);
          inside.get("/one", async (request) => ONLY_FOR + adapter.user(request).username);
          inside.register(async (deeper) => {
            deeper.get("/deep", async (request) => ONLY_FOR + adapter.user(request).username);
          });
        },
        { prefix: "/inside" },
      );
      fastify.get("/outside", async () => "for everybody");
    });
    const session = app.addAccount();
    for (const path of ["/inside/one", "/inside/deep"]) {
      assert.equal((await app.send(path)).location, "/login");
      assert.equal((await app.send(path, { session })).body, "only for owner");
    }
    assert.equal((await app.send("/outside")).body, "for everybody");
  });
}

test("routes and a guard in a plugin go by the URL that the client requested", async (t) => {
  const start: Parameters<typeof startWith>[1] = async ({ auth }) => {
    const rewriteUrl = ({ url = "/" }) => url.replace("/outside/", "/inside/");
    const app = Fastify({ forceCloseConnections: true, rewriteUrl });
    const { routes, requireAuth } = fastifyAuth(auth);
    app.register(routes).register(
      async (inside) => {
        inside.get("/:id", { onRequest: requireAuth }, async () => "inside");
      },
      { prefix: "/inside" },
    );
    return serveFastify(app);
  };
  const app = await startWith(t, start, { basePath: "/outside", guards: { returnTo: true } });
  for (const path of ["/inside/5?x=1", "/outside/5?x=1"]) {
    const { location } = await app.send(path, { headers: { Accept: "text/html" } });
    assert.equal(location, `/outside/setup?return_to=${encodeURIComponent(path)}`);
  }
  assert.equal((await app.send("/outside/setup")).status, 200);
});

test("user(request) without a guard passes not_guarded to the error handler", async (t) => {
  const app = await startFastify(t, (fastify, adapter) => {
    fastify.get("/open", async (request) => adapter.user(request).username);
    fastify.setErrorHandler((error: { code?: unknown }, _request, reply) => {
      reply.status(418).send(error.code);
    });
  });
  const { status, body } = await app.send("/open", { session: app.addAccount() });
  assert.deepEqual([status, body], [418, "not_guarded"]);
});

const addOwn = (app: FastifyInstance) => app.get("/own", async () => "own");

const registrations: Readonly<
  Record<string, (app: FastifyInstance, auth: FastifyAuth) => unknown>
> = {
  "before the application's routes": (app, { routes }) => addOwn(app.register(routes)),
  "after the application's routes": (app, { routes }) => addOwn(app).register(routes),
  "with await": async (app, { routes }) => {
    await app.register(routes);
    addOwn(app);
  },
  "with a prefix, which it ignores": (app, { routes }) =>
    addOwn(app.register(routes, { prefix: "/elsewhere" })),
};

for (const [when, build] of Object.entries(registrations)) {
  test(`serves Latchkey's and the application's routes when registered ${when}`, async (t) => {
    const app = await startFastify(t, build, "/auth");
    const { session } = await app.send("/auth/setup", { form: SETUP_FORM });
    assert.equal((await app.send("/auth", { session })).location, "/auth/account/profile");
    const profile = await app.send("/auth/account/profile", { session });
    assert.match(profile.body, /action="\/auth\/logout"/);
    assert.equal((await app.send("/auth/login", { form: OWNER })).location, "/");
    assert.equal((await app.send("/own")).body, "own");
    assert.equal((await app.send("/elsewhere/login")).status, 404);
  });
}

test("Latchkey reads the bodies of its own forms, with or without a form parser", async (t) => {
  for (const withParser of [true, false]) {
    let parsed = 0;
    const app = await startFastify(t, (fastify, adapter) => {
      fastify.register(adapter.routes);
      if (withParser) addFormParser(fastify);
      fastify.addHook("preValidation", async () => {
        parsed += 1;
      });
    });
    assert.equal((await app.send("/setup", { form: SETUP_FORM })).location, "/");
    assert.equal(parsed, 0);
  }
});

test("onResponse hooks run for Latchkey's responses too", async (t) => {
  const seen: number[] = [];
  const app = await startFastify(t, (fastify, adapter) => {
    fastify.register(adapter.routes);
    fastify.get("/one", { onRequest: adapter.requireAuth }, async () => "one");
    fastify.addHook("onResponse", async (_request, reply) => {
      seen.push(reply.raw.statusCode);
    });
  });
  await app.send("/setup");
  await app.send("/one");
  await eventually(() => seen[1]);
  assert.deepEqual(seen, [200, 303]);
});

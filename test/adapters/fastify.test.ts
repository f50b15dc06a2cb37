import assert from "node:assert/strict";
import { test } from "node:test";
import Fastify, { type FastifyInstance } from "fastify";
import { type FastifyAuth, fastifyAuth } from "../../src/adapters/fastify.ts";
import { eventually } from "../support/eventually.ts";
import { OWNER } from "../support/gate.ts";
import { addFormParser, serveFastify } from "./fastify-app.ts";
import { type RunningAdapter, SETUP_FORM, startWith } from "./running.ts";

type Context = Parameters<typeof startWith>[0];

/** A Fastify application that `build` fills. */
function startFastify(
  t: Context,
  build: (app: FastifyInstance, door: FastifyAuth) => unknown,
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
  test(`requireAuth as ${hook} of a route lets in whoever is signed in`, async (t) => {
    let reached = 0;
    const app = await startFastify(t, (fastify, door) => {
      fastify.get("/one", { [hook]: door.requireAuth }, async (request) => {
        reached += 1;
        return ONLY_FOR + door.user(request).username;
      });
    });
    assert.equal((await app.send("/one")).location, "/setup");
    const session = app.addAccount();
    assert.equal((await app.send("/one")).location, "/login");
    assert.equal(reached, 0);
    assert.equal((await app.send("/one", { session })).body, "only for owner");
  });

  test(`requireAuth as ${hook} of an instance guards that instance alone`, async (t) => {
    const app = await startFastify(t, (fastify, door) => {
      fastify.register(
        async (inside) => {
          inside.addHook(hook, door.requireAuth);
          inside.get("/one", async (request) => ONLY_FOR + door.user(request).username);
          inside.register(async (deeper) => {
            deeper.get("/deep", async (request) => ONLY_FOR + door.user(request).username);
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

  test(`as ${hook}, a guard turns posted bodies away, and lets those of a signed-in user be parsed`, async (t) => {
    const app = await startFastify(t, (fastify, door) => {
      fastify.post("/note", { [hook]: door.requireAuth }, async (request) => request.body);
    });
    const session = app.addAccount();
    const posting = {
      body: JSON.stringify({ note: "x".repeat(1_000) }),
      headers: { "Content-Type": "application/json" },
    };
    const refused = await app.send("/note", posting);
    assert.deepEqual([refused.status, refused.location], [303, "/login"]);
    const { status, body } = await app.send("/note", { ...posting, session });
    assert.deepEqual([status, body], [200, posting.body]);
  });
}

test("user(request) without a guard is a not_guarded, for the application's error handler", async (t) => {
  const codes: unknown[] = [];
  const app = await startFastify(t, (fastify, door) => {
    fastify.get("/open", async (request) => door.user(request).username);
    fastify.setErrorHandler((error: { code?: unknown }, _request, reply) => {
      codes.push(error.code);
      reply.status(418).send("handled");
    });
  });
  const { status, body } = await app.send("/open", { session: app.addAccount() });
  assert.deepEqual([status, body], [418, "handled"]);
  assert.deepEqual(codes, ["not_guarded"]);
});

for (const { when, build } of [
  {
    when: "before the application's routes",
    build: (app: FastifyInstance, door: FastifyAuth) => {
      app.register(door.routes);
      app.get("/own", async () => "own");
    },
  },
  {
    when: "after the application's routes",
    build: (app: FastifyInstance, door: FastifyAuth) => {
      app.get("/own", async () => "own");
      app.register(door.routes);
    },
  },
  {
    when: "and awaited",
    build: async (app: FastifyInstance, door: FastifyAuth) => {
      await app.register(door.routes);
      app.get("/own", async () => "own");
    },
  },
  {
    when: "with a prefix of its own, which changes nothing",
    build: (app: FastifyInstance, door: FastifyAuth) => {
      app.register(door.routes, { prefix: "/elsewhere" });
      app.get("/own", async () => "own");
    },
  },
]) {
  test(`registered ${when}, the routes are found, and the application's too`, async (t) => {
    const app = await startFastify(t, build, "/auth");
    const { session } = await app.send("/auth/setup", { form: SETUP_FORM });
    assert.match((await app.send("/auth", { session })).body, /action="\/auth\/logout"/);
    assert.equal((await app.send("/auth/login", { form: OWNER })).location, "/");
    assert.equal((await app.send("/own")).body, "own");
    assert.equal((await app.send("/elsewhere/login")).status, 404);
  });
}

test("the bodies of Latchkey's forms are Latchkey's to read, with a parser for forms or without", async (t) => {
  for (const withParser of [true, false]) {
    let parsed = 0;
    const app = await startFastify(t, (fastify, door) => {
      fastify.register(door.routes);
      if (withParser) addFormParser(fastify);
      fastify.addHook("preValidation", async () => {
        parsed += 1;
      });
    });
    assert.equal((await app.send("/setup", { form: SETUP_FORM })).location, "/");
    assert.equal(parsed, 0);
  }
});

test("hooks that run once a response is sent see Latchkey's answers, too", async (t) => {
  const seen: number[] = [];
  const app = await startFastify(t, (fastify, door) => {
    fastify.register(door.routes);
    fastify.get("/one", { onRequest: door.requireAuth }, async () => "one");
    fastify.addHook("onResponse", async (_request, reply) => {
      seen.push(reply.raw.statusCode);
    });
  });
  await app.send("/setup");
  await app.send("/one");
  await eventually(() => seen[1]);
  assert.deepEqual(seen, [200, 303]);
});

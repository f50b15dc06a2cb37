import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { expressAuth } from "../../src/adapters/express.ts";
import { fastifyAuth } from "../../src/adapters/fastify.ts";
import { type From, fetchAuth } from "../../src/adapters/fetch.ts";
import { honoAuth } from "../../src/adapters/hono.ts";
import { nodeAuth } from "../../src/adapters/node.ts";
import { createAuth } from "../../src/index.ts";
import { getErrorCode } from "../../src/lib/fault.ts";
import { openAuth } from "../support/auth.ts";
import { OWNER, SETUP_FORM } from "../support/gate.ts";
import { inSeconds, mint } from "../support/mint.ts";
import { hashText } from "../support/store.ts";

const FROM: From = { remoteAddress: "192.0.2.1" };

async function open(t: TestContext, options: Parameters<typeof openAuth>[1] = {}) {
  const { auth, store } = await openAuth(t, options);
  return {
    auth,
    adapter: fetchAuth(auth),
    /** Inserts an account without the setup page and returns a Cookie header for it. */
    async addAccount() {
      const user = { username: OWNER.username, passwordHash: hashText("a hash") };
      const owner = await store.users.insertFirst(user);
      return { Cookie: `session=${mint({ user_id: owner?.id, exp: inSeconds(60) })}` };
    },
  };
}

const createPost = (url: string, fields: Readonly<Record<string, string>>, headers = {}): Request =>
  new Request(url, { method: "POST", body: new URLSearchParams(fields), headers });

for (const { url, from, secure } of [
  { url: "https://app.example.org/setup", from: FROM, secure: true },
  { url: "http://app.example.org/setup", from: FROM, secure: false },
  { url: "http://app.example.org/setup", from: { ...FROM, encrypted: true }, secure: true },
  { url: "https://app.example.org/setup", from: { ...FROM, encrypted: false }, secure: false },
]) {
  test(`${url} from ${JSON.stringify(from)}: Secure is ${secure ? "on" : "off"}`, async (t) => {
    const { adapter } = await open(t);
    const answer = await adapter.routes(createPost(url, SETUP_FORM), from);
    const [cookie = "", ...others] = answer?.headers.getSetCookie() ?? [];
    assert.deepEqual([cookie.endsWith("; Secure"), others], [secure, []]);
    assert.equal(answer?.headers.get("location"), "/");
  });
}

for (const guard of ["requireAuth", "authMiddleware"] as const) {
  test(`${guard} passes request, user and further arguments, returns the Response`, async (t) => {
    const { adapter, addAccount } = await open(t);
    const headers = await addAccount();
    const guarded = adapter[guard]((request, user, context: { id: number }, last: string) =>
      Response.json([new URL(request.url).pathname, user.username, context.id, last]),
    );
    const request = new Request("http://localhost/notes", { headers });
    const answer = await guarded(request, { id: 7 }, "last");
    assert.deepEqual(await answer.json(), ["/notes", "owner", 7, "last"]);
    const own = new Response("own");
    assert.equal(await adapter[guard](() => own)(request), own);
    assert.equal(await adapter[guard](async () => own)(request), own);
  });
}

test("currentUser also takes headers alone, even with a property named headers", async (t) => {
  const { auth, adapter, addAccount } = await open(t);
  const headers = await addAccount();
  // As the headers of Next.js, which extend the class Headers with a property of this name.
  const wrapped = Object.assign(new Headers(headers), { headers: {} });
  for (const source of [new Headers(headers), wrapped]) {
    assert.equal((await auth.currentUser(source))?.username, OWNER.username);
    assert.equal((await adapter.currentUser(source))?.username, OWNER.username);
  }
  assert.equal(await auth.currentUser(new Headers()), undefined);
});

test("an adapter refuses anything but what createAuth returns", () => {
  for (const adapt of [expressAuth, fastifyAuth, fetchAuth, honoAuth, nodeAuth]) {
    for (const given of [undefined, null, {}, createAuth]) {
      assert.throws(() => adapt(given as never), { code: "invalid_option" });
    }
  }
});

test("routes without the address fail where it is needed, with a fault that says so", async (t) => {
  const { auth, log } = await openAuth(t);
  const { routes } = fetchAuth(auth);
  await routes(createPost("http://localhost/setup", SETUP_FORM), undefined as never);
  await routes(createPost("http://localhost/login", OWNER), null as never);
  assert.deepEqual(
    log.map(({ fields }) => getErrorCode(fields.err)),
    ["remote_address_unknown"],
  );
});

test("with absolute locations, redirects to the origin of the request", async (t) => {
  const { auth, addAccount } = await open(t, {
    guards: { returnTo: true },
    postLoginLocation: "/start",
  });
  const { routes, requireAuth } = fetchAuth(auth, { location: "absolute" });
  const misspelt = { location: "Absolute" as "absolute" };
  assert.throws(() => fetchAuth(auth, misspelt), { code: "invalid_option" });
  await addAccount();
  const origin = "https://app.example.org";
  const page = requireAuth(() => assert.fail("the handler was called"));
  const headers = { Accept: "text/html" };
  const refused = await page(new Request(`${origin}/notes?a=b`, { headers }));
  const toSignIn = [303, `${origin}/login?return_to=%2Fnotes%3Fa%3Db`];
  assert.deepEqual([refused.status, refused.headers.get("location")], toSignIn);
  const redirected = await routes(new Request(`${origin}/setup`), FROM);
  assert.equal(redirected?.headers.get("location"), `${origin}/login`);
  const shown = await routes(new Request(`${origin}/login`), FROM);
  assert.deepEqual([shown?.status, shown?.headers.get("location")], [200, null]);
});

test("with absolute locations, leaves other locations as they are", async (t) => {
  const outside = "https://start.example.org/";
  const { auth } = await open(t, { postLoginLocation: outside });
  const { routes, requireAuth } = fetchAuth(auth, { location: "absolute" });
  const setUp = await routes(createPost("http://localhost/setup", SETUP_FORM), FROM);
  assert.equal(setUp?.headers.get("location"), outside);
  const own = requireAuth(() => new Response(null, { status: 303, headers: { Location: "/a" } }));
  const Cookie = setUp?.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const answer = await own(new Request("http://localhost/", { headers: { Cookie } }));
  assert.equal(answer.headers.get("location"), "/a");
});

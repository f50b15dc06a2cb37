import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type FetchAuth, type From, fetchAuth } from "../../src/adapters/fetch.ts";
import { type AuthOptions, createAuth } from "../../src/index.ts";
import { OWNER, SECRET } from "../support/gate.ts";
import { inSeconds, mint } from "../support/mint.ts";
import { type RecordedLine, recordingLog } from "../support/recording-log.ts";
import { hashText, openStore } from "../support/store.ts";

const FROM: From = { remoteAddress: "192.0.2.1" };

interface Opened {
  readonly door: FetchAuth;
  readonly log: readonly RecordedLine[];
  /** Puts an account past the setup, and answers with a Cookie header of it. */
  addAccount(): Promise<Readonly<Record<string, string>>>;
}

async function open(t: TestContext, options: Partial<AuthOptions> = {}): Promise<Opened> {
  const store = await openStore(t);
  const log = recordingLog();
  const auth = createAuth({ store, secret: SECRET, log, ...options });
  t.after(() => auth.close());
  return {
    door: fetchAuth(auth),
    log: log.lines,
    async addAccount() {
      const user = { username: OWNER.username, passwordHash: hashText("a hash") };
      const owner = await store.insertFirstUser(user);
      return { Cookie: `session=${mint({ user_id: owner?.id, exp: inSeconds(60) })}` };
    },
  };
}

const posted = (url: string, fields: Readonly<Record<string, string>>, headers = {}): Request =>
  new Request(url, { method: "POST", body: new URLSearchParams(fields), headers });

const SETUP = { ...OWNER, confirm: OWNER.password };

for (const basePath of ["", "/auth"]) {
  test(`routes answers undefined where a path is not Latchkey's, under "${basePath}"`, async (t) => {
    const { door } = await open(t, { basePath });
    for (const path of ["/nothing", `${basePath}/login/`, `${basePath}/x/login`, "/account"]) {
      const request = new Request(`https://app.example.org${path}`);
      assert.equal(await door.routes(request, FROM), undefined, path);
    }
    const url = `https://app.example.org${basePath}/setup?a=b`;
    assert.equal((await door.routes(new Request(url), FROM))?.status, 200);
  });
}

for (const { url, from, secure } of [
  { url: "https://app.example.org/setup", from: FROM, secure: true },
  { url: "http://app.example.org/setup", from: FROM, secure: false },
  { url: "http://app.example.org/setup", from: { ...FROM, encrypted: true }, secure: true },
  { url: "https://app.example.org/setup", from: { ...FROM, encrypted: false }, secure: false },
]) {
  test(`${url} from ${JSON.stringify(from)} sets a cookie that is ${secure ? "" : "not "}Secure`, async (t) => {
    const { door } = await open(t);
    const answer = await door.routes(posted(url, SETUP), from);
    const [cookie = "", ...others] = answer?.headers.getSetCookie() ?? [];
    assert.deepEqual([cookie.endsWith("; Secure"), others], [secure, []]);
    assert.equal(answer?.headers.get("location"), "/");
  });
}

test("sign-in attempts count by the address that is passed in: whoever used them up is denied, others are not", async (t) => {
  const { door } = await open(t);
  await door.routes(posted("http://localhost/setup", SETUP), FROM);
  const signIn = async (remoteAddress: string, password: string) => {
    const request = posted("http://localhost/login", { ...OWNER, password });
    return (await door.routes(request, { remoteAddress }))?.headers.get("location");
  };
  for (let attempt = 1; attempt <= 5; attempt += 1) await signIn("192.0.2.1", "wrong");
  assert.equal(await signIn("192.0.2.1", OWNER.password), "/login?error=1");
  assert.equal(await signIn("192.0.2.2", OWNER.password), "/");
});

for (const guard of ["requireAuth", "authMiddleware"] as const) {
  test(`${guard} passes on the request, the user, and all that comes after`, async (t) => {
    const { door, addAccount } = await open(t);
    const headers = await addAccount();
    const guarded = door[guard]((request, user, context: { id: number }, last: string) =>
      Response.json([new URL(request.url).pathname, user.username, context.id, last]),
    );
    const request = new Request("http://localhost/notes", { headers });
    const answer = await guarded(request, { id: 7 }, "last");
    assert.deepEqual(await answer.json(), ["/notes", "owner", 7, "last"]);
  });

  test(`${guard} answers with what the handler answers, itself`, async (t) => {
    const { door, addAccount } = await open(t);
    const request = new Request("http://localhost/notes", { headers: await addAccount() });
    const own = new Response("own");
    assert.equal(await door[guard](() => own)(request), own);
    assert.equal(await door[guard](async () => own)(request), own);
  });

  test(`${guard} rejects with the handler's own fault`, async (t) => {
    const { door, addAccount, log } = await open(t);
    const headers = await addAccount();
    const fault = new Error("the application's");
    const failing = door[guard](() => {
      throw fault;
    });
    const request = new Request("http://localhost/notes", { headers });
    await assert.rejects(failing(request), (thrown) => thrown === fault);
    assert.deepEqual(log, []);
  });

  test(`${guard} does not call the handler for anybody else`, async (t) => {
    const { door, addAccount } = await open(t, { basePath: "/auth" });
    await addAccount();
    const guarded = door[guard](() => assert.fail("the handler was called"));
    const answer = await guarded(new Request("http://localhost/notes"));
    assert.deepEqual([answer.status, answer.headers.get("location")], [303, "/auth/login"]);
  });
}

test("currentUser and pageHelpers read the request", async (t) => {
  const { door, addAccount } = await open(t);
  const request = (headers = {}) => new Request("http://localhost/notes?error=1", { headers });
  const nobody = { NeedsSetup: true, HasError: true, CurrentUser: undefined };
  assert.deepEqual(await door.pageHelpers(request()), nobody);
  const headers = await addAccount();
  const user = await door.currentUser(request(headers));
  assert.equal(user?.username, OWNER.username);
  assert.equal(await door.currentUser(request()), undefined);
  assert.deepEqual(await door.pageHelpers(request(headers)), {
    NeedsSetup: false,
    HasError: true,
    CurrentUser: user,
  });
});

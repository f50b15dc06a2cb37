import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { oidc } from "../../src/providers.ts";
import { runCommand } from "../support/command.ts";
import { freePort } from "../support/free-port.ts";
import { OWNER, type RunningGate, startConfigured } from "../support/gate.ts";

interface Scene {
  /** The provider, another Latchkey. */
  readonly there: { readonly gate: RunningGate; readonly session: string };
  readonly here: { readonly gate: RunningGate; readonly session: string };
}

async function start(t: TestContext): Promise<Scene> {
  const [therePort, herePort] = [await freePort(), await freePort()];
  const thereUrl = `http://127.0.0.1:${therePort}`;
  const hereUrl = `http://127.0.0.1:${herePort}`;
  const there = await startConfigured(t, { port: therePort, publicUrl: thereUrl });
  const added = await runCommand(
    ["app", "add", "Here", "--redirect", `${hereUrl}/login/with/there/callback`],
    { env: { DATA_DIR: there.gate.dataDir, PUBLIC_URL: thereUrl } },
  );
  assert.equal(added.code, 0, added.stderr);
  const secret = /[A-Za-z0-9_-]{40,}/.exec(added.stdout + added.stderr)?.[0];
  const provider = oidc({
    name: "there",
    label: "There",
    issuer: thereUrl,
    clientId: "here",
    clientSecret: secret,
  });
  const here = await startConfigured(t, {
    port: herePort,
    publicUrl: hereUrl,
    providers: [provider],
  });
  return { there, here };
}

/** Follows redirects as a browser does that is signed in at the provider. */
async function follow(
  scene: Scene,
  url: string,
  cookies: Map<string, string>,
): Promise<{ path: string; status: number; body: string; session: string | undefined }> {
  let session: string | undefined;
  for (let next = new URL(url), hops = 0; hops < 12; hops += 1) {
    const isThere = next.origin === scene.there.gate.url;
    const gate = isThere ? scene.there.gate : scene.here.gate;
    const jar = isThere ? [`session=${scene.there.session}`] : [];
    const Cookie = [
      ...jar,
      ...[...cookies]
        .filter(([key]) => key.startsWith(next.origin))
        .map(([key, value]) => `${key.slice(next.origin.length + 1)}=${value}`),
    ].join("; ");
    const answer = await gate.send(`${next.pathname}${next.search}`, { headers: { Cookie } });
    for (const line of answer.cookies) {
      const [pair = ""] = line.split(";");
      const at = pair.indexOf("=");
      cookies.set(`${next.origin} ${pair.slice(0, at)}`, pair.slice(at + 1));
    }
    if (!isThere && answer.session) session = answer.session;
    if (answer.location === undefined || answer.location === "/")
      return {
        path: `${next.pathname}${next.search}`,
        status: answer.status,
        body: answer.body,
        session,
      };
    next = new URL(answer.location, next);
  }
  throw new Error("too many redirects");
}

test("signs in an account that is linked, and nobody else", async (t) => {
  const scene = await start(t);
  const { here } = scene;
  const login = await here.gate.send("/login");
  assert.match(login.body, /href="\/login\/with\/there"[\s\S]*?Continue with There</);
  const unknown = await follow(scene, `${here.gate.url}/login/with/there`, new Map());
  assert.equal(unknown.status, 403, unknown.body);
  assert.match(unknown.body, /No account here is linked/);
  assert.equal(unknown.session, undefined);

  const cookies = new Map([[`${here.gate.url} session`, here.session]]);
  const begun = await here.gate.send("/account/identities/add", {
    session: here.session,
    form: { provider: "there" },
  });
  assert.equal(begun.status, 200);
  for (const line of begun.cookies) {
    const [pair = ""] = line.split(";");
    const at = pair.indexOf("=");
    cookies.set(`${here.gate.url} ${pair.slice(0, at)}`, pair.slice(at + 1));
  }
  const leads = /http-equiv="refresh" content="0;url=([^"]+)"/
    .exec(begun.body)?.[1]
    ?.replaceAll("&amp;", "&");
  assert.ok(leads);
  const linked = await follow(scene, leads, cookies);
  assert.match(linked.path, /\/account\/sign-in/);
  assert.match(linked.body, /Unlink/);

  const entered = await follow(scene, `${here.gate.url}/login/with/there`, new Map());
  assert.ok(entered.session);
  const me = await here.gate.send("/account/me", { session: entered.session });
  assert.equal(JSON.parse(me.body).user.username, OWNER.username);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { createServerLog } from "../../src/gate/server-log.ts";
import { fetchRequest } from "../../src/http/fetch-request.ts";
import { STORE_BUSY, Unavailable } from "../../src/lib/fault.ts";
import { changeForm, OWNER, SETUP_FORM } from "../support/gate.ts";
import { inSeconds, mint } from "../support/mint.ts";
import { authWith } from "../support/options.ts";
import { openStoreAround } from "../support/store.ts";

const MAX_LINES_PER_MINUTE = 1_102;
const MAX_BYTES_PER_MINUTE = 1_000_000;

const lost = new Unavailable("store_unavailable", "no answer", 2, { cause: new Error("refused") });

/** How each operation of the store fails. */
const failures: Readonly<Record<string, () => Promise<never>>> = {
  away: () => Promise.reject(lost),
  busy: () => Promise.reject(new Unavailable(STORE_BUSY, "locked", 2)),
  late: () => new Promise((_, reject) => void setImmediate(() => reject(lost))),
  "a fault with a long text": () => Promise.reject(new Error("x".repeat(100_000))),
  "a text": () => Promise.reject("not an error"),
  nothing: () => Promise.reject(),
  "thrown at once": () => {
    throw lost;
  },
};

const post = (path: string, form: object = {}, headers = {}) => ({
  path,
  headers,
  form: new URLSearchParams({ ...form }).toString(),
});

const FORGED = {
  Cookie: `session=${mint({ user_id: "1", exp: inSeconds(60) }, { secret: "another" })}`,
};

function requestsOf(session: string) {
  const Cookie = `session=${session}`;
  return [
    { path: "/login" },
    { path: "/setup" },
    { path: "/readyz" },
    { path: "/", headers: { Cookie } },
    { path: "/forward-auth", headers: { Cookie } },
    { path: "/forward-auth", headers: FORGED },
    { path: `/${"x".repeat(10_000)}`, headers: { Cookie } },
    post("/login", OWNER),
    post("/setup", SETUP_FORM),
    post("/logout", {}, { "Sec-Fetch-Site": "cross-site" }),
    { ...post("/login"), form: "password=%ff" },
    post("/account/password", changeForm("wrong", "battery staple"), { Cookie }),
    post("/account/sessions/end", { session: "others" }, { Cookie }),
  ];
}

type Line = Readonly<Record<string, unknown>>;

/** Lines of a kind, with those that are only in sums. */
function countOf(lines: readonly Line[], isOfKind: (line: Line) => boolean): number {
  const counts = lines.filter(isOfKind).map(({ more }) => Number(more ?? 1));
  return counts.reduce((sum, count) => sum + count, 0);
}

test("no flood makes more than a bounded number of lines, with sums", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const written: string[] = [];
  const log = createServerLog("warn", { write: (line: string) => written.push(line) });
  /** When it is set, every operation fails in this way. */
  let fail: (() => Promise<never>) | undefined;
  const store = await openStoreAround(t, (_, call) => (fail ?? call)());
  const auth = authWith({
    ...{ store, log, standalone: true },
    signIn: { hashing: { atOnce: 1, waiting: 2 } },
  });
  t.after(() => auth.close());

  const statuses = new Map<string, number>();
  let refused = 0;
  async function send(
    { path, headers, form }: { path: string; headers?: object; form?: string },
    remoteAddress: string,
  ) {
    const request = new Request(`http://localhost${path}`, {
      headers: { ...headers, "Content-Type": "application/x-www-form-urlencoded" },
      ...(form === undefined ? {} : { method: "POST", body: form }),
    });
    const answer = await auth.adapter.answer(fetchRequest(request, { remoteAddress }));
    const key = path === "/readyz" ? `/readyz ${answer.status}` : String(answer.status);
    statuses.set(key, (statuses.get(key) ?? 0) + 1);
    const isRefused =
      [400, 403, 422].includes(answer.status) || answer.headers.Location === "/login?error=1";
    if (isRefused || headers === FORGED) refused += 1;
    return answer;
  }
  const { cookies } = await send(post("/setup", SETUP_FORM), "192.0.2.1");
  const session = /session=([^;]+)/.exec(cookies.join())?.[1] ?? "";

  for (let minute = 0; minute < 2; minute += 1) {
    written.length = 0;
    statuses.clear();
    refused = 0;
    for (const [turn, way] of [undefined, ...Object.values(failures)].entries()) {
      fail = way;
      const sent = requestsOf(session).flatMap((one) =>
        Array.from({ length: 24 }, (_, n) => send(one, `10.${minute}.${turn}.${n}`)),
      );
      await Promise.all(sent);
    }
    fail = undefined;
    await send({ path: "/login" }, "192.0.2.1");
    t.mock.timers.tick(60_000);

    const lines = written.map((line): Line => JSON.parse(line));
    assert.ok(lines.length <= MAX_LINES_PER_MINUTE, `${lines.length} lines`);
    const bytes = Buffer.byteLength(written.join(""));
    assert.ok(bytes <= MAX_BYTES_PER_MINUTE, `${bytes} bytes`);
    for (const [message, status] of [
      ["request put off", "503"],
      ["request failed", "500"],
      ["not ready: the store does not answer", "/readyz 503"],
    ] as const) {
      assert.ok((statuses.get(status) ?? 0) > 20, `${status} was tested`);
      const logged = countOf(lines, ({ msg, of }) => msg === message || of === message);
      assert.equal(logged, statuses.get(status), message);
    }
    const told = countOf(lines, ({ address }) => address !== undefined);
    assert.equal(told, refused);
  }
});

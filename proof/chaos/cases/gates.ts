import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { OWNER } from "../../../test/support/gate.ts";
import { findNginx } from "../../bench/nginx.ts";
import { setUp } from "../actions.ts";
import { type Case, GUARD_P99_MS, unless } from "../case.ts";
import { createClient, type Exchange, type Request } from "../client.ts";
import { startGroup } from "../gates/group.ts";
import { startNginx } from "../gates/nginx.ts";
import { timeline } from "../gates/timeline.ts";
import { inMs, judgeResponses, latencies } from "../judge/requests.ts";
import { guardRequest, startProbe } from "../probe.ts";

const PICTURE = fileURLToPath(new URL("../../../docs/chaos-gates.svg", import.meta.url));

const GATES = { short: 2, full: 4 } as const;
const KILLS = { short: 1, full: 11 } as const;
/** nginx skips a gate for ten seconds after a failure: at least one of four is always in use. */
const KILL_EVERY_MS = { short: 1_500, full: 5_000 } as const;
const GUARDS = 8;
const LIMIT = { attempts: 5, windowMs: 60_000 } as const;
const LIMITED_ADDRESS = "127.6.0.1";
const REFUSED = "/login?error=1";

export const gates: Case = {
  name: "gates",
  about: "gates behind nginx are killed in turn under load",
  seconds: { short: 8, full: 70 },
  pace: "measures",
  async run(context, form) {
    const program = await findNginx().catch(() => undefined);
    if (program === undefined) return context.skip("gates behind nginx: nginx is not installed");
    const group = await startGroup(context, GATES[form]);
    const url = await startNginx(context, program, group.ports);
    const session = await setUp(group.first);

    const guards = Array.from({ length: GUARDS }, () =>
      startProbe(context, url, () => guardRequest(session), 0),
    );
    let visitors = 0;
    const signIns = startProbe(context, url, () => {
      visitors += 1;
      return signInFrom(`127.7.${visitors >> 8}.${visitors & 255}`);
    });
    const limited = startProbe(context, url, () => signInFrom(LIMITED_ADDRESS, REFUSED), 50);
    const start = performance.now();
    const marks = await group.killInTurn(KILLS[form], KILL_EVERY_MS[form]);
    const forMs = performance.now() - start;

    const guarded = (await Promise.all(guards.map((one) => one.stop()))).flat();
    const signedIn = await signIns.stop();
    const attempts = await limited.stop();
    context.figure("gates, kills", `${GATES[form]}, ${marks.length}`);
    context.figure("guards per second", ((guarded.length / forMs) * 1_000).toFixed(0));
    context.figure("guards", latencies(guarded));
    context.figure("sign-ins", latencies(signedIn));
    const cut = [...signedIn, ...attempts].filter(({ status }) => status === 502).length;
    context.figure("sign-ins in progress at a killed gate, answered 502", String(cut));
    context.check("every guard responds, p99 in time", judgeResponses(guarded, GUARD_P99_MS[form]));
    context.check("every sign-in gets a response; only one that a kill interrupts gets 502", [
      ...judgeResponses(signedIn, Number.POSITIVE_INFINITY),
      ...judgeResponses(attempts, Number.POSITIVE_INFINITY),
      ...unless(cut <= 2 * marks.length, `${cut} of them got 502`),
    ]);
    context.check("an address has five sign-ins a minute at all gates", judgeLimit(attempts));
    context.check("sessions stay valid", await judgeSessions(url, signedIn));
    if (form === "full") {
      const title = `${GATES[form]} gates behind nginx, one killed every ${KILL_EVERY_MS[form] / 1_000} seconds`;
      await writeFile(PICTURE, timeline({ title, sent: guarded, start, forMs, marks }));
    }
  },
};

/** nginx does not send a form twice: if the gate is killed meanwhile, the client gets 502. */
const signInFrom = (from: string, refused?: string): Request => ({
  kind: "sign-in",
  path: "/login",
  form: OWNER,
  from,
  expected: ({ status, location }) =>
    status === 502 || (status === 303 && (location === "/" || location === refused)),
});

/** No six sign-ins may succeed within a minute. */
function judgeLimit(attempts: readonly Exchange[]): readonly string[] {
  const { attempts: allowed, windowMs } = LIMIT;
  const succeeded = attempts.filter(({ response }) => response?.location === "/");
  const refused = attempts.filter(({ response }) => response?.location === REFUSED);
  const sooner = succeeded.flatMap(({ sentAt, ms }, at) => {
    const earliest = succeeded[at - allowed];
    const after = sentAt + ms - (earliest?.sentAt ?? Number.NEGATIVE_INFINITY);
    return after < windowMs ? [`a sign-in succeeds ${inMs(after)} after the fifth before it`] : [];
  });
  return [
    ...sooner,
    ...unless(succeeded.length > 0, "no sign-in succeeds"),
    ...unless(refused.length > 0, "no sign-in is refused"),
  ];
}

/** Checks the sessions of all gates, also of killed ones, at the gate that nginx chooses. */
async function judgeSessions(
  url: string,
  signedIn: readonly Exchange[],
): Promise<readonly string[]> {
  const client = createClient(url);
  const problems: string[] = [];
  for (const { response } of signedIn) {
    if (response?.session === undefined) continue;
    const { status } = await client.send(guardRequest(response.session));
    problems.push(...unless(status === 200, `a session gets status ${status}`));
  }
  client.close();
  return problems;
}

import { quantile, spreadOf, table } from "./figures.ts";
import { addresses, get, postForm, run, times } from "./load.ts";
import { startHashing, startSubject } from "./subjects.ts";

const USERS = 1_000;
const SIGN_INS_AT_ONCE = 8;
const FLOOD_CONNECTIONS = 64;

/** Sign-in compared with verifying hashes alone, with the same concurrency. */
export async function benchSignIn(folder: string, rounds: number, count: number): Promise<string> {
  const hashing = await startHashing();
  const latchkey = await startSubject("hono", folder, USERS);
  const clients = addresses();
  const raw: { cpu: number; rate: number }[] = [];
  const signIn: { cpu: number; rate: number }[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const { cpu, took } = await hashing.verify(count);
    const before = await latchkey.cpu();
    const start = performance.now();
    await run({
      port: latchkey.port,
      connections: SIGN_INS_AT_ONCE,
      status: 303,
      next: signIns(count, clients),
    });
    const signInTook = performance.now() - start;
    const signInCpu = (await latchkey.cpu()) - before;
    if (round === 0) continue;
    raw.push({ cpu: cpu / count, rate: (count / took) * 1000 });
    signIn.push({ cpu: signInCpu / count, rate: (count / signInTook) * 1000 });
  }
  await Promise.all([hashing.stop(), latchkey.stop()]);

  const ratio = (of: "cpu" | "rate"): number =>
    spreadOf(
      signIn.map((one, round) => {
        const other = raw[round]?.[of] ?? Number.NaN;
        return of === "cpu" ? other / one.cpu : one.rate / other;
      }),
    ).median;
  const row = (name: string, values: readonly { cpu: number; rate: number }[]): string[] => [
    name,
    (spreadOf(values.map(({ cpu }) => cpu)).median / 1000).toFixed(2),
    spreadOf(values.map(({ rate }) => rate)).median.toFixed(1),
  ];
  return table([
    ["sign-in", "CPU ms each", "per second"],
    row("verifying alone", raw),
    row("sign-in", signIn),
    ["sign-in, ratio to verifying alone", ratio("cpu").toFixed(3), ratio("rate").toFixed(3)],
  ]);
}

/** The latency of a guarded page while sign-ins exceed the hashing capacity. */
export async function benchFlood(folder: string, count: number): Promise<string> {
  const latchkey = await startSubject("hono", folder, USERS);
  const session = latchkey.tokens[0] ?? "";
  const guarded = (requests: () => string | undefined): Promise<readonly number[]> =>
    run({ port: latchkey.port, connections: 4, status: 200, next: requests });
  await guarded(times(2_000, get("/guarded", session)));
  const calm = await guarded(times(2_000, get("/guarded", session)));

  let flooding = true;
  const flood = run({
    port: latchkey.port,
    connections: FLOOD_CONNECTIONS,
    status: 303,
    next: signIns(count, addresses()),
  }).finally(() => {
    flooding = false;
  });
  const request = get("/guarded", session);
  const flooded = await guarded(() => (flooding ? request : undefined));
  await flood;
  await latchkey.stop();

  const row = (name: string, values: readonly number[]): string[] => [
    name,
    ...[0.5, 0.99, 0.999].map((share) => quantile(values, share).toFixed(2)),
    String(values.length),
  ];
  return table([
    ["guarded page, ms", "p50", "p99", "p99.9", "requests"],
    row("idle server", calm),
    row(`${count} sign-ins, ${FLOOD_CONNECTIONS} at once`, flooded),
  ]);
}

function signIns(count: number, clients: Iterator<string>): () => string | undefined {
  let left = count;
  return () =>
    left-- > 0
      ? postForm(
          "/login",
          { username: `user-${left % USERS}`, password: "correct horse" },
          clients.next().value ?? "",
        )
      : undefined;
}

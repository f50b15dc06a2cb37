import { randomBytes } from "node:crypto";
import type { Attack } from "../attack.ts";
import { Undecided } from "../errors.ts";
import { addPasskey, removePasskey, signInChallenge, signsInWithPasskey } from "../passkeys.ts";
import { softPasskey } from "../payloads/passkey.ts";
import { type Form, freshSession } from "../people.ts";

/** Adds a passkey of its own to the account, and removes it at the end. */
export const passkeyReplay: Attack = {
  name: "passkey-replay",
  about: "answers of a passkey that are sent again, are for another site or come from a copy",
  meaning: "Someone who saw one sign-in with a passkey, or has a copy of it, can sign in.",
  noun: "answers",
  verb: "accepted",
  needs: ["account", "disturb"],

  async run(target, tally) {
    const account = await freshSession(target);
    const { passkey: own, userId, challenge, answering } = await addPasskey(target, account.token);
    const { rpId } = answering;
    const fresh = (): Promise<string> => signInChallenge(target);
    const attempt = (form: Form): Promise<boolean> => signsInWithPasskey(target, form);
    const refused = async (what: string, form: Form): Promise<void> => {
      tally.tried();
      if (await attempt(form)) tally.gotThrough(what);
    };

    try {
      const good = own.used(await fresh(), userId, { ...answering, counter: 5 });
      if (!(await attempt(good))) throw new Undecided("the passkey does not sign in");
      await refused("an answer that was used before", good);
      const copied = own.used(await fresh(), userId, { ...answering, counter: 5 });
      await refused("a copy whose counter did not grow", copied);
      const later = { ...answering, counter: 1_000_000 };
      const invented = randomBytes(54).toString("base64url");
      await refused("a challenge of the attacker", own.used(invented, userId, later));
      await refused("the challenge for adding it", own.used(challenge, userId, later));
      for (const origin of ["https://evil.example", `https://evil.${rpId}`, "null"]) {
        const form = own.used(await fresh(), userId, { ...later, origin });
        await refused(`an answer for ${origin}`, form);
      }
      const otherSite = { ...later, rpId: "evil.example" };
      await refused("an answer for another site", own.used(await fresh(), userId, otherSite));
      const unverified = { ...later, flags: 0x01 };
      await refused("an unverified user", own.used(await fresh(), userId, unverified));
      const stranger = { ...softPasskey().used(await fresh(), userId, later), credential: own.id };
      await refused("the signature of another passkey", stranger);
    } finally {
      await removePasskey(target, account.token, own);
    }
    await refused(
      "a removed passkey",
      own.used(await fresh(), userId, { ...answering, counter: 9 }),
    );
  },
};

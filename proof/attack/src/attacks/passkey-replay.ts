import { randomBytes } from "node:crypto";
import type { Attack } from "../attack.ts";
import { Skipped, Undecided } from "../errors.ts";
import type { HttpResponse } from "../http/response.ts";
import { type Answering, softPasskey } from "../payloads/passkey.ts";
import { freshSession } from "../people.ts";
import { isSuccess, newAddress, ownHost, send, type Target } from "../target.ts";

type Form = Readonly<Record<string, string>>;

const BEGIN = "/account/passkeys/begin";
const ADD = "/account/passkeys/add";
const REMOVE = "/account/passkeys/remove";
const SIGN_IN = "/login/passkey";

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
    const place = placeOf(target);
    const post = (path: string, form: Form, from?: string): Promise<HttpResponse> =>
      send(target, {
        ...{ path, form, headers: { Host: place.host }, from },
        // A sign-in ends the session of the same user that its browser has.
        ...(path !== SIGN_IN && { session: account.token }),
      });
    const challengeFor = async (path: string, form: Form) => jsonIn(await post(path, form));

    const own = softPasskey();
    const begun = await challengeFor(BEGIN, {});
    const { userId, rpId, challenge } = begun;
    const answering: Answering = { rpId, origin: originOf(place, rpId) };
    const adding = own.added(challenge, answering);
    if ((await post(ADD, adding)).status !== 303) throw new Undecided("no passkey can be added");
    const fresh = async (): Promise<string> => (await challengeFor(SIGN_IN, {})).challenge;
    const attempt = async (form: Form): Promise<boolean> =>
      isSuccess(await post(SIGN_IN, form, await newAddress(target)));
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
      await post(REMOVE, { passkey: own.id });
    }
    await refused(
      "a removed passkey",
      own.used(await fresh(), userId, { ...answering, counter: 9 }),
    );
  },
};

interface Place {
  readonly host: string;
  readonly protocol: string;
}

/** Browsers refuse passkeys at IP addresses, so such a server is addressed by name. */
function placeOf(target: Target): Place {
  const { protocol, host, port } = target.address;
  const isAddress = /^[\d.]+$|:/.test(host);
  return { protocol, host: isAddress ? `localhost:${port}` : ownHost(target) };
}

const originOf = ({ protocol, host }: Place, rpId: string): string =>
  host.replace(/:\d+$/, "") === rpId ? `${protocol}//${host}` : `https://${rpId}`;

interface Asked {
  readonly challenge: string;
  readonly rpId: string;
  readonly userId: string;
}

const isJsonWithChallenge = ({ status, body }: HttpResponse): boolean =>
  status === 200 && /^\{.*"challenge":/.test(body);

function jsonIn(response: HttpResponse): Asked {
  if (!isJsonWithChallenge(response)) throw new Skipped("the server offers no passkeys here");
  return JSON.parse(response.body);
}

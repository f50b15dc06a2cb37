import { randomBytes } from "node:crypto";
import type { Attack } from "../attack.ts";
import { Skipped, Undecided } from "../errors.ts";
import { partsOf, signed } from "../payloads/tokens.ts";
import {
  type Account,
  isSignedIn,
  isSuccess,
  newAddress,
  requireAccount,
  send,
  signIn,
  type Target,
} from "../target.ts";

export const sessionEnd: Attack = {
  name: "session-end",
  about: "sessions that another account ends, and sessions that their own user has ended",
  meaning: "An attacker can sign other users out, or keep using a session that its user has ended.",
  noun: "attempts",
  verb: "got through",
  needs: ["account", "server-access"],

  async run(target, tally) {
    const account = await requireAccount(target);
    const { access } = target;
    if (access === undefined) throw new Skipped("needs a second account");
    const stranger = { username: `stranger-${randomId()}`, password: randomId() };
    await access.addUser(stranger.username, stranger.password);
    const attackers = [await sessionOf(target, stranger), undefined, "a.b.c"];
    const own = idOf(account.token);
    for (const attacker of attackers) {
      for (const session of [own, `${own}\0`, own.toUpperCase(), "others"]) {
        tally.tried();
        await end(target, attacker, session);
        if (await isSignedIn(target, `session=${account.token}`)) continue;
        tally.gotThrough("a session of another account was ended");
        return;
      }
    }

    const lost = await sessionOf(target, account);
    if (!(await isSignedIn(target, `session=${lost}`)))
      throw new Undecided("a new session is refused");
    const { status } = await end(target, account.token, idOf(lost));
    if (status === 404) throw new Skipped("the server does not end single sessions");
    tally.tried();
    if (await isSignedIn(target, `session=${lost}`)) {
      tally.gotThrough("an ended session is still accepted");
    }

    // Signed with the server's own secret, as by an older version or by another program.
    const { payload } = partsOf(account.token) ?? {};
    const unrecorded = signed({ ...payload, jti: randomId() }, { secret: access.secret });
    if (!(await isSignedIn(target, `session=${unrecorded}`)))
      throw new Undecided("a token without a record is refused");
    const { session: token = account.token } = await end(target, account.token, "others");
    target.account = { ...account, token };
    tally.tried();
    if (await isSignedIn(target, `session=${unrecorded}`)) {
      tally.gotThrough("a session without a record outlives the end of all others");
    }
  },
};

const randomId = (): string => randomBytes(12).toString("hex");

const idOf = (token: string): string => String(partsOf(token)?.payload.jti);

const end = (target: Target, session: string | undefined, id: string) =>
  send(target, {
    path: "/account/sessions/end",
    form: { session: id },
    ...(session !== undefined && { session }),
  });

async function sessionOf(
  target: Target,
  { username, password }: Pick<Account, "username" | "password">,
): Promise<string> {
  const from = await newAddress(target);
  const response = await signIn(target, { username, password }, { from });
  if (!isSuccess(response) || response.session === undefined) {
    throw new Undecided(`a sign-in of ${username} failed`);
  }
  return response.session;
}

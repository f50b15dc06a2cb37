import type { SignUpRequest } from "../features/sign-up/decide.ts";
import { createAccountCommand, createRefusal, quote } from "./accounts.ts";
import type { Command } from "./command.ts";
import { createListCommand, formatMinute } from "./listing.ts";

export const list: Command = createListCommand<SignUpRequest>({
  details:
    "Lists the people who have asked for an account (SIGN_UP=approval), the oldest request first.",
  examples: ["latchkey sign-up list", "latchkey sign-up list --json"],

  async *read({ signUps }) {
    yield await signUps.list();
  },

  columns: { USERNAME: 0, EMAIL: 0, WITH: 0, ASKED: 16, FORGOTTEN: 16, ID: 0 },
  toCells: ({ id, username, email = "", emailIs, provider = "", createdAt, expiresAt }) => [
    ...[username, email !== "" && emailIs === "unverified" ? `${email} (unverified)` : email],
    ...[provider, formatMinute(createdAt), formatMinute(expiresAt), id],
  ],
  toObject: ({ name = null, email = null, provider = null, ...request }) => {
    return { ...request, name, email, provider };
  },
});

export const approve: Command = createAccountCommand({
  details:
    "Makes the account. With SMTP_URL, a gate tells the person. latchkey sign-up list shows the IDs.",
  operands: [{ name: "id", need: "required" }],
  settings: ["SMTP_URL", "SMTP_URL_FILE"],
  examples: ["latchkey sign-up approve 5b7d9f1a3c5e70925b7d9f1a3c5e7092"],

  async change({ signUps }, { id }) {
    const request = (await signUps.list()).find((waiting) => waiting.id === id);
    if (request === undefined) throw createRefusal("no-request", id);
    const { username } = request;
    const outcome = await signUps.approve(request.id);
    switch (outcome) {
      case "no-request":
        throw createRefusal(outcome, id);
      case "username-taken":
        throw createRefusal("request-name-taken", username);
      case "identity-taken":
        throw createRefusal(outcome, username);
      case "approved":
        return `Added the user ${quote(username)}.`;
    }
  },
});

export const decline: Command = createAccountCommand({
  details: "Removes the request. The person is not told, and can ask again.",
  operands: [{ name: "id", need: "required" }],
  examples: ["latchkey sign-up decline 5b7d9f1a3c5e70925b7d9f1a3c5e7092"],

  async change({ signUps }, { id }) {
    const outcome = await signUps.decline(String(id));
    if (outcome === "no-request") throw createRefusal(outcome, id);
    return `Declined the request ${quote(id)}.`;
  },
});

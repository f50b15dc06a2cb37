import type { Context } from "hono";
import type { SignedIn } from "./guards.ts";
import { homeWithProblem } from "./home.ts";
import { homeLocation } from "./location.ts";
import { answerSignIn } from "./login.ts";
import type { MessageName } from "./pages/words/en.ts";
import { wordsIn } from "./pages/words.ts";
import { partyOf } from "./passkeys-offered.ts";
import type { With } from "./ports.ts";
import type { Form } from "./request/form.ts";
import { clientOf } from "./request/remote-address.ts";
import { requestInfoOf } from "./request/request-info.ts";
import { noteRefusal } from "./request/warnings.ts";
import { redirect, respondJson } from "./responses.ts";

type PasskeyPorts = With<"passkeys">;

/** The script asks for a challenge first; the answer to it arrives as a form. */
export async function postPasskeyLogin(
  ports: PasskeyPorts,
  c: Context,
  form: Form,
): Promise<Response> {
  const party = partyOf(ports, c);
  if (form("credential") === "") {
    return respondJson({ challenge: ports.passkeys.challenge(), rpId: party?.id }, 200);
  }
  const answer = {
    id: form("credential"),
    userHandle: form("user_handle"),
    clientData: form("client_data"),
    authenticatorData: form("authenticator_data"),
    signature: form("signature"),
  };
  const client = { ...clientOf(c, ports.proxies), remoteAddress: ports.proxies.remoteAddress(c) };
  return answerSignIn(ports, c, form, await ports.passkeys.signIn(answer, party, client));
}

/** The script sends the password for a challenge first; the new passkey arrives as a form. */
export async function postAddPasskey(
  ports: PasskeyPorts,
  c: Context<SignedIn>,
  form: Form,
): Promise<Response> {
  const { views, passkeys, paths } = ports;
  const info = requestInfoOf(c);
  const party = partyOf(ports, c);
  if (party === undefined) return views.error(info, 422, "passkeyRejected");
  if (form("client_data") === "") return beginAdding(ports, c, form, party.id);
  const passkey = {
    name: form("name"),
    clientData: form("client_data"),
    authenticatorData: form("authenticator_data"),
    publicKey: form("public_key"),
  };
  switch (await passkeys.add(c.var.user.id, passkey, party)) {
    case "no-user":
      return redirect(paths.login);
    case "rejected":
      noteRefusal(ports, c, "passkey change rejected");
      return views.error(info, 422, "passkeyRejected");
    case "added":
      return backToPasskeys(ports, c);
  }
}

/** Answers the script with the options for the browser, or with a message to show. */
async function beginAdding(
  ports: PasskeyPorts,
  c: Context<SignedIn>,
  form: Form,
  rpId: string,
): Promise<Response> {
  const { messages } = wordsIn(ports.views.locale(requestInfoOf(c)));
  const client = clientOf(c, ports.proxies);
  const entered = { currentPassword: form("current_password"), code: form("code") };
  const outcome = await ports.passkeys.begin(c.var.user.id, entered, client);
  switch (outcome.kind) {
    case "no-user":
      return redirect(ports.paths.login);
    case "current-password-incorrect":
      noteRefusal(ports, c, "passkey change rejected");
      return respondJson({ message: messages.currentPasswordIncorrect }, 422);
    case "code-incorrect":
      noteRefusal(ports, c, "passkey change rejected");
      return respondJson({ message: messages.codeIncorrect }, 422);
    case "too-many":
      return respondJson({ message: messages.tooManyPasskeys }, 422);
    case "begun": {
      const { challenge, existing, user } = outcome;
      const userId = Buffer.from(user.id).toString("base64url");
      return respondJson({ challenge, rpId, existing, userId, username: user.username }, 200);
    }
  }
}

export async function postRemovePasskey(
  ports: PasskeyPorts,
  c: Context<SignedIn>,
  form: Form,
): Promise<Response> {
  const client = clientOf(c, ports.proxies);
  const { id } = c.var.user;
  const password = form("current_password");
  switch (await ports.passkeys.remove(id, form("passkey"), password, client)) {
    case "no-user":
      return redirect(ports.paths.login);
    case "current-password-incorrect": {
      noteRefusal(ports, c, "passkey change rejected");
      const name: MessageName = "currentPasswordIncorrect";
      return ports.paths.home === null
        ? ports.views.error(requestInfoOf(c), 422, name)
        : homeWithProblem(ports, c, "passkeys", name, ["passkey_remove_password"]);
    }
    case "removed":
      return backToPasskeys(ports, c);
  }
}

/** The fragment unfolds the section. */
function backToPasskeys({ paths, options }: PasskeyPorts, c: Context<SignedIn>): Response {
  const home = homeLocation(paths, options, c.var.user);
  return redirect(paths.home === null ? home : `${home}#your-passkeys`);
}

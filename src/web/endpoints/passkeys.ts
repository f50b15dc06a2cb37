import type { RelyingParty } from "../../core/passkeys/relying-party.ts";
import { homeLocation } from "../answers/location.ts";
import { type Answer, redirect, respondJson } from "../answers/responses.ts";
import type { MessageName } from "../pages/words/en.ts";
import type { FormEndpoint, OwnFormEndpoint, PasskeyRules, WebPorts } from "../ports.ts";
import { clientOf } from "../request/remote-address.ts";
import { noteRefusal } from "../request/warnings.ts";
import type { AdmittedRequest } from "../request/web-request.ts";
import { answerProblem } from "./home.ts";
import { answerSignIn, limitedClient, partyOf } from "./login.ts";

const REJECTED = "passkey change rejected";

/** The script asks for a challenge first; the answer to it arrives as a form. */
export const postPasskeyLogin =
  (passkeys: PasskeyRules): FormEndpoint =>
  async (ports, request, form) => {
    const party = partyOf(ports, request);
    if (form("credential") === "") {
      return respondJson({ challenge: passkeys.challenge(), rpId: party?.id }, 200);
    }
    const answer = {
      id: form("credential"),
      userHandle: form("user_handle"),
      clientData: form("client_data"),
      authenticatorData: form("authenticator_data"),
      signature: form("signature"),
    };
    const client = await limitedClient(ports, request);
    return answerSignIn(ports, request, form, await passkeys.signIn(answer, party, client));
  };

/** The script sends the password for a challenge first; the new passkey arrives as a form. */
export const postAddPasskey =
  (passkeys: PasskeyRules): OwnFormEndpoint =>
  async (ports, request, form) => {
    const party = partyOf(ports, request);
    if (party === undefined) return ports.views.error(request, 422, "passkeyRejected");
    if (form("client_data") === "") return beginAdding(passkeys, party)(ports, request, form);
    const passkey = {
      name: form("name"),
      clientData: form("client_data"),
      authenticatorData: form("authenticator_data"),
      publicKey: form("public_key"),
    };
    const client = clientOf(request, ports.proxies);
    switch (await passkeys.add(request.user.id, passkey, { party, client })) {
      case "no-user":
        return redirect(ports.paths.login);
      case "rejected":
        noteRefusal(ports, request, REJECTED);
        return ports.views.error(request, 422, "passkeyRejected");
      case "added":
        return backToPasskeys(ports, request);
    }
  };

/** Answers the script with the options for the browser, or with a message to show. */
const beginAdding =
  (passkeys: PasskeyRules, { id: rpId }: RelyingParty): OwnFormEndpoint =>
  async (ports, request, form) => {
    const problem = (name: MessageName): Answer =>
      respondJson({ message: ports.views.message(request, name) }, 422);
    const client = clientOf(request, ports.proxies);
    const entered = { currentPassword: form("current_password"), code: form("code") };
    const outcome = await passkeys.begin(request.user.id, entered, client);
    switch (outcome.kind) {
      case "no-user":
        return redirect(ports.paths.login);
      case "current-password-incorrect":
        noteRefusal(ports, request, REJECTED);
        return problem("currentPasswordIncorrect");
      case "code-incorrect":
        noteRefusal(ports, request, REJECTED);
        return problem("codeIncorrect");
      case "too-many":
        return problem("tooManyPasskeys");
      case "begun": {
        const { challenge, existing, user } = outcome;
        const userId = Buffer.from(user.id).toString("base64url");
        return respondJson({ challenge, rpId, existing, userId, username: user.username }, 200);
      }
    }
  };

export const postRemovePasskey =
  (passkeys: PasskeyRules): OwnFormEndpoint =>
  async (ports, request, form) => {
    const client = clientOf(request, ports.proxies);
    const entered = { passkey: form("passkey"), currentPassword: form("current_password") };
    switch (await passkeys.remove(request.user.id, entered, client)) {
      case "no-user":
        return redirect(ports.paths.login);
      case "current-password-incorrect":
        noteRefusal(ports, request, REJECTED);
        return answerProblem(ports, request, {
          form: "passkeys",
          message: "currentPasswordIncorrect",
          fields: ["passkey_remove_password"],
        });
      case "removed":
        return backToPasskeys(ports, request);
    }
  };

/** The fragment unfolds the section. */
function backToPasskeys(ports: WebPorts, { user }: AdmittedRequest): Answer {
  const home = homeLocation(ports, user);
  return redirect(ports.paths.home === null ? home : `${home}#your-passkeys`);
}

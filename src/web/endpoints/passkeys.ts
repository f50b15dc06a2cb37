import { backTo } from "../answers/notice.ts";
import { type Answer, redirect, respondJson } from "../answers/responses.ts";
import type { MessageName } from "../pages/words/en.ts";
import type { FormEndpoint, OwnFormEndpoint, PasskeyRules } from "../ports.ts";
import { clientOf } from "../request/remote-address.ts";
import { noteRefusal } from "../request/warnings.ts";
import { answerSignIn, limitedClient, partyOf, targetAfterFactor } from "./login.ts";
import { provenSession } from "./sessions.ts";

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

/** Answers the script with the options for the browser, or with a message to show. */
export const postBeginPasskey =
  (passkeys: PasskeyRules): OwnFormEndpoint =>
  async (ports, request) => {
    const party = partyOf(ports, request);
    const problem = (name: MessageName): Answer =>
      respondJson({ message: ports.views.message(request, name) }, 422);
    if (party === undefined) return problem("passkeyRejected");
    const outcome = await passkeys.begin(request.user.id);
    switch (outcome.kind) {
      case "no-user":
        return redirect(ports.paths.login);
      case "too-many":
        return problem("tooMany");
      case "begun": {
        const { challenge, existing, user } = outcome;
        const { id: rpId } = party;
        const userId = Buffer.from(user.id).toString("base64url");
        return respondJson({ challenge, rpId, existing, userId, username: user.username }, 200);
      }
    }
  };

export const postAddPasskey =
  (passkeys: PasskeyRules): OwnFormEndpoint =>
  async (ports, request, form) => {
    const party = partyOf(ports, request);
    if (party === undefined) return ports.views.error(request, 422, "passkeyRejected");
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
        noteRefusal(ports, request, "passkey change rejected");
        return ports.views.error(request, 422, "passkeyRejected");
      case "added": {
        const target = targetAfterFactor(ports, request);
        const cookies = provenSession(ports, request);
        return target === undefined
          ? backTo("passkeys", ports, request, { notice: "passkeyIsAdded", cookies })
          : redirect(target, cookies);
      }
    }
  };

export const postRenamePasskey =
  (passkeys: PasskeyRules): OwnFormEndpoint =>
  async (ports, request, form) => {
    switch (await passkeys.rename(request.user.id, form("passkey"), form("name"))) {
      case "no-passkey":
        return backTo("passkeys", ports, request);
      case "renamed":
        return backTo("passkeys", ports, request, { notice: "passkeyIsRenamed" });
    }
  };

export const postRemovePasskey =
  (passkeys: PasskeyRules): OwnFormEndpoint =>
  async (ports, request, form) => {
    const client = clientOf(request, ports.proxies);
    await passkeys.remove(request.user, form("passkey"), client);
    return backTo("passkeys", ports, request, { notice: "passkeyIsRemoved" });
  };

import {
  addPasskey,
  beginPasskey,
  removePasskey,
  renamePasskey,
} from "../../core/passkeys/own-passkeys.ts";
import { signInWithPasskey } from "../../core/passkeys/sign-in-with-passkey.ts";
import { type Answer, redirect, respondJson } from "../answers/responses.ts";
import type { MessageName } from "../pages/words.ts";
import type { PartEndpoint } from "../ports.ts";
import { noteRefusal } from "../request/warnings.ts";
import type { WebRequest } from "../request/web-request.ts";
import { answerSignIn, askedTarget, limitedClient, partyOf } from "./login.ts";
import { backTo } from "./redirects.ts";
import { provenSession } from "./sessions.ts";

type PasskeysEndpoint = PartEndpoint<"passkeys">;

/** The script asks for a challenge first; the answer to it arrives as a form. */
export const postPasskeySignIn: PartEndpoint<"passkeys", WebRequest> =
  (ports) => async (visit, form) => {
    const party = partyOf(visit);
    if (form("credential") === "") {
      return respondJson({ challenge: ports.challenges.issue("sign-in"), rpId: party?.id }, 200);
    }
    const answer = {
      id: form("credential"),
      userHandle: form("user_handle"),
      clientData: form("client_data"),
      authenticatorData: form("authenticator_data"),
      signature: form("signature"),
    };
    const client = await limitedClient(visit);
    return answerSignIn(visit, form, await signInWithPasskey(ports, answer, party, client));
  };

/** Answers the script with the options for the browser, or with a message to show. */
export const postBeginPasskey: PasskeysEndpoint = (ports) => async (visit) => {
  const party = partyOf(visit);
  const problem = (name: MessageName): Answer =>
    respondJson({ message: visit.views.message(visit.request, name) }, 422);
  if (party === undefined) return problem("passkeyRejected");
  const outcome = await beginPasskey(ports, visit.request.user.id);
  switch (outcome.kind) {
    case "no-user":
      return redirect(visit.paths.login);
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

export const postAddPasskey: PasskeysEndpoint = (ports) => async (visit, form) => {
  const { views, request, client } = visit;
  const party = partyOf(visit);
  if (party === undefined) return views.error(request, 422, "passkeyRejected");
  const passkey = {
    name: form("name"),
    clientData: form("client_data"),
    attestation: form("attestation"),
  };
  switch (await addPasskey(ports, request.user.id, passkey, { party, client })) {
    case "no-user":
      return redirect(visit.paths.login);
    case "name-invalid":
      return views.error(request, 422, "nameInvalid");
    case "rejected":
      noteRefusal(visit, request, "passkey change rejected");
      return views.error(request, 422, "passkeyRejected");
    case "added": {
      const target = askedTarget(visit);
      const cookies = provenSession(visit);
      return target === undefined
        ? backTo("passkeys", visit, { notice: "passkeyIsAdded", cookies })
        : redirect(target, cookies);
    }
  }
};

export const postRenamePasskey: PasskeysEndpoint = (ports) => async (visit, form) => {
  switch (await renamePasskey(ports, visit.request.user.id, form("passkey"), form("name"))) {
    case "no-passkey":
      return backTo("passkeys", visit);
    case "name-invalid":
      return visit.views.error(visit.request, 422, "nameInvalid");
    case "renamed":
      return backTo("passkeys", visit, { notice: "passkeyIsRenamed" });
  }
};

export const postRemovePasskey: PasskeysEndpoint = (ports) => async (visit, form) => {
  await removePasskey(ports, visit.request.user, form("passkey"), visit.client);
  return backTo("passkeys", visit, { notice: "passkeyIsRemoved" });
};

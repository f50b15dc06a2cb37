import {
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
  type WebAuthnCredential,
} from "@simplewebauthn/server";
import { isoCBOR } from "@simplewebauthn/server/helpers";
import type { CeremonyResponse } from "../../../src/features/passkeys/ceremony.ts";
import type { PasskeyResponse } from "../../../src/features/passkeys/sign-in-with-passkey.ts";

interface Expectation {
  readonly expectedOrigin: string;
  readonly expectedRPID: string;
  readonly expectedChallenge: string;
}

const TYPED = { type: "public-key", clientExtensionResults: {} } as const;

export const bytesOf = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(Buffer.from(text, "base64url"));

/** The passkey that the other implementation adds. The ID of the answer is not in question. */
export async function otherwiseAdded(
  answer: CeremonyResponse,
  expected: Expectation,
): Promise<WebAuthnCredential | undefined> {
  const attestation = new Map<string, unknown>([
    ["fmt", "none"],
    ["attStmt", new Map()],
    ["authData", bytesOf(answer.authenticatorData)],
  ]);
  const attestationObject = Buffer.from(isoCBOR.encode(attestation as never)).toString("base64url");
  const response = { clientDataJSON: answer.clientData, attestationObject };
  const registration = { id: "AA", rawId: "AA", ...TYPED, response };
  return verifyRegistrationResponse({ ...expected, response: registration }).then(
    ({ verified, registrationInfo }) => (verified ? registrationInfo?.credential : undefined),
    () => undefined,
  );
}

/** Whether the other implementation signs in. */
export function otherwiseSignedIn(
  answer: Omit<PasskeyResponse, "id" | "userHandle">,
  expected: Expectation,
  stored: { readonly publicKey: Uint8Array<ArrayBuffer>; readonly counter: number },
): Promise<boolean> {
  const { clientData: clientDataJSON, authenticatorData, signature } = answer;
  const response = { clientDataJSON, authenticatorData, signature };
  return verifyAuthenticationResponse({
    ...expected,
    credential: { id: "AA", ...stored },
    response: { id: "AA", rawId: "AA", ...TYPED, response },
  }).then(
    ({ verified }) => verified,
    () => false,
  );
}

import { type MadeCertificate, makeCertificate } from "../support/certificates.ts";

const names = ["localhost"];
const until = new Date("2119-12-24T08:45:02Z");
const root = makeCertificate({ kind: "authority" });
const intermediate = makeCertificate({ kind: "authority", issuer: root });

export const ROOT: string = root.cert;
/** Signed by the root. */
export const INTERMEDIATE: string = intermediate.cert;
/** For `localhost`, signed by the intermediate. */
export const LEAF: MadeCertificate = makeCertificate({ names, until, issuer: intermediate });
/** Self-signed. For `localhost`, like the leaf. */
export const SELF_SIGNED: MadeCertificate = makeCertificate({ names, until });

import { makeCertificate } from "./certificates.ts";

const authority = makeCertificate({ kind: "authority" });
const server = makeCertificate({ names: ["localhost"], issuer: authority });

/** An authority of this process. */
export const CA_CERTIFICATE: string = authority.cert;
/** For `localhost` only. */
export const SERVER_CERTIFICATE: string = server.cert;
export const SERVER_KEY: string = server.key;

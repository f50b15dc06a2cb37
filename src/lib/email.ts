import { PLAIN_HOST } from "./host-name.ts";

const MAX_EMAIL_BYTES = 254;
/** Matches the part before the @: visible ASCII characters without quotes, brackets and commas. */
const LOCAL_PART = /^[\w!#$%&'*+/=?^`{|}~.-]{1,64}$/;

/** Returns whether mail programs and apps understand this address, without any quoting. */
export function isUsableEmail(email: string): boolean {
  const [local = "", host = "", ...more] = email.split("@");
  if (more.length > 0 || Buffer.byteLength(email) > MAX_EMAIL_BYTES) return false;
  return LOCAL_PART.test(local) && PLAIN_HOST.test(host.toLowerCase()) && host.includes(".");
}

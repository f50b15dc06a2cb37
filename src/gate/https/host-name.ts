import { isIP } from "node:net";
import { domainToASCII } from "node:url";
import { Fault } from "../../lib/fault.ts";

/**
 * Normalizes a host name to its form in certificates. It throws a fault that explains what is
 * wrong.
 */
export function parseCertifiableName(text: string): string {
  if (text.includes("*"))
    throw createNameFault(
      text,
      "wildcard certificates need DNS challenges, which the gate does not support",
    );
  const trimmedText = text.trim().replace(/\.$/, "");
  // `domainToASCII` would drop these characters and keep the text around them.
  const name = /[\p{Cc}/?#%\\]/u.test(trimmedText) ? "" : domainToASCII(trimmedText);
  if (isIP(name) !== 0) throw createNameFault(text, "it is an IP address");
  const labels = name.split(".");
  const isName =
    name.length <= 253 &&
    labels.length > 1 &&
    labels.every((label) => /^[a-z\d]([a-z\d-]{0,61}[a-z\d])?$/.test(label)) &&
    !/^\d+$/.test(labels.at(-1) ?? "");
  if (!isName) throw createNameFault(text, "a host name looks like home.example.org");
  return name;
}

const createNameFault = (text: string, reason: string): Fault =>
  new Fault("domain_refused", `cannot get a certificate for ${text}: ${reason}`);

import type { HttpRequest } from "../http/request.ts";
import { changedHosts } from "./changed-hosts.ts";

const PUBLIC = ["/login", "/latchkey.css", "/healthz", "/robots.txt"];

/** Paths that other guards leave open by their rules. */
const OFTEN_OPEN = [...PUBLIC, "/health", "/ping", "/public/", "/static/app.js", "/favicon.ico"];

/** Requests for a path that a guard might not recognise. */
export function pathVariants(path: string, host: string): readonly HttpRequest[] {
  return [
    ...spellings(path, host).map((one) => ({ path: one })),
    ...["HEAD", "GET ", "get", "FOO"].map((method) => ({ path, method })),
    { path, version: "1.0" as const, headers: { Host: undefined } },
    ...hostVariants(host).map((Host) => ({ path, headers: { Host } })),
  ];
}

/** Spellings of a path that a guard and the app behind it may parse differently. */
export function spellings(path: string, host: string): readonly string[] {
  const name = path.slice(1);
  const encoded = [...name].map((one) => `%${one.charCodeAt(0).toString(16)}`).join("");
  const all = [
    path,
    `/${path}`,
    `//${path}`,
    `/.${path}`,
    `/%2e${path}`,
    `/x/..${path}`,
    `/x/%2e%2e${path}`,
    `/x/..;${path}`,
    `/x/..%2f${name}`,
    `/x/..%5c${name}`,
    `/..${path}`,
    `/;${path}`,
    `/;a=1${path}`,
    `/%2f${name}`,
    `/%5c${name}`,
    `/\\${name}`,
    `/%00${name}`,
    `/%0d${name}`,
    `/%0a${name}`,
    `/%20${name}`,
    `/${encoded}`,
    `/${encoded.toUpperCase().replaceAll("%", "%25")}`,
    `/%c0%af${name}`,
    `/%e0%80%af${name}`,
    `/%c0%ae${path}`,
    `/%u002f${name}`,
    `/${name.toUpperCase()}`,
    `${path}.`,
    `${path}%2e`,
    `${path}/`,
    `${path}//`,
    `${path}/.`,
    `${path}/..;/`,
    `${path};`,
    `${path};a=1`,
    `${path};.css`,
    `${path}%3b.css`,
    `${path}.css`,
    `${path}/x.css`,
    `${path}%2fx.css`,
    `${path}?`,
    `${path}?.css`,
    `${path}#`,
    `${path}%23`,
    `${path}%3f`,
    `${path}%00`,
    `${path}%00.css`,
    `${path}%0a`,
    `${path}%20`,
    `${path}%09`,
    `${path}\xff`,
    `${path}%ff`,
    `http://${host}${path}`,
    `HTTP://${host}${path}`,
    `http://elsewhere.example${path}`,
    `http://${host}/login/..${path}`,
    `http://x@${host}${path}`,
    // Not with the other public paths: their files are open, and these are requests for them.
    `/login#${path}`,
    `/login?${path}`,
    `/login%23${path}`,
    `/login%3f${path}`,
    ...OFTEN_OPEN.flatMap((open) => [
      `${path}#${open}`,
      `${path}%23${open}`,
      `${path}?${open}`,
      `${path}?x=${open}`,
      `${path}?x=#${open}`,
      `${path}%3fx=${open}`,
    ]),
    ...PUBLIC.flatMap((open) => [
      `${open}..`,
      `${open}..${path}`,
      `${open}..;${path}`,
      `${open}%2e%2e${path}`,
      `${open}.%2e${path}`,
      `${open}/..//${name}`,
      `${open}//..//..${path}`,
      `/${open}/..${path}`,
      `${open}/..${path}`,
      `${open}/%2e%2e${path}`,
      `${open}/..;${path}`,
      `${open}/..%2f${name}`,
      `${open}%2f..%2f${name}`,
      `${open}\\..\\${name}`,
      `${open};/..${path}`,
      `${open}%00/..${path}`,
      `${open}/../..${path}`,
    ]),
  ];
  return [...new Set(all)].filter((spelling) => !/[ \r\n]/.test(spelling));
}

/** Spellings of the server's own host, and one that is always local. */
function hostVariants(host: string): readonly string[] {
  const { hostname } = new URL(`http://${host}`);
  return [
    host.toUpperCase(),
    host.replace(hostname, `${hostname}.`),
    hostname,
    ...["", "1", "80", "443", "8443"].map((port) => `${hostname}:${port}`),
    `${hostname}.:80`,
    "localhost",
    ...changedHosts(hostname),
  ];
}

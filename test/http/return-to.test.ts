import assert from "node:assert/strict";
import { test } from "node:test";
import {
  acceptReturnTarget,
  findOtherTarget,
  getHandoffRoot,
  parseHandoffTarget,
} from "../../src/http/return-to.ts";
import { fetchRequest } from "../../src/index.ts";
import { NO_GATE, type SettledOptions } from "../../src/options.ts";
import { settleOptions } from "../../src/settle-options.ts";
import { optionsWith } from "../support/options.ts";

const OWN = "https://auth.example.test";
const REQUESTED_HOST = "127.0.0.1:3000";

type Asking = Partial<SettledOptions["guards"] & SettledOptions["hosts"]> & {
  readonly standalone?: boolean;
  readonly isHttps?: boolean;
};

/** Whether a request for another host than Latchkey's own accepts the return target. */
function isAccepted(target: string, asking: Asking): boolean {
  const { isHttps = false, standalone = false, returnTo = false } = asking;
  const { publicUrl, cookieDomain } = asking;
  const given = optionsWith({ guards: { returnTo }, hosts: { publicUrl, cookieDomain } });
  const options = { ...settleOptions(given), ...NO_GATE, standalone };
  const request = fetchRequest(new Request(`http://${REQUESTED_HOST}/`), { encrypted: isHttps });
  return acceptReturnTarget(options, request, target) === target;
}

for (const option of ["standalone", "returnTo"] as const) {
  test(`with ${option} and a public URL, accepts only that origin, not the requested host`, () => {
    const options = { [option]: true, publicUrl: OWN };
    assert.equal(isAccepted(`${OWN}/page`, options), true);
    assert.equal(isAccepted(`http://${REQUESTED_HOST}/page`, options), false);
  });

  test(`with ${option} and without a public URL, accepts the requested host`, () => {
    const options = { [option]: true };
    assert.equal(isAccepted(`${OWN}/page`, options), false);
    assert.equal(isAccepted(`http://${REQUESTED_HOST}/page`, options), true);
  });
}

test("without both options, accepts no return target", () => {
  for (const target of ["/page", `http://${REQUESTED_HOST}/page`]) {
    assert.equal(isAccepted(target, {}), false);
  }
});

const shared = { standalone: true, cookieDomain: "example.test" };

for (const [what, asking, http] of [
  ["a public URL with http", { ...shared, publicUrl: "http://auth.example.test" }, true],
  ["a public URL with https", { ...shared, publicUrl: OWN }, false],
  ["no public URL, over plain HTTP", shared, true],
  ["no public URL, over HTTPS", { ...shared, isHttps: true }, false],
] as const) {
  test(`with ${what}, ${http ? "accepts" : "rejects"} an http page of the cookie domain`, () => {
    assert.equal(isAccepted("http://app.example.test/page", asking), http);
    assert.equal(isAccepted("https://app.example.test/page", asking), true);
  });
}

test("over HTTPS, accepts the requested host with https only", () => {
  const asking = { standalone: true, isHttps: true };
  assert.equal(isAccepted(`https://${REQUESTED_HOST}/page`, asking), true);
  assert.equal(isAccepted(`http://${REQUESTED_HOST}/page`, asking), false);
});

/** A gate at a port, for all hosts of another domain and, by mistake, for its own. */
function handingOver(host: string) {
  const hosts = { publicUrl: "https://auth.example.test:8443" };
  const returnDomains = ["other.test", "example.test"];
  const options = { ...settleOptions(optionsWith({ hosts })), ...NO_GATE, returnDomains };
  const request = fetchRequest(new Request(`https://${host}/`, { headers: { Host: host } }));
  return { options, request };
}

test("hands over to the port of the public URL alone, and never to Latchkey's own host", () => {
  for (const [host, root] of [
    ["photos.other.test:8443", "https://photos.other.test:8443/"],
    ["photos.other.test", "https://photos.other.test:8443/"],
    ["auth.example.test:8443", undefined],
    ["evil.test:8443", undefined],
  ] as const) {
    const { options, request } = handingOver(host);
    assert.equal(getHandoffRoot(options, request)?.href, root, host);
  }
  const { options } = handingOver("auth.example.test:8443");
  for (const target of [null, undefined, "", "/", "https://photos.other.test/"]) {
    assert.equal(parseHandoffTarget(options, target), undefined, String(target));
  }
});

test("names the other host of a target, also of one that is handed over", () => {
  const { options, request } = handingOver("auth.example.test:8443");
  for (const [target, host] of [
    [
      "/login/handoff?return_to=https%3A%2F%2Fphotos.other.test%3A8443%2F",
      "photos.other.test:8443",
    ],
    ["/login/handoff?browser=x", undefined],
    ["https://app.example.test/", "app.example.test"],
    ["https://auth.example.test:8443/", undefined],
    ["/page", undefined],
    [undefined, undefined],
  ] as const) {
    assert.equal(findOtherTarget(options, request, target)?.host, host, `${target}`);
  }
  const atRequest = { ...options, hosts: { ...options.hosts, publicUrl: undefined } };
  assert.equal(findOtherTarget(atRequest, request, "https://auth.example.test:8443/"), undefined);
});

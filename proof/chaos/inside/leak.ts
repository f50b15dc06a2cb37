/** Preloaded into a gate to prove that a leak is found: leaks one session's memory per request. */
import { subscribe } from "node:diagnostics_channel";

const leaked: unknown[] = [];

subscribe("http.server.request.start", () => {
  const token = Buffer.from(`${leaked.length}`.padStart(300, "x")).toString();
  leaked.push({ token: { text: token, expiresAt: leaked.length }, found: { user: {} } });
});

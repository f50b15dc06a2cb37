import { betterAuthPeer } from "./better-auth.ts";
import type { Peer } from "./peer.ts";

export const peer: Peer = betterAuthPeer("cookie-cache");

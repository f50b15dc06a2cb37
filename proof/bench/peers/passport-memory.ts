import { MemoryStore } from "express-session";
import { passportPeer } from "./passport.ts";
import type { Peer } from "./peer.ts";

export const peer: Peer = passportPeer({ kept: "in-memory", open: () => new MemoryStore() });

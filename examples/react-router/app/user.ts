import type { User } from "latchkey";
import { createContext } from "react-router";

/** The signed-in user, for loaders and actions. */
export const userContext = createContext<User>();

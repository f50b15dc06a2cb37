import type { User } from "latchkey";

declare global {
  namespace App {
    interface Locals {
      user: User;
    }
  }
}

declare namespace App {
  interface Locals {
    user: import("latchkey").User;
  }
}

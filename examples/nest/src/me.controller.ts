import { Controller, Get, type OnApplicationShutdown } from "@nestjs/common";
import type { User } from "latchkey";
import { closeLatchkey, SignedIn } from "./latchkey.js";

@Controller()
export class MeController implements OnApplicationShutdown {
  @Get("hello")
  hello(@SignedIn() user: User): string {
    return `Hello, ${user.username}`;
  }

  @Get("api/me")
  me(@SignedIn() user: User): User {
    return user;
  }

  onApplicationShutdown(): Promise<void> {
    return closeLatchkey();
  }
}

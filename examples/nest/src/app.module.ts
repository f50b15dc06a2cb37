import { Controller, Get, Module, type OnApplicationShutdown } from "@nestjs/common";
import type { User } from "latchkey";
import { closeLatchkey, SignedIn } from "./latchkey.js";

@Controller()
class AppController {
  @Get()
  home(@SignedIn() user: User): string {
    return `Hello, ${user.username}`;
  }

  @Get("api/me")
  me(@SignedIn() user: User): User {
    return user;
  }
}

@Module({ controllers: [AppController] })
export class AppModule implements OnApplicationShutdown {
  onApplicationShutdown(): Promise<void> {
    return closeLatchkey();
  }
}

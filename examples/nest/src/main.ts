import { NestFactory } from "@nestjs/core";
import { AppModule } from "./app.module.js";
import { latchkey } from "./latchkey.js";

async function bootstrap() {
  const app = await NestFactory.create(AppModule);
  app.use(latchkey.routes);
  app.use(latchkey.requireAuth);
  app.enableShutdownHooks();
  await app.listen(process.env.PORT ?? 3000, "127.0.0.1");
}
await bootstrap();

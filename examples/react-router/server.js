import express from "express";
import { app as members } from "./build/server/index.js";

const app = express();
app.use(express.static("build/client", { index: false }));
app.use(members);
app.listen(Number(process.env.PORT ?? 3000), "127.0.0.1");

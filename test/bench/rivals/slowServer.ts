import { createServer } from "node:http"

/** So many milliseconds pass before a response: less than a delivery may take. */
const PAUSE = 5_000

/** Responds late, but responses. */
createServer((request, response) => {
  if (request.method === "GET") response.writeHead(200).end()
  else request.resume().on("end", () => setTimeout(() => response.writeHead(204).end(), PAUSE))
}).listen(Number(process.env["PORT"]), "127.0.0.1")

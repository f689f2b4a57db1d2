import { createServer } from "node:http"

/** Responds with what asks whether it is there, and nothing else, ever. */
createServer((request, response) => {
  if (request.method === "GET") response.writeHead(200).end()
  else request.resume()
}).listen(Number(process.env["PORT"]), "127.0.0.1")

import { createServer } from "node:http"

const body = JSON.stringify({ accepted: 1, duplicates: 0, latest: {} })

/** Responds to every request at once: what is left is the cost of the load generator and of Node's own HTTP. */
createServer((request, response) => {
  request.resume().on("end", () => {
    response.writeHead(200, { "content-type": "application/json", "content-length": body.length }).end(body)
  })
}).listen(Number(process.env["PORT"]), "127.0.0.1")

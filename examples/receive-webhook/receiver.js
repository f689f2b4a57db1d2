// Receives events by webhook: verifies each, and prints it once. Nothing but Node.js is needed.
import { createHmac, timingSafeEqual } from "node:crypto"
import { createServer } from "node:http"

// recipe
/** Whether a delivery is the platform's, and not older than five minutes. `body` are the bytes as they came. */
const isGenuine = (secret, headers, body) => {
  const { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": signatures = "" } = headers
  if (!(Math.abs(Date.now() / 1000 - Number(time)) <= 300)) return false
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64")
  const expected = createHmac("sha256", key).update(`${id}.${time}.`).update(body).digest()
  return signatures.split(" ").some((signature) => {
    const given = Buffer.from(signature.replace(/^v1,/, ""), "base64")
    return signature.startsWith("v1,") && given.length === expected.length && timingSafeEqual(given, expected)
  })
}
// end of the recipe

const LIMIT = 1024 * 1024
const secret = process.env.WEBHOOK_SECRET
if (!secret) throw new Error("WEBHOOK_SECRET must be the destination's secret")

/** In a real receiver a table: the same event may come twice, also after a restart. */
const seen = new Set()

createServer(async (request, response) => {
  const chunks = []
  let length = 0
  for await (const chunk of request) {
    length += chunk.length
    if (length > LIMIT) return response.writeHead(413).end()
    chunks.push(chunk)
  }
  const body = Buffer.concat(chunks)
  if (!isGenuine(secret, request.headers, body)) return response.writeHead(401).end()
  const event = JSON.parse(body.toString("utf8"))
  if (!seen.has(event.id)) {
    seen.add(event.id)
    process.stdout.write(`${event.type} ${event.id}\n`)
  }
  return response.writeHead(204).end()
}).listen(Number(process.env.PORT ?? 4400), "127.0.0.1", function () {
  process.stdout.write(`listening on ${this.address().port}\n`)
})

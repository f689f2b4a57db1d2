import { sign, toSecret } from "@edp/domain/events/webhookSignature"
import { signatures } from "@edp/server/destinations/senders/WebhookSender"
import { expect, test } from "vitest"

test("the server's signatures equal the contract's, for every length of a secret and any text", async () => {
  const secrets = [24, 32, 64].map((length) => toSecret(Buffer.alloc(length, length)))
  for (const body of ["", "{}", `{"name":"Zoë 😀"}`]) {
    const message = { id: "event-1", timestamp: 1_772_366_400, body }
    expect(signatures(secrets, message)).toBe(await sign(secrets, message))
  }
})

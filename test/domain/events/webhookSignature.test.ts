import { randomBytes } from "node:crypto"
import { refusalOf, secretBytes, sign, TOLERANCE_SECONDS, toSecret } from "@edp/domain/events/webhookSignature"
import { Webhook as StandardWebhook } from "standardwebhooks"
import { Webhook as SvixWebhook } from "svix"
import { describe, expect, test } from "vitest"

const now = Math.floor(Date.now() / 1000)
const body = JSON.stringify({ id: "cmm7p6yo05d8h2l6p0t4x8b3f", text: "Größe 5 kWh ⚡" })
const secret = toSecret(randomBytes(32))

const delivery = async (secrets: ReadonlyArray<string> = [secret], timestamp = now) => ({
  "webhook-id": "cmm7p6yo05d8h2l6p0t4x8b3f",
  "webhook-timestamp": String(timestamp),
  "webhook-signature": await sign(secrets, { id: "cmm7p6yo05d8h2l6p0t4x8b3f", timestamp, body })
})

describe.each([
  ["standardwebhooks", StandardWebhook],
  ["svix", SvixWebhook]
])("the verifier %s", (_, Verifier) => {
  const verify = (headers: Record<string, string>, text = body) => new Verifier(secret).verify(text, headers)

  test("accepts a delivery", async () => {
    const headers = await delivery()
    expect(() => verify(headers)).not.toThrow()
  })

  test("accepts one that is also signed with a newer secret", async () => {
    const headers = await delivery([toSecret(randomBytes(24)), secret])
    expect(() => verify(headers)).not.toThrow()
  })

  test("rejects it after a change of any byte of the body", async () => {
    const headers = await delivery()
    for (let at = 0; at < body.length; at++) {
      const changed = `${body.slice(0, at)}${body[at] === "x" ? "y" : "x"}${body.slice(at + 1)}`
      expect(() => verify(headers, changed)).toThrow()
    }
  })

  test.each(["webhook-id", "webhook-timestamp", "webhook-signature"] as const)(
    "rejects it with another %s",
    async (name) => {
      const headers = await delivery()
      const changed = { "webhook-id": "c", "webhook-timestamp": String(now + 1), "webhook-signature": "v1,AAAA" }[name]
      expect(() => verify({ ...headers, [name]: changed })).toThrow()
    }
  )

  test("rejects it after five minutes", async () => {
    const headers = await delivery([secret], now - TOLERANCE_SECONDS - 5)
    expect(() => verify(headers)).toThrow()
  })
})

describe("the verifier of this package", () => {
  const refusal = async (change: object = {}, text: string | Uint8Array = body, at = now) =>
    refusalOf(secret, { ...(await delivery()), ...change }, text, at)

  test("accepts the same deliveries as the other verifiers", async () => {
    expect(await refusal()).toBeUndefined()
    expect(await refusal({}, Buffer.from(body))).toBeUndefined()
    const headers = new StandardWebhook(secret).sign("msg_1", new Date(now * 1000), body)
    const foreign = { "webhook-id": "msg_1", "webhook-timestamp": String(now), "webhook-signature": headers }
    expect(await refusalOf(secret, foreign, body, now)).toBeUndefined()
  })

  test("returns why it rejects a delivery", async () => {
    expect(await refusal({}, `${body} `)).toBe("no matching signature")
    expect(await refusal({ "webhook-id": "c" })).toBe("no matching signature")
    expect(await refusal({ "webhook-signature": "v1,%%%" })).toBe("no matching signature")
    expect(await refusal({ "webhook-signature": undefined })).toBe("missing headers")
    expect(await refusal({ "webhook-timestamp": "yesterday" })).toBe("bad timestamp")
    expect(await refusal({}, body, now + TOLERANCE_SECONDS)).toBeUndefined()
    expect(await refusal({}, body, now + TOLERANCE_SECONDS + 1)).toBe("too old")
    expect(await refusal({}, body, now - TOLERANCE_SECONDS - 1)).toBe("too new")
  })
})

test("a secret is whsec_ and 24 to 64 bytes in base64", () => {
  for (const length of [24, 32, 64]) expect(secretBytes(toSecret(randomBytes(length)))).toHaveLength(length)
  for (const length of [0, 4, 23, 65]) expect(secretBytes(toSecret(randomBytes(length)))).toBeUndefined()
  expect(secretBytes(secret.slice("whsec_".length))).toBeUndefined()
  expect(secretBytes(`${secret}!`)).toBeUndefined()
})

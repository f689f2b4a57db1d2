import { generateKeyPairSync } from "node:crypto"
import { describe, expect, test } from "vitest"
import { TestApp, useTestApp } from "../../support/TestApp.ts"

const pem = generateKeyPairSync("ec", { namedCurve: "prime256v1" })
  .publicKey.export({ type: "spki", format: "pem" })
  .toString()
const required = { EDP_TESLA_CLIENT_ID: "edp", EDP_TESLA_CLIENT_SECRET: "hunter2" }

describe("with an application at Tesla", () => {
  const app = useTestApp({ env: { ...required, EDP_TESLA_PUBLIC_KEY: pem.replaceAll("\n", "\\n") } })

  test("the manufacturer is connectable, and the key is where Tesla looks for it", async () => {
    const { keys } = await app.workspace()
    const { body } = await app.call("GET", "/v1/manufacturers/tesla", { key: keys.MANAGEMENT })
    expect(body).toMatchObject({ slug: "tesla", connectable: true })
    const shown = await fetch(`${app.url}/.well-known/appspecific/com.tesla.3p.public-key.pem`)
    expect(shown.status).toBe(200)
    expect(await shown.text()).toBe(pem)
  })
})

test.each([
  ["EDP_TESLA_REGION", "us"],
  ["EDP_TESLA_BASE_URL", "fleet-api.example.com"],
  ["EDP_TESLA_PUBLIC_KEY", "-----BEGIN PUBLIC KEY-----"]
])("%s=%s ends the start by its name, without the secret", async (name, value) => {
  const app = new TestApp()
  const error: unknown = await app.start({ env: { ...required, [name]: value } }).then(
    () => undefined,
    (failure: unknown) => failure
  )
  await app.stop()
  expect(String(error)).toContain(name)
  expect(String(error)).not.toContain("hunter2")
})

import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect } from "vitest"
import { callAt } from "../support/callAt.ts"
import { eventually } from "../support/eventually.ts"
import type { Credentials } from "../support/spawnServer.ts"
import { webhookChecks } from "../support/WebhookChecks.ts"

/** Responds with 204 under `/well`, and else 500 with what was sent, as a careless server might. */
const startEcho = async () => {
  const checks = webhookChecks()
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      checks.check(Buffer.concat(chunks).toString("utf8"))
      response.writeHead(request.url === "/well" ? 204 : 500).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return { server, checks, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/**
 * Exercises the secrets of destinations: they are given, made, rotated, refused and used, for deliveries that
 * arrive and others that fail. Returns those secrets.
 */
export const exerciseDestinations = async (
  url: string,
  { managementKey, serverKey }: Credentials
): Promise<ReadonlyArray<string>> => {
  const call = (method: string, path: string, body?: object, key = serverKey) =>
    callAt(url, method, path, { key, ...(body !== undefined && { body }) })
  const { checks, server, url: to } = await startEcho()
  const secret = `whsec_${Buffer.alloc(32, "the caller's own secret").toString("base64")}`
  const headers = { Authorization: "Bearer the-secret-of-the-header" }
  const webhook = { destinationType: "WEBHOOK", eventTypes: ["CUSTOMER_CREATED"], secret, headers }
  const secrets = [secret, headers.Authorization]
  for (const path of ["/well", "/ill"]) {
    const made = await call("POST", "/v1/destinations", { ...webhook, url: to + path }, managementKey)
    expect(made.status, made.text).toBe(201)
    const on = `/v1/destinations/${made.body.id}`
    const rotated = await call("POST", `${on}/rotate-secret`, undefined, managementKey)
    secrets.push(rotated.body.secret)
    await call("PATCH", on, { headers: { ...headers, "X-Other": "another-secret-of-a-header" } }, managementKey)
    expect((await call("POST", `${on}/test`)).body.succeeded).toBe(path === "/well")
    await call("POST", "/v1/customers", { firstName: path })
    await eventually(`it is sent to ${path}`, async () =>
      (await call("GET", `${on}/deliveries`)).body.data[0]?.attempts.length > 0 ? true : undefined
    )
    // Rejected: the message does not contain the secret.
    await call("POST", "/v1/destinations", { ...webhook, url: "nowhere" })
    await call("POST", "/v1/destinations", { ...webhook, secret: `${secret}!`, url: to })
  }
  server.closeAllConnections()
  server.close()
  checks.end()
  return [...secrets, "another-secret-of-a-header"]
}

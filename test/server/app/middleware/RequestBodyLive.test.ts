import { request } from "node:http"
import { describe, expect, test } from "vitest"
import { useTestApp } from "../../../support/TestApp.ts"

const app = useTestApp()

const refused = (reply: { status: number; body: any }, details: Record<string, string>) => {
  expect(reply.status).toBe(400)
  expect(reply.body).toEqual({ code: "VALIDATION_ERROR", message: "The request is not valid", details })
}

const post = async (body: string | undefined, headers: Record<string, string> = {}) => {
  const { keys } = await app.workspace()
  return app.call("POST", "/v1/workspaces", { key: keys.MANAGEMENT, body, headers })
}

describe("400 VALIDATION_ERROR", () => {
  test("lists all invalid fields", async () => {
    refused(await post('{"name":"","timezone":"Mars/Base","deletionProtection":"yes"}'), {
      name: "Must be a string of 1 to 100 characters",
      timezone: "Must be a time zone of the IANA database, such as America/Los_Angeles",
      deletionProtection: "Must be true or false"
    })
  })

  test("malformed JSON", async () => refused(await post("{bad"), { body: "Must be a valid JSON body" }))

  test("a body that is not an object", async () => {
    for (const body of ["[]", "null", "3", '"text"']) refused(await post(body), { body: "Must be a JSON object" })
  })

  test("a missing body when a field is required", async () => {
    refused(await post(undefined), { body: "Must be a JSON object" })
  })

  test("another content type", async () => {
    refused(await post("name=x", { "Content-Type": "application/x-www-form-urlencoded" }), {
      body: "Must be JSON, with Content-Type: application/json"
    })
  })

  test("a body above 1 MiB, by its length and while it streams", async () => {
    const large = JSON.stringify({ name: "x", filler: "a".repeat(1024 * 1024) })
    refused(await post(large), { body: "Must be at most 1 MiB" })
    const { keys } = await app.workspace()
    const streamed = await new Promise<{ status: number; body: any }>((resolve, reject) => {
      const call = request(`${app.url}/v1/workspaces`, {
        method: "POST",
        headers: { "Service-Api-Key": keys.MANAGEMENT, "Content-Type": "application/json" }
      })
      call.on("error", reject)
      call.on("response", (response) => {
        let text = ""
        response.on("data", (chunk) => (text += chunk))
        response.on("end", () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }))
      })
      call.write(large)
      call.end()
    })
    expect(streamed.status).toBe(400)
    expect(streamed.body.code).toBe("VALIDATION_ERROR")
    expect(Object.keys(streamed.body.details)).toEqual(["body"])
  })

  test("an unknown query parameter of a list", async () => {
    const { keys } = await app.workspace()
    refused(await app.call("GET", "/v1/workspaces?pages=2", { key: keys.MANAGEMENT }), { pages: "Is not known here" })
  })

  test("paging that is out of range or not an integer", async () => {
    const { keys } = await app.workspace()
    refused(await app.call("GET", "/v1/workspaces?page=0&perPage=101", { key: keys.MANAGEMENT }), {
      page: "Must be an integer from 1 to 1000",
      perPage: "Must be an integer from 1 to 100"
    })
    refused(await app.call("GET", "/v1/workspaces?page=1.5&perPage=ten", { key: keys.MANAGEMENT }), {
      page: "Must be an integer from 1 to 1000",
      perPage: "Must be an integer from 1 to 100"
    })
  })
})

test("unknown and read-only fields in a body are ignored", async () => {
  const { keys, workspaceId, organizationId } = await app.workspace()
  const reply = await app.call("POST", "/v1/workspaces", {
    key: keys.MANAGEMENT,
    body: { name: "Mine", id: workspaceId, organizationId: "x", createdAt: "2000-01-01T00:00:00Z", future: true }
  })
  expect(reply.status).toBe(201)
  expect(reply.body.organizationId).toBe(organizationId)
  expect(reply.body.id).not.toBe(workspaceId)
  expect(reply.body.createdAt > "2001").toBe(true)
})

test("a field named __proto__ is an ordinary field", async () => {
  const reply = await post('{"name":"x","__proto__":{"name":"y"},"constructor":{"prototype":{"z":1}}}')
  expect(reply.status).toBe(201)
  expect(reply.body.name).toBe("x")
})

test("X-Request-Id is the caller's if valid, else a new one", async () => {
  const ask = async (id: string) =>
    (await app.call("GET", "/health/live", { headers: { "X-Request-Id": id } })).headers.get("x-request-id")
  expect(await ask("order-17")).toBe("order-17")
  expect(await ask("a b")).not.toBe("a b")
  expect(await ask("x".repeat(200))).not.toBe("x".repeat(200))
})

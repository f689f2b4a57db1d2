import { expect, test } from "vitest"
import { useTestApp } from "../../support/TestApp.ts"

const app = useTestApp()

test("an unknown route is 404 NOT_FOUND before authentication, with a request id", async () => {
  const answer = await app.call("GET", "/v1/nothing")
  expect(answer.status).toBe(404)
  expect(answer.body).toEqual({ code: "NOT_FOUND", message: "There is no such route" })
  expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/)
})

test("a wrong method is 404 NOT_FOUND and names the methods that there are", async () => {
  const answer = await app.call("PUT", "/v1/workspaces")
  expect(answer.status).toBe(404)
  expect(answer.headers.get("allow")).toBe("GET, HEAD, POST")
})

test("the removed leads endpoints are 404 with a key and without", async () => {
  const { keys } = await app.workspace()
  for (const method of ["GET", "POST"]) {
    expect((await app.call(method, "/v1/leads")).body.code).toBe("NOT_FOUND")
    expect((await app.call(method, "/v1/leads", { key: keys.SERVER })).body.code).toBe("NOT_FOUND")
  }
})

test("an answer that its own schema refuses is 500 UNKNOWN_ERROR with a body, and nothing of the inside in it", async () => {
  const { keys, workspaceId } = await app.workspace()
  await app.sql((sql) => sql`UPDATE workspaces SET timezone = 'Mars/Base' WHERE id = ${workspaceId}`)
  const answer = await app.call("GET", `/v1/workspaces/${workspaceId}`, { key: keys.SERVER })
  expect(answer.status).toBe(500)
  expect(answer.body).toEqual({ code: "UNKNOWN_ERROR", message: "An unexpected error occurred" })
})

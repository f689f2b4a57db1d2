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

import { type ApiKeyType, apiKeyTypes } from "@edp/domain/auth/ApiKeyType"
import { describe, expect, test } from "vitest"
import { expectError } from "./expectError.ts"
import type { TestApp } from "./TestApp.ts"

export interface CheckedEndpoint {
  readonly method: string
  readonly path: string
  readonly allowed: ReadonlyArray<ApiKeyType>
}

/** Every endpoint checks the key before the request: 401 without a key of an allowed type, 429 over the key's limit. */
export const describeKeyChecks = (app: TestApp, endpoints: ReadonlyArray<CheckedEndpoint>) =>
  describe.each(endpoints)("$method $path", ({ method, path, allowed }) => {
    test("401 UNAUTHENTICATED without a key", async () => {
      expectError(await app.call(method, path), 401, "UNAUTHENTICATED")
    })

    test("401 UNAUTHENTICATED with a key of another type", async () => {
      const { keys } = await app.workspace()
      for (const type of apiKeyTypes.filter((type) => !allowed.includes(type))) {
        expectError(await app.call(method, path, { key: keys[type] }), 401, "UNAUTHENTICATED")
      }
    })

    test("429 RATE_LIMITED over the key's limit", async () => {
      const { id, key } = await app.key(await app.workspace(), allowed[0]!)
      await app.sql(
        (sql) => sql`UPDATE api_keys SET rate_limits = '{"read": 1, "write": 1, "bulk": 1}' WHERE id = ${id}`
      )
      const codes: Array<string | undefined> = []
      // A rate-limit window may end between two calls.
      for (let call = 0; call < 3; call++) codes.push((await app.call(method, path, { key })).body?.code)
      expect(codes).toContain("RATE_LIMITED")
    })
  })

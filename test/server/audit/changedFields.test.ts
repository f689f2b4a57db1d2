import { randomBytes } from "node:crypto"
import { generateKey } from "@edp/domain/auth/keyFormat"
import { changedFields } from "@edp/server/audit/AuditTrail"
import { describe, expect, test } from "vitest"

const told = (before: object | undefined, after: object | undefined) => {
  const changes = changedFields(before as never, after as never)
  const parse = (text: string | null) => (text === null ? null : JSON.parse(text))
  return changes && { before: parse(changes.before), after: parse(changes.after) }
}

describe("what the audit log tells of a write", () => {
  test("of a change are the fields that differ, and no others", () => {
    const before = { id: "a", name: "One", tags: ["x"], limits: { read: 1 }, updatedAt: "then" }
    const after = { id: "a", name: "Two", tags: ["x"], limits: { read: 2 }, updatedAt: "now" }
    expect(told(before, after)).toEqual({
      before: { name: "One", limits: { read: 1 } },
      after: { name: "Two", limits: { read: 2 } }
    })
  })

  test("of a creation and of a deletion is the whole resource, but for what the record tells by itself", () => {
    const resource = { id: "a", name: "One", description: null, createdAt: "now", updatedAt: "now", lastUsedAt: null }
    const whole = { name: "One", description: null }
    expect(told(undefined, resource)).toEqual({ before: null, after: whole })
    expect(told(resource, undefined)).toEqual({ before: whole, after: null })
  })

  test("is nothing of a change that changes nothing, whatever the order of its fields", () => {
    expect(told({ limits: { read: 1, write: 2 }, updatedAt: 1 }, { limits: { write: 2, read: 1 }, updatedAt: 2 })).toBe(
      undefined
    )
  })

  test("of a deed without fields is that it was done", () => {
    expect(told(undefined, undefined)).toEqual({ before: null, after: null })
  })

  test("holds no secret, at whatever depth, but that one was changed", () => {
    const before = { secret: "whsec_a", kafkaConfig: { topic: "t", sasl: { username: "u", password: "p1" } }, key: "k" }
    const after = { secret: "whsec_b", kafkaConfig: { topic: "t", sasl: { username: "u", password: "p2" } }, key: "k" }
    const config = { topic: "t", sasl: { username: "u", password: "***" } }
    expect(told(before, after)).toEqual({
      before: { secret: "***", kafkaConfig: config },
      after: { secret: "***", kafkaConfig: config }
    })
    const named = ["key", "keyHash", "secret", "clientSecret", "accessToken", "Authorization", "password", "privateKey"]
    const { after: masked } = told(undefined, Object.fromEntries(named.map((name) => [name, "open"])))!
    expect(Object.values(masked)).toEqual(named.map(() => "***"))
  })

  test("holds no key that somebody put into a name", () => {
    const key = generateKey("SERVER", randomBytes)
    const { after } = told(undefined, { name: `Key ${key}`, criteria: { value: [key] } })!
    expect(JSON.stringify(after)).not.toContain(key.slice(12))
    expect(after.name).toBe(`Key ${key.slice(0, 12)}***`)
  })

  test("is cut where it is long, and says how long it was", () => {
    const { after } = told(undefined, { staticState: { text: "x".repeat(3000) }, name: "y".repeat(2000) })!
    expect(after.name).toHaveLength(2000)
    expect(after.staticState).toMatch(/^\{"text":"x+… \(3011 characters\)$/)
    expect(after.staticState.length).toBeLessThan(2050)
  })

  test("is cut between characters", () => {
    const { after } = told(undefined, { name: `x${"😀".repeat(1500)}` })!
    expect(after.name.isWellFormed()).toBe(true)
  })
})

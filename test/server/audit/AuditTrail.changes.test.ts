import { randomBytes } from "node:crypto"
import { generateKey } from "@edp/domain/auth/keyFormat"
import { changedFields } from "@edp/server/audit/AuditTrail"
import { describe, expect, test } from "vitest"

const auditChanges = (before: object | undefined, after: object | undefined) => {
  const changes = changedFields(before as never, after as never)
  const parse = (text: string | null) => (text === null ? null : JSON.parse(text))
  return changes && { before: parse(changes.before), after: parse(changes.after) }
}

describe("the audit record of a write", () => {
  test("has only the changed fields of a change", () => {
    const before = { id: "a", name: "One", tags: ["x"], limits: { read: 1 }, updatedAt: "then" }
    const after = { id: "a", name: "Two", tags: ["x"], limits: { read: 2 }, updatedAt: "now" }
    expect(auditChanges(before, after)).toEqual({
      before: { name: "One", limits: { read: 1 } },
      after: { name: "Two", limits: { read: 2 } }
    })
  })

  test("has the whole resource of a creation and a deletion, without fields of the record itself", () => {
    const resource = { id: "a", name: "One", description: null, createdAt: "now", updatedAt: "now", lastUsedAt: null }
    const whole = { name: "One", description: null }
    expect(auditChanges(undefined, resource)).toEqual({ before: null, after: whole })
    expect(auditChanges(resource, undefined)).toEqual({ before: whole, after: null })
  })

  test("has nothing of a change without a difference, whatever the order of its fields", () => {
    expect(
      auditChanges({ limits: { read: 1, write: 2 }, updatedAt: 1 }, { limits: { write: 2, read: 1 }, updatedAt: 2 })
    ).toBe(undefined)
  })

  test("has no fields for an action without fields", () => {
    expect(auditChanges(undefined, undefined)).toEqual({ before: null, after: null })
  })

  test("masks secrets at any depth, and shows that they changed", () => {
    const before = { secret: "whsec_a", kafkaConfig: { topic: "t", sasl: { username: "u", password: "p1" } }, key: "k" }
    const after = { secret: "whsec_b", kafkaConfig: { topic: "t", sasl: { username: "u", password: "p2" } }, key: "k" }
    const config = { topic: "t", sasl: { username: "u", password: "***" } }
    expect(auditChanges(before, after)).toEqual({
      before: { secret: "***", kafkaConfig: config },
      after: { secret: "***", kafkaConfig: config }
    })
    const named = ["key", "keyHash", "secret", "clientSecret", "accessToken", "Authorization", "password", "privateKey"]
    const { after: masked } = auditChanges(undefined, Object.fromEntries(named.map((name) => [name, "open"])))!
    expect(Object.values(masked)).toEqual(named.map(() => "***"))
  })

  test("masks keys in names", () => {
    const key = generateKey("SERVER", randomBytes)
    const { after } = auditChanges(undefined, { name: `Key ${key}`, criteria: { value: [key] } })!
    expect(JSON.stringify(after)).not.toContain(key.slice(12))
    expect(after.name).toBe(`Key ${key.slice(0, 12)}***`)
  })

  test("truncates long values, and states their length", () => {
    const { after } = auditChanges(undefined, { staticState: { text: "x".repeat(3000) }, name: "y".repeat(2000) })!
    expect(after.name).toHaveLength(2000)
    expect(after.staticState).toMatch(/^\{"text":"x+… \(3011 characters\)$/)
    expect(after.staticState.length).toBeLessThan(2050)
  })

  test("truncates between characters", () => {
    const { after } = auditChanges(undefined, { name: `x${"😀".repeat(1500)}` })!
    expect(after.name.isWellFormed()).toBe(true)
  })
})

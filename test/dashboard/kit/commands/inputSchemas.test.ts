import { inputSchemas } from "@edp/dashboard/kit/commands/inputSchemas"
import { inputSchemas as contract } from "@edp/domain/commands/commandInputs"
import { expect, test } from "vitest"

/** Parts of a schema that no form reads. */
const unread = new Set(["description", "default", "additionalProperties"])

const withoutUnread = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutUnread)
  if (typeof value !== "object" || value === null) return value
  const kept = Object.entries(value).filter(([name]) => !unread.has(name))
  return Object.fromEntries(kept.map(([name, each]) => [name, withoutUnread(each)]))
}

test("the inputs of the forms are those of the contract", () => {
  expect(inputSchemas).toEqual(withoutUnread(contract))
})

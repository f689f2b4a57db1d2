import { isDeepStrictEqual } from "node:util"
import { maskKeys } from "@edp/domain/auth/keyFormat"

/** A resource as the API shows it. */
export type Shown = Readonly<Record<string, unknown>>

export interface Changes {
  readonly before: string | null
  readonly after: string | null
}

/** What a record of the log tells by itself, or what every write or use changes. */
const untold = new Set(["id", "organizationId", "workspaceId", "createdAt", "updatedAt", "lastUsedAt"])

/** Whatever slips into a resource under such a name is a secret, also one level or several down. */
const secret = /^key$|hash|secret|passw|token|credential|authorization|private/i

const LONGEST = 2000

const masked = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(masked)
  return typeof value === "object" && value !== null ? fieldsOf(value as Shown) : value
}

const fieldsOf = (record: Shown): Shown =>
  Object.fromEntries(
    Object.entries(record).map(([name, value]) => [
      name,
      secret.test(name) && value !== null && value !== undefined ? "***" : masked(value)
    ])
  )

const bounded = (value: unknown) => {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "null")
  return text.length <= LONGEST ? value : `${text.slice(0, LONGEST).toWellFormed()}… (${text.length} characters)`
}

/** Compared as they are, and only then masked: a secret that was replaced is a change, too. */
const textOf = (record: Shown | undefined, names: ReadonlyArray<string>) => {
  if (record === undefined) return null
  const told = fieldsOf(Object.fromEntries(names.filter((name) => name in record).map((name) => [name, record[name]])))
  return maskKeys(
    JSON.stringify(Object.fromEntries(Object.entries(told).map(([name, value]) => [name, bounded(value)])))
  )
}

/**
 * The fields that differ, as JSON. Of a resource that was created or deleted these are all; undefined when one was
 * changed into what it was.
 */
export const changedFields = (before: Shown | undefined, after: Shown | undefined): Changes | undefined => {
  const names = [...new Set(Object.keys({ ...before, ...after }))].filter(
    (name) => !untold.has(name) && (!before || !after || !isDeepStrictEqual(before[name], after[name]))
  )
  if (before !== undefined && after !== undefined && names.length === 0) return undefined
  return { before: textOf(before, names), after: textOf(after, names) }
}

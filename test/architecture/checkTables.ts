import type { Violation } from "./checkImports.ts"
import { sliceOrder } from "./rules.ts"
import { tablesIn, wordsIn } from "./sqlTables.ts"
import { type Exception, owners } from "./tables.ts"

export const tableRules = {
  owned: "every table has an owner",
  written: "only the owner writes a table",
  read: "another's table is read through a fragment that its owner exports",
  order: "an earlier slice never queries a later one's table",
  ground: "the ground names no slice's table",
  stale: "every exception is needed"
} as const

/** The owner of each table. */
export const ownerByTable: ReadonlyMap<string, string> = new Map(
  Object.entries(owners).flatMap(([owner, tables]) => tables.map((table) => [table, owner] as const))
)

/** Names in the catalogs of PostgreSQL. */
const isSystem = (table: string) => table.startsWith("pg_")

/** A slice, a concern of the ground such as `platform/jobs`, or `app`; undefined for migrations, which come before all owners. */
export const findOwner = (path: string): string | undefined => {
  const inside = /^packages\/server\/src\/(.+)$/.exec(path)?.[1]
  if (inside === undefined || inside.startsWith("platform/sql/migrations/")) return undefined
  const [folder, concern] = inside.split("/")
  if (!inside.includes("/")) return "app"
  return folder === "platform" ? `platform/${concern}` : folder
}

const isGround = (owner: string) => owner.startsWith("platform/")

/** The place in the order of slices; the ground comes before all slices, and what is not a slice after them. */
const rank = (owner: string) => {
  const index = sliceOrder.findIndex((names) => names.includes(owner))
  if (index !== -1) return index
  return isGround(owner) ? -1 : sliceOrder.length
}

interface Source {
  readonly path: string
  readonly text: string
}

interface Found extends Violation {
  readonly reader: string
  readonly table: string
}

const brokenRule = (reader: string, owner: string, kind: "read" | "write") => {
  if (reader === owner) return undefined
  if (isGround(reader) && !isGround(owner)) return tableRules.ground
  if (kind === "write") return tableRules.written
  return rank(reader) < rank(owner) ? tableRules.order : tableRules.read
}

const checkSource = ({ path, text }: Source, known: ReadonlySet<string>): ReadonlyArray<Found> => {
  const reader = findOwner(path)
  if (reader === undefined) return []
  const statements = tablesIn(path, text).flatMap(({ kind, line, table }): ReadonlyArray<Found> => {
    const owner = ownerByTable.get(table)
    const place = `${path}:${line}`
    if (owner === undefined)
      return known.has(table) ? [{ rule: tableRules.owned, place, message: `names ${table}`, reader, table }] : []
    const rule = brokenRule(reader, owner, kind)
    const verb = kind === "read" ? "reads" : "writes"
    return rule === undefined ? [] : [{ rule, place, message: `${verb} ${table} of ${owner}`, reader, table }]
  })
  if (!isGround(reader)) return statements
  const names = wordsIn(path, text).flatMap(({ line, word }): ReadonlyArray<Found> => {
    const owner = ownerByTable.get(word)
    if (owner === undefined || isGround(owner)) return []
    return [
      { rule: tableRules.ground, place: `${path}:${line}`, message: `names ${word} of ${owner}`, reader, table: word }
    ]
  })
  return [...statements, ...names]
}

/** Exceptions allow reading of earlier slices' tables, and of the ground's. */
const allows = (exceptions: ReadonlyArray<Exception>, { reader, rule, table }: Found) =>
  rule === tableRules.read && exceptions.some((one) => one.reader === reader && one.tables.includes(table))

/**
 * Checks the SQL of the server's files against the owners of tables and the exceptions. `known` are the tables of the database that must
 * have an owner.
 */
export const checkTables = (
  sources: ReadonlyArray<Source>,
  exceptions: ReadonlyArray<Exception>,
  known: ReadonlySet<string> = new Set()
): ReadonlyArray<Violation> => {
  const found = sources.flatMap((source) => checkSource(source, known)).filter(({ table }) => !isSystem(table))
  const needed = new Set(found.map(({ reader, table }) => `${reader} ${table}`))
  const stale = exceptions.flatMap(({ reader, tables }) =>
    tables
      .filter((table) => !needed.has(`${reader} ${table}`))
      .map((table) => ({ rule: tableRules.stale, place: "tables.ts", message: `${reader} does not read ${table}` }))
  )
  const broken = found
    .filter((one) => !allows(exceptions, one))
    .map(({ message, place, rule }) => ({ message, place, rule }))
  return [...broken, ...stale]
}

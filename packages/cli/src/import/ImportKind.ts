import type { Delimiter } from "../kernel/csv.ts"
import type { BulkFailure } from "@edp/domain/errors/Bulk"
import type { Effect, Schema } from "effect"
import type { CliFailure } from "../kernel/CliFailure.ts"
import type { Connection } from "../kernel/Connection.ts"

/** A row of the file: an object to validate, or a parse error. */
export interface FileRow {
  /** From 1; a header does not count. */
  readonly row: number
  /** Its first line in the file, from 1. */
  readonly line: number
  readonly content: { readonly value: unknown } | { readonly problem: Problem }
}

/** The result of a row. `valid` occurs in dry runs only. */
export interface RowResult {
  readonly row: number
  readonly line: number
  readonly status: "created" | "exists" | "failed" | "valid"
  readonly id: string | null
  readonly referenceId: string | null
  readonly code: string | null
  readonly message: string | null
  readonly fields: Readonly<Record<string, string>>
}

/** A CSV column: the path in the row's object, and how to read a non-empty cell. */
export interface CsvColumn {
  readonly path: readonly [string, ...ReadonlyArray<string>]
  readonly read: (text: string) => unknown
  readonly required?: true
}

export interface Problem {
  readonly code: string
  readonly message: string
  readonly fields: Readonly<Record<string, string>>
}

/** A row to send, an existing record, or an error. */
export type Prepared = { readonly send: object } | { readonly exists: string } | { readonly problem: Problem }

export type Created = { readonly index: number; readonly status: "created"; readonly id: string }
export type ItemResult = Created | BulkFailure

/** The operations of the service that an import needs. */
export interface Recipient<Input> {
  readonly workspaceId: string
  /** The program instance that the records belong to. */
  readonly programInstanceId?: string
  readonly prepare: (input: Input) => Effect.Effect<Prepared, CliFailure>
  readonly createMany: (items: ReadonlyArray<object>) => Effect.Effect<ReadonlyArray<ItemResult>, CliFailure>
  /** The id of the existing record, null where it is not looked up; undefined when the failure has another reason. */
  readonly existing: (input: Input, failure: BulkFailure) => Effect.Effect<string | null | undefined, CliFailure>
}

/** The differences between importing sites, customers and enrollments. */
export interface ImportKind<Input> {
  readonly noun: "sites" | "customers" | "enrollments"
  readonly schema: Schema.Codec<Input, unknown>
  readonly columns: Readonly<Record<string, CsvColumn>>
  /** Fields whose text must be unique in the file. */
  readonly identities: (input: Input) => ReadonlyArray<readonly [field: string, text: string]>
  readonly readReference: (input: Input) => string | null
  /** `lookUp`: find existing records by their referenceId, one request each. */
  readonly connect: (options: { readonly lookUp: boolean }) => Effect.Effect<Recipient<Input>, CliFailure, Connection>
}

/** Translates a field of the API to the file's name for it. */
export type FieldNames = (field: string) => string

/** JSON files use the API's names. */
export const asGiven: FieldNames = (field) => field

/** The CSV column of a field: `streetOne` for `address.streetOne`, `tags` for `tags.3`. */
export const byColumn =
  (columns: Readonly<Record<string, CsvColumn>>): FieldNames =>
  (field) => {
    const comesFrom = ({ path }: CsvColumn) => field === path.join(".") || field.startsWith(`${path.join(".")}.`)
    return Object.keys(columns).find((name) => comesFrom(columns[name]!)) ?? field
  }

export const renamed = (fields: Readonly<Record<string, string>>, fieldName: FieldNames) =>
  Object.fromEntries(Object.entries(fields).map(([field, problem]) => [fieldName(field), problem]))

export type ReportFormat = "csv" | "jsonl"

/** The options of the command line. */
export interface ImportOptions {
  readonly path: string
  readonly format: "csv" | "jsonl"
  readonly delimiter: Delimiter
  readonly ignoreUnknown: boolean
  readonly fieldName: FieldNames
  readonly report: string
  readonly reportFormat: ReportFormat
  /** Whether `--report` was given; without it a dry run writes no report. */
  readonly reportNamed: boolean
  readonly lookUp: boolean
  readonly restart: boolean
}

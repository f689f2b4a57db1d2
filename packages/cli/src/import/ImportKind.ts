import type { Delimiter } from "../kernel/csv.ts"
import type { BulkFailure } from "@edp/domain/errors/Bulk"
import type { Effect, Schema } from "effect"
import type { CliFailure } from "../kernel/CliFailure.ts"
import type { Connection } from "../kernel/Connection.ts"

/** A row as it stands in the file: an object for the schema, or what keeps it from being read. */
export interface FileRow {
  /** From 1; a header does not count. */
  readonly row: number
  /** Where it begins in the file, from 1. */
  readonly line: number
  readonly content: { readonly value: unknown } | { readonly problem: Problem }
}

/** What became of a row. `valid` is the verdict of a dry run. */
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

/** What a column of a CSV file becomes: the place in the row's object, and the value of a cell that is not empty. */
export interface CsvColumn {
  readonly path: readonly [string] | readonly [string, string]
  readonly read: (text: string) => unknown
  readonly required?: true
}

export interface Problem {
  readonly code: string
  readonly message: string
  readonly fields: Readonly<Record<string, string>>
}

/** What is to be done for a row: send it, or nothing, because it exists or can't be sent. */
export type Prepared = { readonly send: object } | { readonly exists: string } | { readonly problem: Problem }

export type Created = { readonly index: number; readonly status: "created"; readonly id: string }
export type ItemResult = Created | BulkFailure

/** The service as an import needs it. */
export interface Recipient<Input> {
  readonly workspaceId: string
  readonly prepare: (input: Input) => Effect.Effect<Prepared, CliFailure>
  readonly createMany: (items: ReadonlyArray<object>) => Effect.Effect<ReadonlyArray<ItemResult>, CliFailure>
  /** The id of the one that exists already, null where it is not looked up; undefined where the failure means no such. */
  readonly existing: (input: Input, failure: BulkFailure) => Effect.Effect<string | null | undefined, CliFailure>
}

/** What an import of sites and one of customers differ in. */
export interface ImportKind<Input> {
  readonly noun: "sites" | "customers"
  readonly schema: Schema.Codec<Input, unknown>
  readonly columns: Readonly<Record<string, CsvColumn>>
  /** By what two rows of a file are the same: the field, and the text that must not come twice. */
  readonly identities: (input: Input) => ReadonlyArray<readonly [field: string, text: string]>
  readonly referenceOf: (input: Input) => string | null
  /** `lookUp`: ask for each referenceId, so that what exists is found by it and told with its id. */
  readonly connect: (options: { readonly lookUp: boolean }) => Effect.Effect<Recipient<Input>, CliFailure, Connection>
}

/** How a field of the API is named to whoever wrote the file. */
export type FieldNames = (field: string) => string

/** As in JSON, where the path is what the file has itself. */
export const asGiven: FieldNames = (field) => field

/** By the CSV column that the field comes from: `address.streetOne` is `streetOne`, `tags.3` is `tags`. */
export const byColumn =
  (columns: Readonly<Record<string, CsvColumn>>): FieldNames =>
  (field) => {
    const comesFrom = ({ path }: CsvColumn) => field === path.join(".") || field.startsWith(`${path.join(".")}.`)
    return Object.keys(columns).find((name) => comesFrom(columns[name]!)) ?? field
  }

export const renamed = (fields: Readonly<Record<string, string>>, nameOf: FieldNames) =>
  Object.fromEntries(Object.entries(fields).map(([field, problem]) => [nameOf(field), problem]))

export type ReportFormat = "csv" | "jsonl"

/** What the command line asks of an import. */
export interface ImportOptions {
  readonly path: string
  readonly format: "csv" | "jsonl"
  readonly delimiter: Delimiter
  readonly ignoreUnknown: boolean
  readonly nameOf: FieldNames
  readonly report: string
  readonly reportFormat: ReportFormat
  /** Whether the report was named: a dry run writes none otherwise. */
  readonly reportNamed: boolean
  readonly lookUp: boolean
  readonly restart: boolean
}

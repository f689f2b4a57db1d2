import type { BulkFailure } from "@edp/domain/errors/Bulk"
import type { Effect, Schema } from "effect"
import type { CliFailure } from "../CliFailure.ts"
import type { Connection } from "../Connection.ts"

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

import type { Problem } from "./ImportKind.ts"

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

import { schemaDetails } from "@edp/domain/errors/schemaDetails"
import { Cause, Exit, Predicate, Schema } from "effect"
import { digestOf, rowDigest } from "./digest.ts"
import { DigestTable } from "./DigestTable.ts"
import { type FieldNames, renamed } from "./fieldNames.ts"
import type { FileRow, RowResult } from "./FileRow.ts"
import type { ImportKind, Problem } from "./ImportKind.ts"

/** A row that may be sent. */
export interface GoodRow<Input> {
  readonly row: number
  readonly line: number
  readonly input: Input
  readonly referenceId: string | null
  readonly digest: string
}

export type CheckedRow<Input> = { readonly good: GoodRow<Input> } | { readonly failed: RowResult }

export interface CheckOptions {
  readonly nameOf: FieldNames
  readonly ignoreUnknown: boolean
}

export const failedRow = (
  { line, row }: { readonly row: number; readonly line: number },
  referenceId: string | null,
  { code, fields, message }: Problem,
  nameOf: FieldNames
): RowResult => ({
  row,
  line,
  status: "failed",
  id: null,
  referenceId,
  code,
  message,
  fields: renamed(fields, nameOf)
})

const referenceIn = (value: unknown) =>
  Predicate.hasProperty(value, "referenceId") && typeof value.referenceId === "string" ? value.referenceId : null

/**
 * Checks rows as the service would, one after another: by the schema of the domain, and whether an earlier good row is the
 * same site or customer.
 */
export const rowChecker = <Input>(kind: ImportKind<Input>, { ignoreUnknown, nameOf }: CheckOptions) => {
  const decode = Schema.decodeUnknownExit(kind.schema, {
    errors: "all",
    onExcessProperty: ignoreUnknown ? "ignore" : "error"
  })
  const seen = new DigestTable()

  const repeated = (identities: ReadonlyArray<readonly [field: string, digest: Buffer]>) =>
    Object.fromEntries(
      identities.flatMap(([field, digest]) => {
        const owner = seen.owner(digest)
        return owner === undefined ? [] : [[field, `Is that of row ${owner}`]]
      })
    )

  return (row: FileRow): CheckedRow<Input> => {
    const { content } = row
    const failed = (value: unknown, problem: Problem) => ({
      failed: failedRow(row, referenceIn(value), problem, nameOf)
    })
    if ("problem" in content) return failed(undefined, content.problem)
    const exit = decode(content.value)
    if (Exit.isFailure(exit)) {
      const fields = schemaDetails(Cause.squash(exit.cause) as Schema.SchemaError, "row")
      return failed(content.value, { code: "VALIDATION_ERROR", message: "The row is not valid", fields })
    }
    const input = exit.value
    const identities = kind.identities(input).map(([field, text]) => [field, digestOf(`${field} ${text}`)] as const)
    const fields = repeated(identities)
    if (Object.keys(fields).length > 0) {
      return failed(input, { code: "DUPLICATE_ROW", message: "An earlier row of the file is the same", fields })
    }
    for (const [, digest] of identities) seen.claim(digest, row.row)
    const referenceId = kind.referenceOf(input)
    return { good: { row: row.row, line: row.line, input, referenceId, digest: rowDigest(input) } }
  }
}

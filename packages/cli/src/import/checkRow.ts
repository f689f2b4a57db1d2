import { hash } from "node:crypto"
import { schemaDetails } from "@edp/domain/errors/schemaDetails"
import { Cause, Exit, Predicate, Schema } from "effect"
import { type FieldNames, type FileRow, type ImportKind, type Problem, type RowResult, renamed } from "./ImportKind.ts"

const WORDS = 4
const FIRST_SLOTS = 1024
/** The load factor at which the table doubles. */
const FULLEST = 0.7

type Words = readonly [number, number, number]

const digestWords = (digest: Buffer): Words => [digest.readUInt32LE(0), digest.readUInt32LE(4), digest.readUInt32LE(8)]

/**
 * Maps digests to the first row that had them. An entry is 96 bits of a digest and a row number, 16 bytes, so a million rows
 * take about 30 MB; a collision among a million rows is less likely than 1 in 10^16.
 */
export class DigestTable {
  private slots = FIRST_SLOTS
  private words = new Uint32Array(WORDS * FIRST_SLOTS)
  private used = 0

  /** The row that has the digest. */
  owner(digest: Buffer): number | undefined {
    return this.words[this.find(digestWords(digest)) + 3] || undefined
  }

  /** Assigns the digest to a row, unless another row has it. Rows count from 1. */
  claim(digest: Buffer, row: number): void {
    const words = digestWords(digest)
    const at = this.find(words)
    if (this.words[at + 3] !== 0) return
    this.put(at, words, row)
    if (++this.used > FULLEST * this.slots) this.grow()
  }

  /** The slot of the digest, or the free slot for it. */
  private find([a, b, c]: Words): number {
    for (let slot = a & (this.slots - 1); ; slot = (slot + 1) & (this.slots - 1)) {
      const at = WORDS * slot
      const isFree = this.words[at + 3] === 0
      if (isFree || (this.words[at] === a && this.words[at + 1] === b && this.words[at + 2] === c)) return at
    }
  }

  private put(at: number, [a, b, c]: Words, row: number) {
    this.words[at] = a
    this.words[at + 1] = b
    this.words[at + 2] = c
    this.words[at + 3] = row
  }

  private grow() {
    const before = this.words
    this.slots *= 2
    this.words = new Uint32Array(WORDS * this.slots)
    for (let at = 0; at < before.length; at += WORDS) {
      const row = before[at + 3]!
      if (row === 0) continue
      const words: Words = [before[at]!, before[at + 1]!, before[at + 2]!]
      this.put(this.find(words), words, row)
    }
  }
}

export const hashText = (text: string): Buffer => hash("sha256", text, "buffer")

/** Identifies a row's content, in case the file is edited between runs. */
const rowDigest = (input: unknown): string => hashText(JSON.stringify(input)).toString("base64url").slice(0, 22)

/** A valid row. */
export interface GoodRow<Input> {
  readonly row: number
  readonly line: number
  readonly input: Input
  readonly referenceId: string | null
  readonly digest: string
}

export type CheckedRow<Input> = { readonly good: GoodRow<Input> } | { readonly failed: RowResult }

export interface CheckOptions {
  readonly fieldName: FieldNames
  readonly ignoreUnknown: boolean
}

export const failedRow = (
  { line, row }: { readonly row: number; readonly line: number },
  referenceId: string | null,
  { code, fields, message }: Problem,
  fieldName: FieldNames
): RowResult => ({
  row,
  line,
  status: "failed",
  id: null,
  referenceId,
  code,
  message,
  fields: renamed(fields, fieldName)
})

const referenceIn = (value: unknown) =>
  Predicate.hasProperty(value, "referenceId") && typeof value.referenceId === "string" ? value.referenceId : null

/**
 * Validates rows in order, like the service: by the contract's schema, and against earlier valid rows with the same identity.
 */
export const rowChecker = <Input>(kind: ImportKind<Input>, { ignoreUnknown, fieldName }: CheckOptions) => {
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
      failed: failedRow(row, referenceIn(value), problem, fieldName)
    })
    if ("problem" in content) return failed(undefined, content.problem)
    const exit = decode(content.value)
    if (Exit.isFailure(exit)) {
      const fields = schemaDetails(Cause.squash(exit.cause) as Schema.SchemaError, "row")
      return failed(content.value, { code: "VALIDATION_ERROR", message: "The row is not valid", fields })
    }
    const input = exit.value
    const identities = kind.identities(input).map(([field, text]) => [field, hashText(`${field} ${text}`)] as const)
    const fields = repeated(identities)
    if (Object.keys(fields).length > 0) {
      return failed(input, { code: "DUPLICATE_ROW", message: "An earlier row of the file is the same", fields })
    }
    for (const [, digest] of identities) seen.claim(digest, row.row)
    const referenceId = kind.readReference(input)
    return { good: { row: row.row, line: row.line, input, referenceId, digest: rowDigest(input) } }
  }
}

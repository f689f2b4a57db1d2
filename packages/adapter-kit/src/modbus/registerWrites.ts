import type { RegisterBlock } from "./ModbusClient.ts"

export interface PlannedWrite extends RegisterBlock {
  /** The registers hold a timer, which counts down after the write. */
  readonly countsDown?: boolean
}

/** The writes that restore saved registers, in the reverse order in which they were changed. */
export const restoring = (saved: ReadonlyArray<RegisterBlock>): ReadonlyArray<RegisterBlock> => saved.toReversed()

/** The unsigned number in registers, the most significant first. */
const pattern = (words: ReadonlyArray<number>) => words.reduce((sum, word) => sum * 0x10000 + word, 0)

const holds = ({ countsDown, words }: PlannedWrite, found: ReadonlyArray<number>) =>
  words.length === found.length &&
  (words.every((word, n) => word === found[n]) ||
    (countsDown === true && pattern(found) > 0 && pattern(found) < pattern(words)))

/** Whether registers that were read after the writes hold what was written last; undefined if one was not read. */
export const hasTakenEffect = (
  writes: ReadonlyArray<PlannedWrite>,
  read: ReadonlyArray<RegisterBlock>
): boolean | undefined => {
  const last = new Map(writes.map((write) => [write.address, write]))
  let all = true
  for (const [address, write] of last) {
    const found = read.find((one) => one.address === address)
    if (found === undefined) return undefined
    all &&= holds(write, found.words)
  }
  return all
}

/** Whether a write changes no other registers than the given ones. */
export const isWithin = (registers: ReadonlyArray<RegisterBlock>, write: PlannedWrite): boolean =>
  registers.some(({ address, words }) => address === write.address && words.length === write.words.length)

/** Those of the saved registers that hold something else now, or that were not read. */
export const differing = (
  saved: ReadonlyArray<PlannedWrite>,
  present: ReadonlyArray<RegisterBlock>
): ReadonlyArray<PlannedWrite> => saved.filter((one) => hasTakenEffect([one], present) !== true)

/** Saved registers with the values of later writes, in the order in which they were saved. */
export const replacing = (
  saved: ReadonlyArray<PlannedWrite>,
  later: ReadonlyArray<PlannedWrite>
): ReadonlyArray<PlannedWrite> =>
  saved.map((one) => {
    const write = later.findLast(({ address, words }) => address === one.address && words.length === one.words.length)
    return write === undefined ? one : { ...one, words: write.words }
  })

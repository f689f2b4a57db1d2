const WORDS = 4
const FIRST_SLOTS = 1024
/** A fuller table is made twice as large: look-ups slow down where most slots are taken. */
const FULLEST = 0.7

type Words = readonly [number, number, number]

const wordsOf = (digest: Buffer): Words => [digest.readUInt32LE(0), digest.readUInt32LE(4), digest.readUInt32LE(8)]

/**
 * Which row had a digest first. 96 bits of a digest and the number of a row take 16 bytes, so that a million rows take some
 * 30 MB; that two of a million rows have the same 96 bits by chance is less likely than 1 in 10^16.
 */
export class DigestTable {
  private slots = FIRST_SLOTS
  private words = new Uint32Array(WORDS * FIRST_SLOTS)
  private used = 0

  /** The row that has the digest. */
  owner(digest: Buffer): number | undefined {
    return this.words[this.find(wordsOf(digest)) + 3] || undefined
  }

  /** The row has the digest from now on, if no row has it yet. Rows count from 1. */
  claim(digest: Buffer, row: number): void {
    const words = wordsOf(digest)
    const at = this.find(words)
    if (this.words[at + 3] !== 0) return
    this.put(at, words, row)
    if (++this.used > FULLEST * this.slots) this.grow()
  }

  /** Where the digest is, or the free slot where it belongs. */
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

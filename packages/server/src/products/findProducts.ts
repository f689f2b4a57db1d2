import type { Product } from "@edp/domain/products/Product"

const fold = (text: string) => text.normalize("NFKD").toLowerCase().replace(/\p{M}/gu, "")

const wordsIn = (text: string) => fold(text).match(/[\p{L}\p{N}]+/gu) ?? []

/** The three-letter parts of a word, as `pg_trgm` divides it. */
const partsOfWord = (word: string) => Array.from({ length: word.length + 1 }, (_, at) => `  ${word} `.slice(at, at + 3))

/** Shorter words must be right. */
const FORGIVEN_LENGTH = 4

/** Most of the parts of a word are in one word of the text: one letter may be missing, added or wrong. */
const isSimilar = (word: string, text: ReadonlyArray<string>) => {
  if (word.length < FORGIVEN_LENGTH) return false
  const parts = partsOfWord(word)
  return text.some((other) => {
    const others = new Set(partsOfWord(other))
    return 2 * parts.filter((part) => others.has(part)).length > parts.length
  })
}

/** A word of one or two characters must begin a word; a longer one may be anywhere. */
const isIn = (word: string, text: ReadonlyArray<string>, whole: string) =>
  word.length > 2 ? whole.includes(word) : text.some((other) => other.startsWith(word))

interface Prepared {
  readonly product: Product
  readonly name: string
  readonly words: ReadonlyArray<string>
  readonly whole: string
}

const prepare = (product: Product): Prepared => {
  const text = `${product.name} ${product.manufacturerName}`
  return { product, name: fold(product.name), words: wordsIn(text), whole: fold(text) }
}

/** The best have the words at the beginning of the name, then at the beginning of words. */
const rank = ({ name, words }: Prepared, query: string, asked: ReadonlyArray<string>) => {
  if (name === query) return 0
  if (name.startsWith(query)) return 1
  return asked.every((word) => words.some((other) => other.startsWith(word))) ? 2 : 3
}

/** The products that fit a query, the best first. Those that fit equally well keep their order. */
export const findProducts = (products: ReadonlyArray<Product>, query: string): ReadonlyArray<Product> => {
  const asked = wordsIn(query)
  const all = products.map(prepare)
  const counted = (fits: (word: string, prepared: Prepared) => boolean) => {
    const counts = all.map((prepared) => ({ prepared, count: asked.filter((word) => fits(word, prepared)).length }))
    const most = counts.reduce((best, { count }) => Math.max(best, count), 0)
    return most === 0 ? [] : counts.filter(({ count }) => count === most).map(({ prepared }) => prepared)
  }
  const exact = counted((word, { whole, words }) => isIn(word, words, whole))
  const found = exact.length > 0 ? exact : counted((word, { words }) => isSimilar(word, words))
  const whole = fold(query).trim()
  return found
    .map((prepared) => ({ prepared, rank: rank(prepared, whole, asked) }))
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ prepared }) => prepared.product)
}

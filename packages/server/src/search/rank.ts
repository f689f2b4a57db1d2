import type { SearchResult, SearchType, searchFields } from "@edp/domain/search/SearchResult"
import type { SearchedRecord } from "../platform/sql/textSearch.ts"

type Field = (typeof searchFields)[number]

/** A record as its table found it. */
export type FoundRecord = SearchedRecord<Field>

/** Records of one type, in the order in which their table returned them. */
export interface FoundRecords {
  readonly type: SearchType
  readonly records: ReadonlyArray<FoundRecord>
}

/** How well a record fits, from the best to the least. */
const ranks = { equal: 0, begins: 1, beginsWords: 2, contains: 3 } as const

const compareText = (text: string, query: string): number => {
  if (text === query) return ranks.equal
  return text.startsWith(query) ? ranks.begins : ranks.contains
}

const beginsWord = (text: string, word: string) => text.startsWith(word) || text.includes(` ${word}`)

const rankRecord = ({ fields, id }: FoundRecord, query: string, words: ReadonlyArray<string>) => {
  if (id === query) return { rank: ranks.equal, field: "id" as const }
  const texts = fields.map(([field, value]) => ({ field, text: value.toLowerCase() }))
  const wholes = texts.map(({ field, text }) => ({ field, rank: compareText(text, query) }))
  const whole = wholes.reduce((best, each) => (each.rank < best.rank ? each : best))
  if (whole.rank < ranks.contains) return whole
  const hasAll = words.every((word) => texts.some(({ text }) => beginsWord(text, word)))
  const count = (text: string) => words.filter((word) => text.includes(word)).length
  const { field } = texts.reduce((best, each) => (count(each.text) > count(best.text) ? each : best))
  return { rank: hasAll ? ranks.beginsWords : ranks.contains, field }
}

const toResult = (type: SearchType, { detail, id, name }: FoundRecord, field: Field): SearchResult => ({
  type,
  id,
  name,
  detail,
  field
})

/** The results of all types, the best first. Those that fit equally well keep the order of the types and of their tables. */
export const rankResults = (
  found: ReadonlyArray<FoundRecords>,
  query: string,
  words: ReadonlyArray<string>
): ReadonlyArray<SearchResult> => {
  const [whole, parts] = [query.toLowerCase(), words.map((word) => word.toLowerCase())]
  return found
    .flatMap(({ records, type }) =>
      records.map((record) => {
        const { field, rank } = rankRecord(record, whole, parts)
        return { rank, result: toResult(type, record, field) }
      })
    )
    .sort((one, other) => one.rank - other.rank)
    .map(({ result }) => result)
}

/** The three-letter parts of a text's words, as `pg_trgm` divides them. */
const textParts = (text: string): ReadonlySet<string> =>
  new Set(
    text
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .filter((word) => word !== "")
      .flatMap((word) => Array.from({ length: word.length + 1 }, (_, at) => `  ${word} `.slice(at, at + 3)))
  )

/** The field that shares most parts with the query. */
const mostSimilar = ({ fields }: FoundRecord, query: ReadonlySet<string>): Field => {
  const shared = fields.map(([field, value]) => {
    const parts = textParts(value)
    return { field, parts: [...query].filter((part) => parts.has(part)).length }
  })
  return shared.reduce((best, each) => (each.parts > best.parts ? each : best)).field
}

/** The results of similar words: the most similar ones of each type in turn. */
export const mergeSimilar = (found: ReadonlyArray<FoundRecords>, query: string): ReadonlyArray<SearchResult> => {
  const parts = textParts(query)
  const longest = Math.max(0, ...found.map(({ records }) => records.length))
  return Array.from({ length: longest }, (_, place) => place).flatMap((place) =>
    found.flatMap(({ records, type }) =>
      records.slice(place, place + 1).map((record) => toResult(type, record, mostSimilar(record, parts)))
    )
  )
}

/** Adds the devices of sites after these. A device that was found by itself keeps its place. */
export const withDevicesOfSites = (
  results: ReadonlyArray<SearchResult>,
  devicesAt: (siteId: string) => ReadonlyArray<FoundRecord>
): ReadonlyArray<SearchResult> => {
  const known = new Set(results.map(({ id }) => id))
  return results.flatMap((result) =>
    result.type === "site"
      ? [
          result,
          ...devicesAt(result.id)
            .filter(({ id }) => !known.has(id))
            .map((device) => toResult("device", device, "address"))
        ]
      : [result]
  )
}

import { type Position, streamRecords } from "@edp/domain/client/streamRecords"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Stream } from "effect"

interface Row {
  readonly id: number
}

const rows = (from: number, to: number): ReadonlyArray<Row> =>
  Array.from({ length: to - from }, (_, at) => ({ id: from + at }))

/** A list with the given number of rows that is read by pages. */
const byPages = (total: number, asked: Array<Position>) => (position: Position) =>
  Effect.sync(() => {
    asked.push(position)
    const { page = 1, perPage } = position
    const data = rows((page - 1) * perPage, Math.min(page * perPage, total))
    return { data, page, perPage, totalItems: total, totalPages: Math.ceil(total / perPage) }
  })

/** A list with the given number of rows that is read by cursor. */
const byCursor = (total: number, asked: Array<Position>) => (position: Position) =>
  Effect.sync(() => {
    asked.push(position)
    const { cursor, perPage } = position
    const from = Number(cursor ?? 0)
    const to = Math.min(from + perPage, total)
    const totals = cursor === undefined ? { page: 1, totalItems: total, totalPages: Math.ceil(total / perPage) } : {}
    return { data: rows(from, to), perPage, ...totals, ...(to < total && { nextCursor: String(to) }) }
  })

describe("streamRecords", () => {
  it.effect("returns every record of a list with pages, in order", () =>
    Effect.gen(function* () {
      const asked: Array<Position> = []
      expect(yield* Stream.runCollect(streamRecords(byPages(250, asked)))).toEqual(rows(0, 250))
      expect(asked).toEqual([{ perPage: 100 }, { perPage: 100, page: 2 }, { perPage: 100, page: 3 }])
    })
  )

  it.effect("follows cursors if the list has them, and never sends a page with one", () =>
    Effect.gen(function* () {
      const asked: Array<Position> = []
      const all = yield* Stream.runCollect(streamRecords(byCursor(250, asked), { perPage: 80 }))
      expect(all).toEqual(rows(0, 250))
      expect(asked).toEqual([
        { perPage: 80 },
        { perPage: 80, cursor: "80" },
        { perPage: 80, cursor: "160" },
        { perPage: 80, cursor: "240" }
      ])
    })
  )

  it.effect("requests a page only when its records are consumed", () =>
    Effect.gen(function* () {
      for (const list of [byPages, byCursor]) {
        const asked: Array<Position> = []
        const all = streamRecords<Row, never, never>(list(250, asked), { perPage: 10 })
        expect(asked.length).toBe(0)
        expect(yield* Stream.runCollect(Stream.take(all, 15))).toEqual(rows(0, 15))
        expect(asked.length).toBe(2)
      }
    })
  )

  it.effect("is empty for an empty list", () =>
    Effect.gen(function* () {
      for (const list of [byPages, byCursor]) {
        const asked: Array<Position> = []
        expect(yield* Stream.runCollect(streamRecords<Row, never, never>(list(0, asked)))).toEqual([])
        expect(asked.length).toBe(1)
      }
    })
  )

  it.effect("returns a record once that moves to the next page while the list grows", () =>
    Effect.gen(function* () {
      const responses = [
        { data: rows(0, 2), page: 1, perPage: 2, totalItems: 4, totalPages: 2 },
        { data: rows(1, 3), page: 2, perPage: 2, totalItems: 5, totalPages: 3 },
        { data: rows(3, 4), page: 3, perPage: 2, totalItems: 5, totalPages: 3 }
      ]
      const all = streamRecords(({ page = 1 }) => Effect.succeed(responses[page - 1]!), { perPage: 2 })
      expect(yield* Stream.runCollect(all)).toEqual(rows(0, 4))
    })
  )

  it.effect("fails like the list, after the records before", () =>
    Effect.gen(function* () {
      const taken: Array<Row> = []
      const list = (position: Position) =>
        position.page === undefined ? byPages(20, [])(position) : Effect.fail("gone" as const)
      const error = yield* streamRecords(list, { perPage: 10 }).pipe(
        Stream.runForEach((row) => Effect.sync(() => taken.push(row))),
        Effect.flip
      )
      expect(error).toBe("gone")
      expect(taken).toEqual(rows(0, 10))
    })
  )
})

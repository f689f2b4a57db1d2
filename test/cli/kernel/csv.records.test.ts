import { describe, expect, it } from "@effect/vitest"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { CsvProblem, type Delimiter, delimiters, readRecords } from "@edp/cli/kernel/csv"
import { Effect, Schema, Stream } from "effect"
import { Csv } from "effect/encoding"
import { withFiles } from "../withFiles.ts"

const parseRecords = (text: string, delimiter: Delimiter = "comma") =>
  withFiles({ "a.csv": text }, ([path = ""]) => Stream.runCollect(readRecords(path, delimiter))).pipe(
    Effect.map((records) =>
      records.map(({ cells, line }) => [
        line,
        cells instanceof CsvProblem ? cells.takes : cells.map(({ text }) => text)
      ])
    ),
    Effect.provide(NodeServices.layer)
  )

const unclosed = "a closing quote before the next comma"

describe("the records of a file", () => {
  it.effect.each([
    [
      "stand on a line each, empty lines left out",
      "a,b\n\n1,2\n \n3,4",
      [
        [1, ["a", "b"]],
        [3, ["1", "2"]],
        [5, ["3", "4"]]
      ]
    ],
    [
      "may stand on several lines, in quotes",
      'a,"x\n\ny"\nb,c\n',
      [
        [1, ["a", "x\n\ny"]],
        [4, ["b", "c"]]
      ]
    ],
    ["may hold quotes and separators, in quotes", '"say ""hi"", then",b""\n', [[1, ['say "hi", then', 'b""']]]],
    ["may end a line with a doubled quote and go on", '"a""\nb",c\n', [[1, ['a"\nb', "c"]]]],
    [
      "may have a byte order mark and Windows line ends",
      '\uFEFFa,"x\r\ny"\r\nb,c\r\n',
      [
        [1, ["a", "x\ny"]],
        [3, ["b", "c"]]
      ]
    ],
    [
      "need no line end after the last",
      "a,b\nc,d",
      [
        [1, ["a", "b"]],
        [2, ["c", "d"]]
      ]
    ]
  ] as const)("%s", ([, text, expected]) =>
    Effect.gen(function* () {
      expect(yield* parseRecords(text)).toEqual(expected)
    })
  )

  it.effect.each([
    ["semicolon", 'a;"b;c";d,e\n', ["a", "b;c", "d,e"]],
    ["tab", 'a\t\t"b\tc"\t\n', ["a", "", "b\tc", ""]]
  ] as const)("are separated by %s on request", ([delimiter, text, cells]) =>
    Effect.gen(function* () {
      expect(yield* parseRecords(text, delimiter)).toEqual([[1, cells]])
    })
  )

  it.effect("lose one line to a quote that is never closed, or is closed inside a cell", () =>
    Effect.gen(function* () {
      expect(yield* parseRecords('a,"b\nc,d\ne,f')).toEqual([
        [1, unclosed],
        [2, ["c", "d"]],
        [3, ["e", "f"]]
      ])
      expect(yield* parseRecords('a,"b\nc,"d"\n"e"f,g\nh,i')).toEqual([
        [1, unclosed],
        [2, ["c", "d"]],
        [3, unclosed],
        [4, ["h", "i"]]
      ])
    })
  )

  it.effect("lose one line to a quote whose end is farther away than the longest record", () =>
    Effect.gen(function* () {
      const filler = `${"x".repeat(999)}\n`.repeat(150)
      const records = yield* parseRecords(`a,"b\n${filler}c,"d"\n`)
      expect([records[0], records[1]?.[0], records.at(-1)]).toEqual([[1, unclosed], 2, [152, ["c", "d"]]])
    })
  )

  it.effect("lose one line to a line that is too long, and one to text that is not UTF-8", () =>
    Effect.gen(function* () {
      expect(yield* parseRecords(`a\n${"x".repeat(300_000)}\nb\n\uFFFD\nc`)).toEqual([
        [1, ["a"]],
        [2, "a record of at most 100000 characters"],
        [3, ["b"]],
        [4, "text in UTF-8"],
        [5, ["c"]]
      ])
    })
  )

  const cell = Schema.String.check(Schema.isPattern(/^[ab"\n,;\té€]{0,8}$/u))
  const row = Schema.Tuple([cell, cell, cell])
  /** Normalizes differences of the two readers: spaces at the ends of an unquoted cell are not part of it. */
  const plain = ([first, ...rest]: readonly [string, string, string]) => [`x${first}`, ...rest]

  it.effect.prop("equal those that the csv library wrote", { rows: Schema.Array(row) }, ({ rows }) =>
    Effect.gen(function* () {
      for (const delimiter of ["comma", "semicolon"] as const) {
        const given = rows.map(plain)
        const text = yield* Stream.fromIterable(given).pipe(
          Stream.pipeThroughChannel(Csv.encodeString({ delimiter: delimiters[delimiter] })),
          Stream.mkString
        )
        const read = yield* parseRecords(text, delimiter)
        expect(read.map(([, cells]) => cells)).toEqual(
          given.map((cells) => cells.map((one) => trimmed(one, delimiters[delimiter])))
        )
      }
    })
  )
})

const trimmed = (text: string, delimiter: string) =>
  text.includes('"') || text.includes("\n") || text.includes(delimiter) ? text : text.trim()

import { parseFilterPath, valueAt } from "@edp/adapter-kit/decoding/jsonPath"
import { expect, it } from "vitest"

const document = {
  a: { b: [{ c: 1 }, { c: 2, "x:y": "z" }], "0": "key" },
  list: [null, 7, { id: 3, on: true, name: "3", value: "third" }, { id: "3", on: false, name: "a.b[1]", value: "text" }]
}
const read = (path: string) => valueAt(document, parseFilterPath(path)!)

it.each([
  ["a.b[1].c", 2],
  ["a.b[1].x:y", "z"],
  ["a.0", "key"],
  ["list[1]", 7],
  ["list[?id==3].value", "third"],
  ['list[?id=="3"].value', "text"],
  ["list[?on==false].value", "text"],
  ['list[?name=="a.b[1]"].value', "text"],
  ["a.b[?c==2].x:y", "z"],
  ["list[?id==9].value", undefined],
  ["a[?id==3]", undefined],
  ["a.b[9].c", undefined],
  ["a.toString", undefined]
])("the path %s leads to %j", (path, value) => {
  expect(read(path)).toEqual(value)
})

it("a malformed path is none", () => {
  const paths = [
    "",
    ".",
    ".a",
    "a.",
    "a..b",
    "a[",
    "a[x]",
    "a[-1]",
    "a[?id]",
    "a[?id=3]",
    'a[?id=="3]',
    "a[0]b",
    "a[?id==x]",
    "a[?id==01]",
    'a[?id=="\\"]'
  ]
  expect(paths.map(parseFilterPath)).toEqual(paths.map(() => undefined))
})

import { findUsagePoints } from "@edp/adapter-kit/green-button/usagePoints"
import { describe, expect, test } from "vitest"
import { greenButtonFeed, meterId, run, seconds } from "./greenButtonFeed.ts"
import { parse, parseProblem } from "./readFile.ts"

const midnight = seconds("2025-06-21T07:00:00Z")
const text = greenButtonFeed({
  name: "01",
  title: "Front &amp; back",
  series: [{ blocks: [run(midnight, 900, [100, 200, 300])] }]
})

const usagePoints = (feed: string, size?: number) => {
  const found = findUsagePoints(parse(feed, size))
  if ("bad" in found) throw new Error(found.bad.map((problem) => problem.text).join("\n"))
  return found
}

describe("a feed", () => {
  test.each([1, 7, 1000, 65_536])("a feed is the same in chunks of %i characters", (size) => {
    const feed = parse(text, size)
    expect(feed.readings.length).toBe(3)
    expect(Array.from(feed.readings.value.slice(0, 3))).toEqual([100, 200, 300])
    expect(usagePoints(text, size)).toMatchObject([
      { name: "01", id: meterId("01"), title: "Front & back", service: "electricity", isElectricity: true }
    ])
  })

  test("prefixes, absolute addresses and any order of entries are read", () => {
    const prefixed = text
      .replaceAll(
        /<(\/?)(UsagePoint|ServiceCategory|kind|IntervalBlock|IntervalReading|timePeriod|value)\b/gu,
        "<$1e:$2"
      )
      .replaceAll('xmlns="http://naesb.org/espi"', 'xmlns:e="http://naesb.org/espi" xmlns="http://naesb.org/espi"')
      .replaceAll('href="/', 'href="https://utility.example/DataCustodian/')
    const [head = "", ...entries] = prefixed.split(/(?=^ {2}<entry>)/mu)
    const last = entries.pop()!.replace("</feed>\n", "")
    const reversed = [head, last, ...entries.toReversed(), "</feed>\n"].join("")
    expect(usagePoints(reversed)[0]!.series).toMatchObject([{ name: "MeterReading/1" }])
    expect(parse(reversed).readings.length).toBe(3)
  })

  test("single resources need no links", () => {
    const bare = text.replaceAll(/^ *<link .*\n/gmu, "")
    expect(usagePoints(bare)[0]!.series).toHaveLength(1)
  })

  test("a link that leads nowhere is named with its entry", () => {
    const two = greenButtonFeed(
      { name: "01", series: [{ blocks: [run(midnight, 900, [100])] }] },
      { name: "02", series: [{ blocks: [run(midnight, 900, [100])] }] }
    )
    const lost = two.replaceAll(
      "UsagePoint/02/MeterReading/1/IntervalBlock",
      "UsagePoint/03/MeterReading/1/IntervalBlock"
    )
    expect(() => usagePoints(lost)).toThrow(
      /^line \d+, element IntervalBlock, link rel="up": takes the address of a MeterReading of the file$/u
    )
  })

  test("invalid values are problems with their line and element", () => {
    const feed = parse(text.replace("<value>200</value>", "<value>2OO</value>").replace("<uom>72<", "<uom>Wh<"))
    expect(feed.problems.map((problem) => problem.text)).toEqual([
      expect.stringMatching(/^line \d+, element ReadingType\/uom: takes an integer$/u),
      expect.stringMatching(/^line \d+, element IntervalReading\/value: takes a number$/u)
    ])
  })

  test("a feed of customers alone has no usage points, and says so", () => {
    const customer = `<feed xmlns="http://www.w3.org/2005/Atom"><entry><content>
      <Customer xmlns="http://naesb.org/espi/customer"><kind>residential</kind></Customer></content></entry></feed>`
    expect(parse(customer)).toMatchObject({ customers: true, usagePoints: [] })
  })
})

describe("another file is refused:", () => {
  const bomb = [
    '<!DOCTYPE feed [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>',
    '<feed xmlns="http://www.w3.org/2005/Atom"><title>&b;</title></feed>'
  ].join("")
  test.each([
    ["an empty one", " \n", "line 1: the file is empty"],
    ["JSON", '{"a": 1}', "line 1: the file is JSON"],
    ["CSV", "a,b\n1,2\n", "line 1: the file is not XML"],
    ["a web page", "<!DOCTYPE html><html><body>Sign in</body></html>", "line 1: the file is a web page"],
    ["a web page without DOCTYPE", "<html><body>Sign in</body></html>", "line 1: the file is a web page"],
    ["other XML", "<gpx/>", "line 1: element gpx: takes feed of the namespace http://www.w3.org/2005/Atom"],
    ["a DOCTYPE with entities", bomb, "line 1: a DOCTYPE is refused"],
    ["an undefined entity", text.replace("&amp;", "&b;"), "it is not well-formed XML (undefined entity)"],
    ["two documents", `${text}${text}`, "it is not well-formed XML"],
    [
      "a text without an end",
      `<feed xmlns="http://www.w3.org/2005/Atom"><title>${"a".repeat(2_000_000)}`,
      "longer than"
    ],
    ["deep nesting", `<feed xmlns="http://www.w3.org/2005/Atom">${"<a>".repeat(100)}`, "takes at most 64 levels"]
  ])("%s", (_, file, problem) => {
    expect(parseProblem(file)).toContain(problem)
  })

  test("one that ends early, with the line and the element", () => {
    const cut = text.slice(0, text.indexOf("<value>200"))
    const line = cut.split("\n").length
    expect(parseProblem(cut)).toBe(
      `line ${line}: the file ends within the element IntervalReading: it is incomplete; download it again`
    )
  })
})

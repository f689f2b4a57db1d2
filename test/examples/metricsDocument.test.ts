import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { makeCli } from "../cli/realService.ts"
import { useTestApp } from "../support/TestApp.ts"

const top = fileURLToPath(new URL("../../", import.meta.url))
const chapter = readFileSync(join(top, "docs/metrics.md"), "utf8").split("\n## A year of a home\n")[1]!

/** A command of the document, and what it prints where that stands below it. */
interface Step {
  readonly args: ReadonlyArray<string>
  readonly prints: string | undefined
}

const words = (command: string) =>
  Array.from(command.matchAll(/'([^']*)'|(\S+)/gu), ([, quoted, plain]) => quoted ?? plain!)

const steps = Array.from(
  chapter.matchAll(/```sh\nedp (.*)\n```\n(?:\n```(?:text|csv)\n([^]*?)\n```\n)?/gu),
  ([, command, prints]): Step => ({ args: words(command!), prints })
)
const [arrange, ...asked] = steps
const shown = asked.filter(({ prints }) => prints !== undefined)
const drawn = asked.filter(({ prints }) => prints === undefined)

const rows = readFileSync(join(top, "examples/sample-home/home.csv"), "utf8")
  .trimEnd()
  .split("\n")
  .slice(1)
  .map((line) => line.split(",").slice(1).map(Number) as [load: number, solar: number])
const sum = (of: (load: number, solar: number) => number) =>
  rows.reduce((total, [load, solar]) => total + of(load, solar), 0)

const app = useTestApp()
const folder = mkdtempSync(join(tmpdir(), "edp-document-"))
let edp: ReturnType<typeof makeCli>
beforeAll(async () => {
  edp = makeCli(app, await app.workspace())
  const imported = await edp(...arrange!.args)
  expect(imported.code, imported.stderr).toBe(0)
})
afterAll(() => rmSync(folder, { recursive: true }))

describe("the worked example of docs/metrics.md", () => {
  test("begins with an import, shows responses, and draws a chart", () => {
    expect([arrange!.args[1], shown.length, drawn.length]).toEqual(["import", 5, 1])
  })

  test.each(shown.map(({ args, prints }) => [args.join(" "), args, prints!] as const))(
    "prints the output in the document: edp %s",
    async (_, args, prints) => {
      const { code, stderr, stdout } = await edp(...args)
      expect(code, stderr).toBe(0)
      expect(stdout.replaceAll("\r\n", "\n").split("\n")).toEqual(prints.split("\n"))
    }
  )

  test("draws the chart in the document, byte for byte", async () => {
    const { args } = drawn[0]!
    const path = args.at(-1)!
    const file = join(folder, "chart.svg")
    const { code, stderr } = await edp(...args.slice(0, -1), file)
    expect(code, stderr).toBe(0)
    expect(readFileSync(file, "utf8")).toBe(readFileSync(join(top, "docs/images", path), "utf8"))
  })

  test.each([
    ["load", sum((load) => load)],
    ["generation", sum((_, solar) => solar)],
    ["grid", sum((load, solar) => load - solar)],
    ["imported", sum((load, solar) => Math.max(0, load - solar))],
    ["exported", sum((load, solar) => Math.max(0, solar - load))]
  ])("quotes the %s of the table", (_, energy) => {
    expect(chapter).toContain(energy.toLocaleString("en"))
  })
})

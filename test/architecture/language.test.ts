import { describe, expect, it } from "vitest"
import { filesBelow, readText } from "./repository.ts"
import { checkWording, wordRules } from "./wording.ts"

const data = /\.(csv|png|jpg|ico|woff2|gz|tsbuildinfo|log)$/
const texts = filesBelow("").filter((path) => !data.test(path))
const findings = texts.flatMap((path) => checkWording(path, readText(path)))

describe("the texts of the repository", () => {
  it("are read down to the hidden ones", () => {
    expect(texts).toEqual(
      expect.arrayContaining(["package.json", ".gitignore", "pnpm-lock.yaml", "test/architecture/wording.ts"])
    )
  })

  it.each(wordRules.map(({ name }) => name))("hold %s", (rule) => {
    expect(findings.filter((one) => one.rule === rule).map(({ place }) => place)).toEqual([])
  })
})

const whole = (text: string) => text.replace("~", "")

describe("the wording rules", () => {
  /** A ~ is taken out before the rule sees the text, so that this file itself holds none of them. */
  const refused: ReadonlyArray<readonly [rule: string, text: string]> = [
    ["no path of somebody's machine", "see /wo~rk/main/README"],
    ["no path of somebody's machine", `const folder = "/ho~me/ada/edp"`],
    ["no package registry", "https://regis~try.npmjs.org/effect"],
    ["no package registry", "fetch from http://npm-regis~try.example.com:4873/"],
    ["no registry setting", "regis~try=http://10.0.0.1/"],
    ["no work left to do", "// TO~DO: later"],
    ["no work left to do", "FIX~ME"],
    ["no reference to papers outside the repository", "as §~16 says"],
    ["no reference to papers outside the repository", "see decisions.m~d"],
    ["no private notes", "as req~uested"],
    ["comments that are sentences or name a thing", "  /** Wh~at is sent. */"],
    ["comments that are sentences or name a thing", "// Wh~o asks gets it"],
    ["comments that are sentences or name a thing", "/**\n * O~f two readings the first counts. */"],
    ["test names that are sentences", `  test("wh~at is sent", () => {`],
    ["test names that are sentences", `  it.effect.each(rows)("o~f %s", () =>`],
    ["test names that are sentences", `  ])("wh~ere it is %s", (row) => {`],
    ["helpers that are named by what they do or return", "const names~Of = (rows) => rows"],
    ["names that the field uses", "the frozen~Until of a device"],
    ["names that the field uses", "interface Pla~ce {"],
    ["names that the field uses", "const an~swer = await fetch(url)"],
    ["names that the field uses", "interface StoredAn~swer {"],
    ["names that the field uses", "stored.has~ten(id)"],
    ["texts in the words of the field", "The server gave no an~swer."],
    ["texts in the words of the field", "Commands to devices, and their fa~te"],
    ["texts in the words of the field", "devices that di~al in"]
  ]

  it.each(refused)("%s refuses `%s`", (rule, text) => {
    expect(checkWording("test/server/file.test.ts", whole(text)).map((one) => one.rule)).toContain(rule)
  })

  it("each refuse something here", () => {
    const tried = new Set(refused.map(([rule]) => rule))
    expect(wordRules.map(({ name }) => name).filter((name) => !tried.has(name))).toEqual([])
  })

  it("leave ordinary words alone", () => {
    const text =
      "isHome is true at home/away; the network/main switch; ManufacturerRegistry; registry.find(slug); /v1/homes; docs/decisions/0001-effect.md"
    expect(checkWording("docs/page.md", text)).toEqual([])
    const code = `// so what is sent\ntest("the parts of what is sent", () => {\nconst oneOf = names.indexOf(replaceAt)`
    expect(checkWording("test/server/file.test.ts", code)).toEqual([])
  })

  it("leave released migrations alone", () => {
    const text = whole("// Wh~at is kept")
    expect(checkWording("packages/server/src/platform/sql/migrations/0001_create_sites.ts", text)).toEqual([])
  })

  it("name the file and the line", () => {
    const places = checkWording("docs/page.md", whole("one\ntwo TO~DO")).map(({ place }) => place)
    expect(places).toEqual([whole("docs/page.md:2 TO~DO")])
  })
})

import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { type Json, operationsOf } from "@edp/domain/openapi/document"
import { renderReference } from "@edp/server/tools/reference/renderReference"
import { describe, expect, it } from "vitest"

const read = (path: string) => readFileSync(new URL(`../../packages/${path}`, import.meta.url), "utf8")

const page = read("server/src/app/docs/reference.html")
const spec: Json = JSON.parse(read("domain/openapi.json"))

const all = (pattern: RegExp) => [...page.matchAll(pattern)].map(([, found]) => found!)
const text = (markup: string) =>
  markup
    .replace(/&quot;/g, '"')
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&amp;/g, "&")

describe("the readable reference", () => {
  it("is committed as it is rendered from the document", () => {
    expect(page).toBe(renderReference(spec))
  })

  it("loads nothing from outside, nor anything at all", () => {
    const links = new Set(
      all(/\s(?:href|src|srcset|action|data|poster)="([^"]*)"/g).filter((link) => !link.startsWith("#"))
    )
    expect([...links].filter((link) => !link.startsWith("data:image/svg+xml,"))).toEqual(["/v1/docs/swagger.json"])
    expect(page).not.toMatch(
      /@import|url\(|<link rel="stylesheet"|<script [^>]*src|<iframe|<img|fetch\(|XMLHttpRequest/
    )
  })

  it("shows every operation, error code and schema of the document", () => {
    const ids = new Set(all(/\sid="([^"]+)"/g))
    const { schemas } = spec.components
    const expected = [
      ...operationsOf(spec).map(({ operation }) => operation.operationId),
      ...Object.keys(schemas).map((name) => (schemas[name]["x-http-status"] ? `error-${name}` : `schema-${name}`))
    ]
    expect(expected.filter((id) => !ids.has(id))).toEqual([])
  })

  it("has each id once and links only to ids that are there", () => {
    const ids = all(/\sid="([^"]+)"/g)
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
    const links = all(/href="#([^"]+)"/g)
    expect(links.length).toBeGreaterThan(300)
    expect(links.filter((link) => !ids.includes(link))).toEqual([])
  })

  it("has landmarks, and headings that skip no level", () => {
    for (const landmark of ["header", "nav", "main"]) expect(page.split(`<${landmark}`).length - 1, landmark).toBe(1)
    const levels = all(/<h([1-6])/g).map(Number)
    expect(levels.filter((level) => level === 1)).toEqual([1])
    expect(levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1)).toEqual([])
  })

  it("gives each operation a call that a shell takes as it is", () => {
    const calls = all(/<pre class="shell"><code>([^]*?)<\/code>/g).map(text)
    expect(calls.length).toBe(operationsOf(spec).length)
    for (const call of calls) {
      expect(call).toContain(`-H "Service-Api-Key: $EDP_KEY"`)
      expect(call).toMatch(/^curl (-X [A-Z]+ )?http:\/\/127\.0\.0\.1:3000\/[\w/-]+ \\\n/)
    }
    const words = spawnSync("bash", [], {
      input: calls.join("\n").replaceAll(/^curl/gm, "printf '%s\\n'"),
      encoding: "utf8"
    })
    expect(words.stderr).toBe("")
    const bodies = words.stdout
      .split("-d\n")
      .slice(1)
      .map((rest) => rest.split(/\n(?:-X|http)/)[0]!)
    expect(bodies.length).toBeGreaterThan(15)
    for (const body of bodies) expect(() => JSON.parse(body), body).not.toThrow()
  })

  it("escapes what it shows", () => {
    const rendered = renderReference({ ...spec, info: { ...spec.info, title: `<img src=x> & "quotes"` } })
    expect(rendered).toContain("<h1>&lt;img src=x&gt; &amp; &quot;quotes&quot;</h1>")
  })
})

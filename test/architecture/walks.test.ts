import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { readText, root } from "./repository.ts"

/** The most files that somebody may have to open to follow one thing through the server. */
const limits = { "A push": 12, "An event": 12, "A command": 16, "A dispatch": 16 } as const

const page = readText("docs/architecture.md")

/** The files of a list of docs/architecture.md, in order. */
const readWalk = (heading: string) => {
  const [, section = ""] = page.split(`\n### ${heading}\n`)
  return [...section.split(/\n##/)[0]!.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, path]) => `packages/server/src/${path}`)
}

describe.each(Object.entries(limits))("%s through the server", (heading, most) => {
  const files = readWalk(heading)

  it("is written down as files that exist, each once", () => {
    expect(files.length).toBeGreaterThan(5)
    expect(files.filter((path) => !existsSync(join(root, path)))).toEqual([])
    expect(new Set(files).size).toBe(files.length)
  })

  it(`passes at most ${most} files`, () => {
    expect(files.length).toBeLessThanOrEqual(most)
  })
})

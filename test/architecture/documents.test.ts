import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import { filesBelow, readText, root } from "./repository.ts"

const documents = [
  "README.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  ...filesBelow("docs"),
  ...filesBelow("packages")
].filter((path) => path.endsWith(".md"))

test("every relative link in a document leads to a file", () => {
  const broken = documents.flatMap((path) =>
    [...readText(path).matchAll(/\]\((?!https?:|mailto:|#)([^)\s#]+)/g)]
      .map(([, target]) => target!)
      .filter((target) => !existsSync(join(root, dirname(path), target)))
      .map((target) => `${path} -> ${target}`)
  )
  expect(broken).toEqual([])
})

const decisions = filesBelow("docs/decisions")

test.for(decisions)("%s has its number, a status, a date, and the reason, the decision and its cost", (path) => {
  const text = readText(path)
  const number = /\/(\d{4})-[a-z0-9-]+\.md$/.exec(path)?.[1]
  expect(text).toMatch(
    new RegExp(
      `^# ${number} .+\n\nStatus: (?:accepted|superseded by \\[\\d{4}\\]\\(.+\\))\\. Date: \\d{4}-\\d\\d-\\d\\d\\.`
    )
  )
  expect([...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)).toEqual(["Context", "Decision", "Cost"])
})

test("no two decisions have the same number", () => {
  const numbers = decisions.map((path) => /\/(\d{4})-/.exec(path)?.[1])
  expect(new Set(numbers).size).toBe(numbers.length)
})

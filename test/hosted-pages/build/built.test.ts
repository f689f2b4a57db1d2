import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { findProblem, isFresh, makeManifest } from "@edp/hosted-pages/build/built"
import { afterAll, beforeEach, expect, test } from "vitest"
import { type GuardedFolder, guardedFolder } from "../../support/guardedFolder.ts"

const guarded: GuardedFolder = await guardedFolder("edp-built-pages")
const folder = guarded.path
const [page, shared] = [join(folder, "src/page.tsx"), join(folder, "src/shared.ts")]

beforeEach(() => {
  for (const name of ["src", "dist"]) mkdirSync(join(folder, name), { recursive: true })
  writeFileSync(page, "one")
  writeFileSync(shared, "two")
  writeFileSync(join(folder, "dist/render.js"), "")
  writeFileSync(join(folder, "dist/build.json"), JSON.stringify(makeManifest(folder, [page, shared])))
})
afterAll(() => guarded.remove())

test("a build of the present sources is kept", () => {
  expect(isFresh(folder)).toBe(true)
})

test.each([
  ["a source that changed", () => writeFileSync(shared, "three")],
  ["text that moved from one source to another", () => (writeFileSync(page, "onet"), writeFileSync(shared, "wo"))],
  ["a source that is gone", () => rmSync(page)],
  ["no build", () => rmSync(join(folder, "dist"), { recursive: true })],
  ["a manifest that was cut off", () => writeFileSync(join(folder, "dist/build.json"), "{")]
])("%s asks for a build", (_, change) => {
  change()
  expect(isFresh(folder)).toBe(false)
})

test("an installation without sources uses what it has", () => {
  rmSync(join(folder, "src"), { recursive: true })
  expect(isFresh(folder)).toBe(true)
})

test("the service learns what to do about old pages and about none", () => {
  expect(findProblem(folder)).toBeUndefined()
  writeFileSync(shared, "three")
  expect(findProblem(folder)).toEqual({
    isMissing: false,
    message: "The hosted pages are older than their sources: npx -y pnpm@12 --filter @edp/hosted-pages build"
  })
  rmSync(join(folder, "dist"), { recursive: true })
  expect(findProblem(folder)).toEqual({
    isMissing: true,
    message: "The hosted pages are not built: npx -y pnpm@12 --filter @edp/hosted-pages build"
  })
})

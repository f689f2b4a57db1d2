import { expect, test } from "vitest"
import { filesBelow } from "./repository.ts"

/** Suites without a source of their own. */
const apart: ReadonlyArray<RegExp> = [
  // requirements on the whole service
  /^test\/server\/app\/unreadResponses\.test\.ts$/,
  /^test\/server\/platform\/jobs\/(?:failingItems|lostLeases)\.test\.ts$/,
  /^test\/server\/platform\/sql\/(?:databaseDocument|listPlans)\.test\.ts$/,
  /^test\/server\/collections\/criteriaText\.test\.ts$/,
  // the page in a browser
  /^test\/dashboard\/(?:chartsInBrowser|commandsInBrowser|datesInBrowser|fleetInBrowser|fleetTable|forms|gridInBrowser|history|homeAssistantInBrowser|lists|manyTabs|overviewInBrowser|pages|rounds|sessions|symptoms|tasks|workInBrowser)\.test\.ts$/,
  // the package as it is published
  /^test\/domain\/package\/packed\.test\.ts$/
]

/** The packages whose sources a folder of suites has. A suite of an endpoint group has the group's name in the contract. */
const mirrors = {
  server: ["server", "domain"],
  "adapter-kit": ["adapter-kit"],
  "hosted-pages": ["hosted-pages"],
  cli: ["cli"],
  dashboard: ["dashboard"],
  domain: ["domain"]
} as const

const suites = Object.keys(mirrors).flatMap((name) =>
  filesBelow(`test/${name}`).filter((path) => path.endsWith(".test.ts"))
)

const sources = new Set(
  ["server", "adapter-kit", "hosted-pages", "cli", "dashboard", "domain"].flatMap((name) =>
    filesBelow(`packages/${name}/src`)
  )
)

/** `sites/Sites.races.test.ts` is the suite of `sites/Sites.ts` on races. */
const findSource = (path: string) => {
  const [, folder, tested] = /^test\/([\w-]+)\/(.+?)(?:\.\w+)?\.test\.ts$/.exec(path)!
  return mirrors[folder as keyof typeof mirrors]
    .flatMap((name) => [`packages/${name}/src/${tested}.ts`, `packages/${name}/src/${tested}.tsx`])
    .find((source) => sources.has(source))
}

test("each suite of the server, the adapter kit, the hosted pages, the command line, the dashboard and the contract lies where its source lies, under its name", () => {
  const misplaced = suites.filter((path) => findSource(path) === undefined)
  expect(suites.length).toBeGreaterThan(300)
  expect(misplaced.filter((path) => !apart.some((pattern) => pattern.test(path)))).toEqual([])
})

test("each suite that is listed as one without a source exists and has none", () => {
  const unsourced = suites.filter((path) => findSource(path) === undefined)
  expect(apart.filter((pattern) => !unsourced.some((path) => pattern.test(path)))).toEqual([])
})

import { readFileSync } from "node:fs"
import { Effect } from "effect"
import { errorText, newKey, run } from "../fakeService.ts"
import type { FakeBulk } from "./fakeBulk.ts"

const env = { EDP_URL: "http://service.test", EDP_KEY_SERVER: newKey("SERVER") }

export const HEADER = "referenceId,name,streetOne,city,state,postalCode"

/** A file of sites, each with its own street number; `different` replaces rows by their number. */
export const sitesFile = (rows: number, different: Readonly<Record<number, string>> = {}) =>
  [HEADER, ...Array.from({ length: rows }, (_, at) => different[at + 1] ?? siteLine(at + 1)), ""].join("\n")

export const siteLine = (number: number, name = "Home") =>
  `site-${number},${name},${number} Main Street,Sacramento,CA,95814`

/** Runs `edp sites import` against a fake service. */
export const importing = (fake: FakeBulk, ...args: ReadonlyArray<string>) =>
  Effect.map(run(["sites", "import", ...args, "--json"], { env, routes: fake.routes }), (result) => ({
    ...result,
    stderr: errorText(result.stderr),
    counts: () => {
      const { created, earlier, exists, failed, rows } = JSON.parse(result.stdout)
      return { rows, created, exists, failed, earlier }
    }
  }))

export const reportPath = (path: string) => `${path}.report.csv`
export const journalPath = (path: string) => `${reportPath(path)}.journal`

/** The lines of the report below its header. */
export const reported = (path: string): ReadonlyArray<string> =>
  readFileSync(reportPath(path), "utf8").trimEnd().split("\r\n").slice(1)

/** Row and status of each line of the report. */
export const statuses = (path: string) => reported(path).map((line) => line.split(",")[2])

import { setTimeout } from "node:timers/promises"
import { parseArgs } from "node:util"
import { withClient } from "../support/failover/withClient.ts"
import { isSuccess } from "../support/RecordingLoad.ts"
import { percentile } from "../bench/statistics.ts"
import { readDuration } from "./durations.ts"
import { type Installation, install, type Measured, measureProcesses, whole } from "./installation.ts"
import { Arrivals, checkInvariants } from "./invariants.ts"
import { printTable, printVerdict } from "./report.ts"

const { values } = parseArgs({
  options: {
    for: { type: "string", default: "30m" },
    every: { type: "string", default: "10s" },
    pause: { type: "string", default: "50" },
    help: { type: "boolean", default: false }
  }
})
if (values.help) {
  process.stderr.write(`pnpm soak [--for 30m] [--every 10s] [--pause MS]

  --for    how long the load lasts
  --every  how often memory and descriptors are measured
  --pause  milliseconds between two requests of a caller; there are 11
`)
  process.exit(0)
}
const [lasting, every] = [readDuration(values.for), readDuration(values.every)]

/** Size and rows of the tables, with their partitions. */
const readTables = async ({ postgres }: Installation) => {
  const { rows } = await withClient(
    postgres.url,
    `SELECT regexp_replace(relname, '_\\d{6,8}$', '') AS name, sum(pg_total_relation_size(relid))::float8 / 1048576 AS megabytes,
      sum(n_live_tup)::float8 AS live, sum(n_dead_tup)::float8 AS dead FROM pg_stat_user_tables GROUP BY 1`
  )
  return new Map(
    rows.map(({ name, ...figures }) => [name as string, figures as Record<"megabytes" | "live" | "dead", number>])
  )
}

/** The slope of the line through points by least squares. */
const slope = (points: ReadonlyArray<readonly [x: number, y: number]>) => {
  const mean = (n: 0 | 1) => points.reduce((sum, point) => sum + point[n], 0) / points.length
  const [x, y] = [mean(0), mean(1)]
  const product = points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0)
  return product / points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0)
}

const on = await install({ pause: Number(values.pause), withSmallDisk: false })
const arrivals = new Arrivals()
const draining = setInterval(() => arrivals.take(on), 1000)
let violated: ReadonlyArray<string> = []
try {
  const before = await readTables(on)
  const begun = performance.now()
  on.load.start()
  const samples: Array<readonly [minutes: number, Measured]> = []
  while (performance.now() - begun < lasting) {
    await setTimeout(every)
    samples.push([(performance.now() - begun) / 60_000, measureProcesses(on)])
  }
  const tables = await readTables(on)
  const outcomes = [...on.load.outcomes]
  await on.load.end()
  await whole(on)

  const byKind = [...Map.groupBy(outcomes, ({ kind }) => kind)].map(([kind, ones]) => {
    const sorted = Float64Array.from(ones, (one) => one.ended - one.begun).sort()
    const failed = ones.filter((one) => !isSuccess(one)).length
    const times = [percentile(sorted, 0.5), percentile(sorted, 0.99), sorted.at(-1)!].map((ms) => ms.toFixed(0))
    return [kind, (ones.length / (lasting / 1000)).toFixed(1), `${failed}`, ...times]
  })
  printTable([["request", "a second", "failed", "p50, ms", "p99, ms", "longest, ms"], ...byKind])
  // Memory grows while code is compiled and caches fill.
  const later = samples.slice(Math.floor(samples.length / 2))
  const byProcess = [...samples[0]![1]].map(([name, first]) => {
    const last = samples.at(-1)![1].get(name)!
    const points = later.flatMap(([minutes, each]) =>
      each.has(name) ? [[minutes, each.get(name)!.megabytes] as const] : []
    )
    const descriptors = `${first.descriptors} → ${last.descriptors}`
    return [name, `${first.megabytes.toFixed(0)} → ${last.megabytes.toFixed(0)}`, slope(points).toFixed(1), descriptors]
  })
  printTable([["process", "MB", "MB a minute in the second half", "descriptors"], ...byProcess])
  const byTable = [...tables]
    .map(([name, now]) => ({ name, now, grown: now.megabytes - (before.get(name)?.megabytes ?? 0) }))
    .sort((one, other) => other.grown - one.grown)
    .slice(0, 12)
    .map(({ name, now, grown }) => [name, grown.toFixed(1), now.live.toFixed(0), now.dead.toFixed(0)])
  printTable([["table", "MB more", "rows", "dead rows"], ...byTable])

  const result = await checkInvariants(on, arrivals, [])
  violated = result.violated
  process.stdout.write(`${result.evidence.join("\n")}\n`)
} finally {
  clearInterval(draining)
  await on.load.end()
  await on.stop()
}
printVerdict(violated)

import { setTimeout } from "node:timers/promises"
import { parseArgs } from "node:util"
import { eventually } from "../support/eventually.ts"
import { isSuccess, type Outcome } from "../support/RecordingLoad.ts"
import type { ProxyMode } from "../support/peers/faultyProxy.ts"
import { Random } from "../support/Random.ts"
import { readDuration } from "./durations.ts"
import { type Installation, install, measureProcesses, whole } from "./installation.ts"
import { Arrivals, checkInvariants, type Cut } from "./invariants.ts"
import { printTable, printVerdict } from "./report.ts"

interface Disturbance {
  readonly name: string
  readonly what: string
  /** Whether it may cut off the call of a command, which is then sent once more. */
  readonly cutsCalls: boolean
  /** Returns after the disturbance has ended. False if this machine can't have it. */
  readonly run: (on: Installation) => Promise<boolean | void>
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    "kills-for": { type: "string", default: "5m" },
    every: { type: "string", default: "10s" },
    for: { type: "string", default: "30s" },
    quiet: { type: "string", default: "10s" },
    pause: { type: "string", default: "50" },
    seed: { type: "string", default: `${Math.floor(Math.random() * 2 ** 31)}` },
    help: { type: "boolean", default: false }
  }
})
const [killsFor, every, lasting, quiet] = [values["kills-for"], values.every, values.for, values.quiet].map(
  readDuration
) as [number, number, number, number]
const random = new Random(Number(values.seed))
const note = (text: string) => void process.stderr.write(`  … ${text}\n`)

const killOne = async ({ instances }: Installation) => {
  const living = instances.flatMap((instance) => [...instance.processes()])
  // Supervisors that were killed are still being replaced.
  if (living.length === 0) return
  const [name, pid] = random.pick(living)
  note(`kills ${name}`)
  process.kill(pid, "SIGKILL")
}

const throughProxy = (which: "databaseProxy" | "receiverProxy", mode: ProxyMode) => async (on: Installation) => {
  on[which].setMode(mode)
  await setTimeout(lasting)
  on[which].setMode("clear")
}

const setClock =
  (signal: NodeJS.Signals) =>
  async ({ instances }: Installation) => {
    for (const pid of instances[0].processes().values()) process.kill(pid, signal)
    await setTimeout(lasting)
  }

const disturbances: ReadonlyArray<Disturbance> = [
  { name: "none", what: "nothing", cutsCalls: false, run: () => setTimeout(lasting) },
  {
    name: "kills",
    what: `a process killed every ${every / 1000} s`,
    cutsCalls: true,
    run: async (on) => {
      for (const end = performance.now() + killsFor; performance.now() < end; await setTimeout(every)) await killOne(on)
    }
  },
  {
    name: "postgres",
    what: "PostgreSQL killed and gone",
    cutsCalls: true,
    run: async ({ postgres }) => {
      await postgres.kill9()
      await setTimeout(lasting)
      await postgres.restart()
    }
  },
  {
    name: "redis",
    what: "Redis hangs",
    cutsCalls: false,
    run: async ({ redis }) => {
      redis.freeze()
      await setTimeout(lasting)
      redis.thaw()
    }
  },
  {
    name: "disk",
    what: "PostgreSQL's disk is full",
    cutsCalls: true,
    run: async ({ disk, postgres }) => {
      if (disk === undefined) return false
      disk.fillUp!()
      await setTimeout(lasting)
      disk.makeRoom()
      // It may have ended, because its log had no space either.
      await postgres.restart()
      return true
    }
  },
  { name: "forward", what: "clock of one instance 2 h ahead", cutsCalls: false, run: setClock("SIGUSR2") },
  { name: "back", what: "its clock set back by 2 h", cutsCalls: false, run: setClock("SIGPWR") },
  ...(["drip", "half-close"] as const).flatMap((mode) => [
    {
      name: `receiver-${mode}`,
      what: `connections to the receiver: ${mode}`,
      cutsCalls: false,
      run: throughProxy("receiverProxy", mode)
    },
    {
      name: `database-${mode}`,
      what: `connections of one instance to PostgreSQL: ${mode}`,
      cutsCalls: true,
      run: throughProxy("databaseProxy", mode)
    }
  ])
]

const names = disturbances.map(({ name }) => name)
const unknown = positionals.filter((name) => !names.includes(name))
if (values.help || unknown.length > 0) {
  process.stderr
    .write(`pnpm chaos [NAME...] [--kills-for 5m] [--every 10s] [--for 30s] [--quiet 10s] [--pause MS] [--seed N]

  NAME         ${names.join(", ")}; all of them when none is named
  --kills-for  how long processes are killed, --every so often
  --for        how long each other disturbance lasts
  --quiet      the time without disturbance after each of them
  --pause      milliseconds between two requests of a caller; there are 11
  --seed       decides which processes are killed
`)
  process.exit(unknown.length > 0 ? 2 : 0)
}

interface Row {
  readonly what: string
  readonly seconds: number
  readonly outcomes: ReadonlyArray<Outcome>
  readonly gap: number
  readonly recovered: string
  readonly deliveriesAfter: string
}

/** A destination that keeps failing is paused for up to five minutes. */
const pausedMs = 330_000

const seconds = (milliseconds: number) => (milliseconds / 1000).toFixed(1)

/** Runs a disturbance under the load, and waits until everything works again at both instances. */
const disturb = async (on: Installation, arrivals: Arrivals, { name, run, what }: Disturbance): Promise<Row> => {
  const { instances, load } = on
  note(`${name}: ${what}`)
  const from = performance.now()
  const happened = await run(on)
  const end = performance.now()
  if (happened === false)
    return { what, seconds: 0, outcomes: [], gap: 0, recovered: "not possible", deliveriesAfter: "" }
  // The feed has one reader, which asks the instances in turn.
  const isNext = (one: Outcome, { kind, instance }: Outcome) =>
    one.begun > end && one.kind === kind && (kind === "feed" || one.instance === instance) && isSuccess(one)
  const expected = [...new Map(load.outcomes.map((one) => [`${one.kind} ${one.instance}`, one])).values()]
  const recent = () => load.outcomes.slice(load.outcomes.findLastIndex(({ ended }) => ended < end) + 1)
  const recovered = await eventually("each kind of request succeeds again at each instance", () => {
    const found = expected.map((one) => recent().find((other) => isNext(other, one)))
    return found.every((one) => one !== undefined) ? Math.max(...found.map(({ ended }) => ended - end)) : undefined
  }).then(seconds, () => "never")
  const deliveriesAfter = await eventually(
    "deliveries arrive again",
    () => {
      const newest = arrivals.take(on)
      return newest > end ? newest - end : undefined
    },
    pausedMs
  ).then(seconds, () => "never")
  await setTimeout(quiet)
  const outcomes = load.outcomes.filter(({ begun }) => begun >= from)
  const gap = Math.max(...instances.map((_, instance) => load.longestGap(instance, from)))
  return { what, seconds: (end - from) / 1000, outcomes, gap, recovered, deliveriesAfter }
}

const listErrors = (outcomes: Row["outcomes"]) =>
  [
    ...Map.groupBy(
      outcomes.filter((one) => !isSuccess(one)),
      ({ status }) => status ?? "no response"
    )
  ]
    .map(([status, { length }]) => `${status}: ${length}`)
    .join(", ") || "none"

const line = (row: Row) => {
  const longest = Math.max(0, ...row.outcomes.map(({ begun, ended }) => ended - begun))
  return [
    row.what,
    row.seconds.toFixed(0),
    row.outcomes.length,
    listErrors(row.outcomes),
    seconds(row.gap),
    seconds(longest),
    row.recovered,
    row.deliveriesAfter
  ]
}

process.stderr.write(`Seed ${values.seed}\n`)
const on = await install({ pause: Number(values.pause), withSmallDisk: true })
const arrivals = new Arrivals()
const draining = setInterval(() => arrivals.take(on), 1000)
const rows: Array<Row> = []
const cuts: Array<Cut> = []
const violated: Array<string> = []
try {
  on.load.start()
  await setTimeout(quiet)
  await whole(on)
  const before = measureProcesses(on)
  for (const disturbance of disturbances) {
    if (positionals.length > 0 && !positionals.includes(disturbance.name)) continue
    const from = Date.now()
    const row = await disturb(on, arrivals, disturbance)
    rows.push(row)
    if (disturbance.cutsCalls) cuts.push({ from: from - 1000, to: Date.now() })
    if (row.recovered === "never" || row.deliveriesAfter === "never") {
      violated.push(`no recovery after: ${row.what}`)
      // The next disturbance needs instances that work.
      for (const { server } of on.instances) process.kill(server.pid, "SIGKILL")
      await whole(on)
    }
  }
  await on.load.end()
  await whole(on)
  const result = await checkInvariants(on, arrivals, cuts)
  violated.push(...result.violated)
  const after = measureProcesses(on)
  const header = [
    "disturbance",
    "s",
    "requests",
    "errors",
    "longest gap, s",
    "longest request, s",
    "recovered, s",
    "delivered, s"
  ]
  printTable([header, ...rows.map(line)])
  for (const [name, { descriptors, megabytes }] of before) {
    const now = after.get(name)!
    const report = `${megabytes.toFixed(0)} → ${now.megabytes.toFixed(0)} MB, ${descriptors} → ${now.descriptors} descriptors`
    process.stdout.write(`${name}: ${report}\n`)
    if (now.descriptors > descriptors * 1.5 + 20) violated.push(`${name} has kept descriptors: ${report}`)
  }
  process.stdout.write(`\n${result.evidence.join("\n")}\n`)
} finally {
  clearInterval(draining)
  await on.load.end()
  await on.stop()
}
printVerdict(violated)

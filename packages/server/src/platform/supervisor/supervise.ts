import cluster from "node:cluster"
import type { Worker } from "node:cluster"
import { setTimeout as pause } from "node:timers/promises"
import { counter, gauge, processFamilies, prometheusText, watchEventLoop } from "../observability/processMetrics.ts"
import { windowCounts } from "../rate-limits/windowCounts.ts"
import { type Channel, openChannel } from "../processes/channel.ts"
import { keepTotals, mergeFigures } from "./mergeFigures.ts"
import { type Slot, slotArguments } from "../processes/slots.ts"

/** A process that lives for longer than these milliseconds had not ended because of its start. */
const STABLE_MS = 10_000
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 30_000

/**
 * The milliseconds until a process that has ended is replaced. The first end costs no pause, and neither does one after a stable time:
 * only one that ends soon after its start again and again is held back.
 */
export const replacementPause = (earlyEnds: number, livedMs: number) => {
  const ends = livedMs < STABLE_MS ? earlyEnds + 1 : 0
  return { earlyEnds: ends, milliseconds: ends < 2 ? 0 : Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (ends - 2)) }
}

/** Milliseconds for which figures wait for those of one process. After that its last ones are taken. */
const FIGURES_WITHIN = 2000

/** Milliseconds between two heartbeats of a process, and how many in a row may be missed until it is killed. */
const HEARTBEAT_MS = 1000
const MISSED_HEARTBEATS = 15

type Level = "INFO" | "WARN" | "FATAL"

interface Surroundings {
  readonly slots: ReadonlyArray<Slot>
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Milliseconds of the monotonic clock. */
  readonly monotonic: () => number
  readonly log: (level: Level, message: string, fields?: Readonly<Record<string, unknown>>) => void
  /** Prints what a process reports about its end. */
  readonly printEnd: (text: string) => void
  readonly exit: (code: number) => void
}

/** The process in a slot, and what is kept when another one takes its place. */
interface Member {
  readonly slot: Slot
  worker?: Worker
  channel?: Channel
  startedAt: number
  isReady: boolean
  /** How often in a row it ended soon after its start. */
  earlyEnds: number
  ends: number
  /** Its figures as it last told them. */
  figures: string
  /** Heartbeats in a row without a response. They are counted, not timed: a supervisor that was stopped itself must blame nobody. */
  missedHeartbeats: number
}

const isLiving = ({ worker }: Member) => worker !== undefined && !worker.isDead()

/**
 * Starts the processes of the service and replaces those that end, until a signal stops all. Keeps what they share: the counts of rate
 * limits, and the figures of all. It loads nothing of the service, so it takes little memory and has nothing else to do.
 */
export const supervise = ({ exit, log, monotonic, now, slots, printEnd }: Surroundings) => {
  const countIn = windowCounts()
  const members = slots.map((slot): Member => ({
    slot,
    startedAt: 0,
    isReady: false,
    earlyEnds: 0,
    ends: 0,
    figures: "",
    missedHeartbeats: 0
  }))
  /** Resolves when all serve, with the process that announces it: the one that has made the first keys can show them. */
  const running = Promise.withResolvers<Member>()
  let announcing = members[0]!
  let isRunning = false
  /** The last totals of processes that have ended. */
  let leftFigures = ""
  let stop: { readonly code: number; readonly announce: () => void } | undefined

  const exitWhenAllHave = () => {
    if (stop === undefined || members.some(isLiving)) return
    stop.announce()
    exit(stop.code)
  }

  const stopAll = (code: number, announce: () => void) => {
    stop ??= { code, announce }
    for (const { worker } of members.filter(isLiving)) worker!.process.kill("SIGTERM")
    exitWhenAllHave()
  }

  const count = (keys: ReadonlyArray<string>) => {
    const at = now()
    const counted = keys.map((key) => countIn(key, at))
    return { window: counted.at(-1)?.window, counts: counted.map((one) => one.count) }
  }

  const ownFigures = () =>
    prometheusText([
      ...processFamilies(now()),
      gauge(
        "edp_processes",
        "Processes that run, by role",
        ...["api", "worker"].map((role) => ({
          labels: { role },
          value: members.filter((member) => isLiving(member) && member.slot.role === role).length
        }))
      ),
      counter(
        "edp_process_ends_total",
        "Processes that ended before the service stopped, and were replaced",
        ...members.map(({ ends, slot }) => ({ labels: { process: slot.name }, value: ends }))
      )
    ])

  const updateFigures = async (member: Member) => {
    const { channel } = member
    const text = await Promise.race([channel?.ask("figures"), pause(FIGURES_WITHIN, undefined, { ref: false })])
    if (typeof text === "string" && member.channel === channel) member.figures = text
  }

  const figures = async () => {
    await Promise.all(members.map(updateFigures))
    return mergeFigures([ownFigures(), leftFigures, ...members.map((member) => member.figures)])
  }

  const ready = async (member: Member, madeKeys: boolean) => {
    const { slot, worker } = member
    member.isReady = true
    log("INFO", `The process ${slot.name} is running`, { process: slot.name, pid: worker?.process.pid })
    if (isRunning) return false
    if (madeKeys) announcing = member
    isRunning = members.every(({ isReady }) => isReady)
    if (isRunning) running.resolve(announcing)
    return (await running.promise) === member
  }

  const failed = (text: string) => {
    if (isRunning) printEnd(text)
    else stopAll(1, () => printEnd(text))
  }

  const ended = (member: Member, reason: string) => {
    const { slot, worker } = member
    member.channel?.close()
    leftFigures = mergeFigures([leftFigures, keepTotals(member.figures)])
    member.figures = ""
    if (stop !== undefined) return exitWhenAllHave()
    const message = `The process ${slot.name} has ended (${reason})`
    if (!isRunning) return stopAll(1, () => log("FATAL", `${message} before it was ready`))
    member.ends += 1
    const { earlyEnds, milliseconds } = replacementPause(member.earlyEnds, monotonic() - member.startedAt)
    member.earlyEnds = earlyEnds
    log(
      "WARN",
      `${message}; another one is started ${milliseconds === 0 ? "at once" : `in ${milliseconds / 1000} seconds`}`,
      {
        process: slot.name,
        pid: worker?.process.pid
      }
    )
    setTimeout(() => stop === undefined && start(member), milliseconds)
  }

  /** Kills a process that was serving and no longer responds: the kernel would go on giving it connections. */
  const checkHeartbeat = async (member: Member) => {
    const { channel, isReady, slot, worker } = member
    if (!isReady || stop !== undefined || !isLiving(member)) return
    member.missedHeartbeats += 1
    if (member.missedHeartbeats === MISSED_HEARTBEATS + 1) {
      const message = `The process ${slot.name} has not responded for ${MISSED_HEARTBEATS} seconds and is killed`
      log("WARN", message, { process: slot.name, pid: worker!.process.pid })
      worker!.process.kill("SIGKILL")
    }
    await channel!.ask("alive")
    if (member.channel === channel) member.missedHeartbeats = 0
  }

  const start = (member: Member) => {
    const { slot } = member
    cluster.setupPrimary({ args: [...slotArguments(slot)] })
    const worker = cluster.fork({ EDP_ROLE: slot.role, EDP_ROLE_FILE: "" })
    // A message to a process that is ending is lost, as the process is.
    worker.on("error", () => {})
    worker.on("exit", (code, signal) => ended(member, signal ?? `exit code ${code}`))
    const channel = openChannel(
      {
        send: (message) => worker.isConnected() && worker.send(message, () => {}),
        onMessage: (listen) => worker.on("message", listen)
      },
      { count, failed, figures, ready: (madeKeys: boolean) => ready(member, madeKeys) }
    )
    Object.assign(member, { worker, channel, startedAt: monotonic(), isReady: false, missedHeartbeats: 0 })
  }

  watchEventLoop()
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => stopAll(0, () => log("INFO", `The Energy Device Platform has stopped after ${signal}`)))
  }
  // When the reader of the log is gone, these streams fail, and that cannot be logged.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
  for (const member of members) start(member)
  setInterval(() => void members.map(checkHeartbeat), HEARTBEAT_MS)
}

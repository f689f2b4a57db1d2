import { hostname } from "node:os"
import { streamRecords } from "@edp/domain/client/streamRecords"
import type { Destination } from "@edp/domain/destinations/Destination"
import { type EventType, eventTypes } from "@edp/domain/events/EventType"
import { Effect, Stream } from "effect"
import { Connection } from "../../kernel/Connection.ts"
import { describeFailure } from "../../kernel/CliFailure.ts"
import { Output } from "../../kernel/Output.ts"
import { type Position } from "../../kernel/paging.ts"

/** Time limit for removing the destination at the end. */
const REMOVAL_TIMEOUT = "5 seconds"
const ofListener = /^edp listen \((.+), process (\d+)\)$/u

const makeLabel = (pid: number) => `edp listen (${hostname()}, process ${pid})`

/** The process id in the label of a destination that `edp listen` created on this machine. */
const parseOwner = ({ label }: Destination): number | undefined => {
  const [, host, pid] = ofListener.exec(label ?? "") ?? []
  return host === hostname() ? Number(pid) : undefined
}

const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // EPERM: the process runs as another user.
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}

const parseOrigin = ({ url }: Destination) => (url !== null && URL.canParse(url) ? new URL(url).origin : undefined)

const ofThisMachine = Effect.gen(function* () {
  const list = yield* (yield* Connection).endpoint("destinations", "list")
  const all = yield* Stream.runCollect(
    streamRecords((position: Position) => list({ query: { destinationType: ["WEBHOOK"], ...position } }))
  )
  return all.filter((destination) => parseOwner(destination) !== undefined)
})

/** Destinations of running `edp listen` processes on this machine. */
export const runningListeners = Effect.map(ofThisMachine, (destinations) =>
  destinations.filter((destination) => isRunning(parseOwner(destination)!))
)

const remove = Effect.fnUntraced(function* (id: string) {
  const call = yield* (yield* Connection).endpoint("destinations", "remove", { retries: 0 })
  yield* call({ params: { id }, query: {} })
})

const removeAtEnd = (id: string) =>
  remove(id).pipe(
    Effect.timeout(REMOVAL_TIMEOUT),
    Effect.catch((error) =>
      Effect.flatMap(Output, ({ note }) =>
        note(`The destination ${id} still exists (${describeFailure(error).code}): the next start removes it`)
      )
    )
  )

/**
 * A destination that leads to this listener until the scope ends. The destination of a killed listener of this machine is
 * reused with its secret; others are removed. Returns the secret.
 */
export const ownDestination = Effect.fn("listen.destination")(function* (url: string, types: ReadonlyArray<EventType>) {
  const connection = yield* Connection
  const { origin } = new URL(url)
  // They lead to this listener's address, or their process has ended.
  const left = (yield* ofThisMachine).filter((one) => parseOrigin(one) === origin || !isRunning(parseOwner(one)!))
  const settings = { label: makeLabel(process.pid), url, eventTypes: types.length === 0 ? eventTypes : types }
  const usable = left.filter(({ deactivated }) => deactivated !== true)
  const again = usable.find((one) => parseOrigin(one) === origin) ?? usable[0]
  yield* Effect.forEach(
    left.filter((one) => one !== again),
    ({ id }) => Effect.ignore(remove(id)),
    { discard: true }
  )
  const take = Effect.gen(function* () {
    if (again === undefined) {
      return yield* (yield* connection.endpoint("destinations", "create"))({
        query: {},
        payload: { destinationType: "WEBHOOK", ...settings }
      })
    }
    const call = yield* connection.endpoint("destinations", "update")
    return yield* call({ params: { id: again.id }, query: {}, payload: settings })
  })
  const { id, secret } = yield* Effect.acquireRelease(take, ({ id }) => removeAtEnd(id))
  return { id, secret: secret! }
})

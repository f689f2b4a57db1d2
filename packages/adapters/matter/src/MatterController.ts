import { Effect, Redacted, type Scope } from "effect"
import type { AdapterError } from "@edp/adapter-kit/AdapterError"
import type { AdapterHost } from "@edp/adapter-kit/AdapterHost"
import { wrongValue } from "@edp/adapter-kit/broker/brokerForm"
import { type Arrivals, makeArrivals } from "@edp/adapter-kit/broker/arrivals"
import type { ClientNode, Endpoint, MemoryStorageDriver, ServerNode } from "@matter/main"
import { WRONG_CODE } from "./connectForm.ts"
import type { Endpoints } from "./endpoints.ts"
import { readEndpoints } from "./readEndpoints.ts"
import { callFailure, pairingFailure, removed, startFailure } from "./matterFailures.ts"
import { loadLibrary, type MatterLibrary } from "./MatterLibrary.ts"
import type { MatterCall } from "./planCalls.ts"

/** The name under which devices list the platform. */
const FABRIC_LABEL = "Energy Device Platform"
/** The controller starts within these seconds, also where the library is read from a slow disk. */
const START_LIMIT = 60
/** A device in pairing mode announces itself within seconds. The page waits for a minute. */
const SEARCH_LIMIT = 30
const PAIRING_LIMIT = 50
/** Seconds for a call, with a new session to a device. */
const CALL_LIMIT = 20
const CLOSE_LIMIT = 5

/** A controller of one node over a fabric of its own, which it may call and which reports to it. */
export interface MatterController {
  /** The fabric with its keys and the address of the node, as JSON. */
  readonly fabric: () => Redacted.Redacted
  readonly endpoints: () => Endpoints
  /** Whether the node reports to this controller now. */
  readonly isActive: () => boolean
  readonly arrivals: Arrivals
  readonly call: (call: MatterCall) => Effect.Effect<void, AdapterError>
  /** Removes the platform from the node. */
  readonly leave: Effect.Effect<void, AdapterError>
  /** Fails once the node has removed the platform, or the library fails. */
  readonly ended: Effect.Effect<never, AdapterError>
}

export interface ControllerOptions {
  /** Seconds within which the node sends something, by which its loss is noticed. */
  readonly keepAlive: number
}

interface Started {
  readonly library: MatterLibrary
  readonly node: ServerNode
  readonly driver: MemoryStorageDriver
}

/** The parts of the storage that a restart needs; the others are caches. */
const isKept = (context: string) => /^(?:certificates|fabrics|nodes\.[^.]+\.endpoints\.0\.commissioning)$/.test(context)

const startNode = async (stored: Redacted.Redacted | null): Promise<Started> => {
  const library = await loadLibrary()
  const { main, node: modules, protocol } = library
  const environment = new main.Environment("edp", main.Environment.default)
  const contents = stored === null ? {} : (main.fromJson(Redacted.value(stored)) as MemoryStorageDriver["data"])
  const driver = new main.MemoryStorageDriver(contents)
  const storage = new main.StorageService(environment)
  storage.registerDriver({
    id: "account",
    create: () => {
      if (!driver.initialized) driver.initialize()
      return driver
    }
  })
  storage.defaultDriver = "account"
  environment.set(main.StorageService, storage)
  try {
    const node = await main.ServerNode.create(main.ServerNode.RootEndpoint.with(modules.ControllerBehavior), {
      id: "edp",
      environment,
      network: { port: 0 },
      controller: { adminFabricLabel: FABRIC_LABEL, ble: false },
      commissioning: { enabled: false }
    })
    return { library, node: node as unknown as ServerNode, driver }
  } catch (error) {
    // All controllers share one socket for multicast DNS. One that could not be opened is opened anew by the next.
    if (main.Environment.default.has(protocol.MdnsService)) main.Environment.default.delete(protocol.MdnsService)
    throw error
  }
}

/** Runs a call of the library, whose exceptions in callbacks fail it instead of the process. */
const run = <A>(
  host: Pick<AdapterHost, "contained">,
  owner: object,
  seconds: number,
  failure: (error: unknown) => AdapterError,
  call: () => PromiseLike<A> | A
): Effect.Effect<A, AdapterError> =>
  host
    .contained<A, AdapterError>(
      owner,
      (resume) => {
        void (async () => call())().then(
          (value) => resume(Effect.succeed(value)),
          (error: unknown) => resume(Effect.fail(failure(error)))
        )
      },
      (error) => Effect.fail(failure(error))
    )
    .pipe(
      Effect.timeoutOrElse({
        duration: `${seconds} seconds`,
        orElse: () => Effect.fail(failure(new Error(`No response within ${seconds} seconds`)))
      })
    )

const create = (host: Pick<AdapterHost, "contained">, owner: object, fabric: Redacted.Redacted | null) =>
  Effect.acquireRelease(
    run(host, owner, START_LIMIT, startFailure, () => startNode(fabric)),
    ({ node }) => Effect.ignore(run(host, owner, CLOSE_LIMIT, callFailure, () => node.close()))
  )

const follow = Effect.fnUntraced(function* (
  host: Pick<AdapterHost, "contained">,
  owner: object,
  { driver, library }: Started,
  peer: ClientNode,
  { keepAlive }: ControllerOptions
): Effect.fn.Return<MatterController, AdapterError> {
  const { main, node: modules } = library
  const arrivals = makeArrivals()
  let isActive = false
  const call = <A>(use: () => PromiseLike<A> | A) => run(host, owner, CALL_LIMIT, callFailure, use)
  let cached: { readonly count: number; readonly endpoints: Endpoints } | undefined

  const events = peer.eventsOf(modules.NetworkClient)
  events.subscriptionStatusChanged.on((active) => {
    isActive = active
    arrivals.add()
  })
  events.subscriptionAlive.on(() => arrivals.add())
  yield* call(() =>
    peer.setStateOf(modules.NetworkClient, {
      defaultSubscription: {
        keepSubscriptions: false,
        minIntervalFloor: main.Seconds(1),
        maxIntervalCeiling: main.Seconds(keepAlive)
      },
      autoSubscribe: true
    })
  )

  const find = (number: number): Endpoint => {
    const found = [...peer.endpoints].find((one) => one.number === number)
    if (found === undefined) throw new Error(`The device has no endpoint ${number}`)
    return found
  }

  return {
    fabric: () =>
      Redacted.make(
        main.toJson(Object.fromEntries(Object.entries(driver.data).filter(([context]) => isKept(context))))
      ),
    endpoints: () => {
      if (cached?.count !== arrivals.count() || cached.endpoints.size === 0) {
        cached = { count: arrivals.count(), endpoints: readEndpoints(peer) }
      }
      return cached.endpoints
    },
    isActive: () => isActive,
    arrivals,
    call: (planned) =>
      call(async () => {
        const endpoint = find(planned.endpoint)
        if ("write" in planned) await endpoint.setStateOf(planned.cluster, planned.write)
        else await endpoint.commandsOf(planned.cluster)[planned.invoke]!(planned.fields as never)
      }),
    leave: call(() => peer.decommission()),
    ended: host.contained<never, AdapterError>(
      owner,
      (resume) => {
        const fail = () => resume(Effect.fail(removed()))
        if (!peer.lifecycle.isCommissioned) return fail()
        peer.lifecycle.decommissioned.on(fail)
        return Effect.sync(() => void peer.lifecycle.decommissioned.off(fail))
      },
      (error) => Effect.fail(callFailure(error))
    )
  }
})

/** Starts the controller of a paired node. It goes on searching for a node that does not respond. */
export const openController = Effect.fnUntraced(function* (
  host: Pick<AdapterHost, "contained">,
  fabric: Redacted.Redacted,
  options: ControllerOptions
): Effect.fn.Return<MatterController, AdapterError, Scope.Scope> {
  const owner = {}
  const started = yield* create(host, owner, fabric)
  const [peer] = [...started.node.peers]
  if (peer === undefined) return yield* removed()
  const controller = yield* follow(host, owner, started, peer, options)
  yield* run(host, owner, START_LIMIT, startFailure, () => started.node.start())
  return controller
})

/** Pairs a node with a new fabric. */
export const pairNode = Effect.fnUntraced(function* (
  host: Pick<AdapterHost, "contained">,
  code: Redacted.Redacted,
  options: ControllerOptions
): Effect.fn.Return<MatterController, AdapterError, Scope.Scope> {
  const owner = {}
  const started = yield* create(host, owner, null)
  yield* run(host, owner, START_LIMIT, startFailure, () => started.node.start())
  const { main, types } = started.library
  const wanted = yield* Effect.try({
    try: () => {
      const text = Redacted.value(code)
      if (!text.startsWith("MT:")) {
        // Given the code itself, the library would try its passcode at every device in pairing mode.
        const { passcode, shortDiscriminator } = types.ManualPairingCodeCodec.decode(text)
        return { passcode, shortDiscriminator: shortDiscriminator! }
      }
      const [first] = types.QrPairingCodeCodec.decode(text)
      return { passcode: first!.passcode, discriminator: first!.discriminator }
    },
    catch: () => wrongValue(`${WRONG_CODE}. This one has a wrong digit`)
  })
  const peer = yield* run(host, owner, PAIRING_LIMIT, pairingFailure, () =>
    started.node.peers.commission({ ...wanted, timeout: main.Seconds(SEARCH_LIMIT) })
  )
  return yield* follow(host, owner, started, peer, options)
})

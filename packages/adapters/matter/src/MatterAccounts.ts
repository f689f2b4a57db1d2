import { randomUUID } from "node:crypto"
import { Clock, Effect, RcMap, Redacted, Schema, type Scope } from "effect"
import { isForcedMode } from "@edp/domain/commands/commandInputs"
import { confirmByState } from "@edp/domain/commands/confirmByState"
import type { Account, AccountReport } from "@edp/adapter-kit/Account"
import { AdapterError } from "@edp/adapter-kit/AdapterError"
import type { AdapterHost } from "@edp/adapter-kit/AdapterHost"
import { wrongValue } from "@edp/adapter-kit/broker/brokerForm"
import type { AdapterInstance } from "@edp/adapter-kit/ManufacturerAdapter"
import { type ConnectForm, fields, readForm } from "./connectForm.ts"
import { describeNode, nodeIdentity, nodeName } from "./describeNode.ts"
import { type MatterController, openController, pairNode } from "./MatterController.ts"
import { makeCommands } from "./MatterCommands.ts"
import { makeHolders } from "./ControllerHolders.ts"
import { discovered, lost, makeReadings, manufacturerDeviceId, type ReportPace } from "./readings.ts"

export const Credentials = Schema.Struct({
  /** Unique for a pairing. */
  id: Schema.String,
  /** The fabric with its keys, by which the platform calls the node. */
  fabric: Schema.RedactedFromValue(Schema.String),
  /** The identity of the node, as it says itself. */
  identity: Schema.String,
  batteryCapacity: Schema.NullOr(Schema.Number)
})
export type Credentials = typeof Credentials.Type

/** Changes are collected for this many milliseconds before they are processed, so that a burst costs little. */
const COLLECT = 500
/** The longest pause of an idle connection, in milliseconds. */
const LONGEST_PAUSE = 60_000
/**
 * Seconds for which a controller that nobody uses stays open, such as between the form and the list of devices. It is closed before it
 * notices that another instance follows the node by now.
 */
const KEEP_OPEN = 15
/** Seconds within which a node that is there reports to a controller that has just started. */
const REPORTS_WITHIN = 25

const Memory = Schema.Struct({ devices: Schema.Array(Schema.String) })

/** The way to a controller: the code of a new node, or the fabric of a paired one. */
type Opening = { readonly pair: ConnectForm } | { readonly fabric: Redacted.Redacted }

export interface AccountOptions extends ReportPace {
  /** Seconds within which a node sends something, by which its loss is noticed. */
  readonly keepAlive: number
}

/** The accounts of paired Matter nodes: their form, their devices and readings, and the commands to them. */
export const makeAccounts = Effect.fnUntraced(function* (
  host: AdapterHost,
  options: AccountOptions
): Effect.fn.Return<AdapterInstance<Credentials>, never, Scope.Scope> {
  const holders = makeHolders(host)
  /** By the id of a pairing. */
  const openings = new Map<string, Opening>()
  const controllers = yield* RcMap.make({
    lookup: (id: string) =>
      Effect.suspend(() => {
        const opening = openings.get(id)
        openings.delete(id)
        if (opening === undefined) return Effect.die(new Error("A controller needs its fabric"))
        return "pair" in opening
          ? pairNode(host, opening.pair.code, options)
          : openController(host, opening.fabric, options)
      }),
    idleTimeToLive: `${KEEP_OPEN} seconds`
  })

  /** The controller of a pairing, which all that use it share. One that fails is opened anew by the next. */
  const use = (id: string, opening: Opening): Effect.Effect<MatterController, AdapterError, Scope.Scope> =>
    Effect.suspend(() => {
      openings.set(id, opening)
      return Effect.map(RcMap.get(controllers, id), (controller) => {
        openings.delete(id)
        return controller
      })
    })

  const open = ({ fabric, id }: Credentials) => use(id, { fabric })

  /** Waits until the node reports, so that its attributes are those of now. */
  const awaitActive = (controller: MatterController, seconds: number): Effect.Effect<boolean, AdapterError> =>
    Effect.gen(function* () {
      for (;;) {
        const count = controller.arrivals.count()
        if (controller.isActive()) return true
        yield* controller.arrivals.moreThan(count)
      }
    }).pipe(
      Effect.raceFirst(controller.ended),
      Effect.timeoutOrElse({ duration: `${seconds} seconds`, orElse: () => Effect.succeed(false) })
    )

  const withActive = <A>(
    { credentials }: Pick<Account<Credentials>, "credentials">,
    work: (controller: MatterController) => Effect.Effect<A, AdapterError>
  ): Effect.Effect<A, AdapterError> =>
    Effect.gen(function* () {
      yield* holders.refuseElsewhere(credentials.id)
      const controller = yield* open(credentials)
      if (!(yield* awaitActive(controller, REPORTS_WITHIN))) {
        return yield* AdapterError.of("unreachable", "The device does not respond in the network of the platform")
      }
      return yield* work(controller)
    }).pipe(Effect.scoped)

  const view = (controller: MatterController, { batteryCapacity }: Credentials) => {
    const endpoints = controller.endpoints()
    return { endpoints, devices: describeNode(endpoints, batteryCapacity), isActive: controller.isActive() }
  }

  const listDevices = (controller: MatterController, credentials: Credentials) => {
    const { devices, endpoints } = view(controller, credentials)
    return devices.map((device) => discovered(credentials.identity, device, endpoints))
  }

  const follow = Effect.fnUntraced(function* (
    { credentials, memory }: Account<Credentials>,
    controller: MatterController,
    report: (report: AccountReport) => Effect.Effect<void>
  ) {
    const read = makeReadings(credentials.identity, options)
    let listed = ""
    if (!(yield* awaitActive(controller, REPORTS_WITHIN))) {
      // Since the start nothing is known of the node but what its last report said.
      const now = yield* Clock.currentTimeMillis
      const known = Schema.is(Memory)(memory) ? memory.devices : []
      const observations = known.map((id) => lost(id, now))
      if (known.length > 0) yield* report({ observations, alerts: [], devices: null, activity: "normal" })
      while (!(yield* awaitActive(controller, LONGEST_PAUSE / 1000)));
    }
    for (;;) {
      const count = controller.arrivals.count()
      const now = yield* Clock.currentTimeMillis
      const { nextAt, observations } = read(view(controller, credentials), now)
      const devices = listDevices(controller, credentials)
      // A node that does not respond has no list to compare.
      const isChanged = controller.isActive() && JSON.stringify(devices) !== listed
      if (isChanged || observations.length > 0) {
        if (isChanged) listed = JSON.stringify(devices)
        yield* report({
          observations,
          alerts: [],
          devices: isChanged ? devices : null,
          activity: "normal",
          ...(isChanged && { memory: { devices: devices.map((one) => one.manufacturerDeviceId) } })
        })
        continue
      }
      yield* Effect.raceFirst(
        controller.arrivals.moreThan(count),
        Effect.sleep(Math.max(0, Math.min(nextAt - now, LONGEST_PAUSE)))
      )
      yield* Effect.sleep(COLLECT)
    }
  })

  const { restore, send } = makeCommands((controller, credentials: Credentials, id) => {
    const { devices, endpoints } = view(controller, credentials)
    const device = devices.find((one) => manufacturerDeviceId(credentials.identity, one) === id)
    return device === undefined ? undefined : { device, endpoints }
  })

  const pair = Effect.fnUntraced(function* (form: ConnectForm) {
    const id = randomUUID()
    const controller = yield* use(id, { pair: form })
    const endpoints = controller.endpoints()
    if (describeNode(endpoints, form.batteryCapacity).length === 0) {
      yield* Effect.ignore(controller.leave)
      return yield* wrongValue(
        "The device responds, but it is no charging station, water heater, thermostat, battery, solar inverter or meter"
      )
    }
    const identity = nodeIdentity(endpoints) ?? `node-${id}`
    return {
      externalId: identity,
      name: nodeName(endpoints).slice(0, 100),
      credentials: { id, fabric: controller.fabric(), identity, batteryCapacity: form.batteryCapacity },
      expiresAt: null
    }
  })

  return {
    authorization: {
      kind: "form",
      fields,
      connect: (values) => Effect.flatMap(readForm(values), (form) => Effect.scoped(pair(form)))
    },
    discoverDevices: (account) =>
      withActive(account, (controller) => Effect.succeed(listDevices(controller, account.credentials))),
    subscribe: (account, report) =>
      Effect.gen(function* () {
        yield* holders.hold(account.credentials.id)
        const controller = yield* open(account.credentials)
        return yield* Effect.raceFirst(follow(account, controller, report), controller.ended).pipe(
          // The library may be left in any state: the next attempt starts a new controller.
          Effect.tapError(() => RcMap.invalidate(controllers, account.credentials.id))
        )
      }).pipe(Effect.scoped),
    sendCommand: (account, request) =>
      withActive(account, (controller) =>
        send(
          controller,
          account.credentials,
          request,
          isForcedMode(request.type, request.input, request.revertAfter) ? request : undefined
        )
      ),
    restore: (account, request) =>
      withActive(account, (controller) => restore(controller, account.credentials, request)),
    confirms: ({ input, type }, { state }, before) => confirmByState(type, input, state, before),
    revoke: (account) => withActive(account, (controller) => controller.leave)
  }
})

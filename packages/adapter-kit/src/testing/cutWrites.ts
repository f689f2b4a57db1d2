import type { Account, LinkedDevice } from "../Account.ts"
import type { AdapterError } from "../AdapterError.ts"
import type { AdapterInstance, CommandRequest, CommandResult } from "../ManufacturerAdapter.ts"
import { deepEqual, equal, notDeepEqual } from "node:assert/strict"
import { Effect, Exit, Fiber, References, Scope } from "effect"

export interface ForcedStep {
  readonly type: CommandRequest["type"]
  readonly input: CommandRequest["input"]
  readonly revertAfter?: number
}

/** The device's side, whose writes can be cut off. */
export interface CuttableDevice {
  /** An adapter's process, until its scope is closed. */
  readonly start: Effect.Effect<
    { readonly instance: AdapterInstance<any>; readonly account: Account<any>; readonly device: LinkedDevice },
    AdapterError,
    Scope.Scope
  >
  /** Resolves when the connection has been cut at a write, counted from now on: before it arrived, or after that. */
  readonly cutAt: (write: number, arrives: boolean) => Promise<void>
  /** Everything that a command may change. */
  readonly settings: () => Promise<unknown>
}

/** The platform's record of a device, which outlives a process. */
interface Stored {
  snapshot: unknown
  saves: number
}

const quiet = <A, E>(effect: Effect.Effect<A, E>) => Effect.provideService(effect, References.MinimumLogLevel, "Fatal")

/** The moment at which the process dies. */
interface Cut {
  readonly reached: Promise<void>
  readonly isReached: () => boolean
}

/** Runs a call of the adapter in a process of its own. A cut kills the process. Undefined: it was killed. */
const inProcess = async <A>(
  device: CuttableDevice,
  cut: Cut | undefined,
  call: (process: Effect.Success<CuttableDevice["start"]>) => Effect.Effect<A, AdapterError>
): Promise<A | undefined> => {
  const scope = Scope.makeUnsafe()
  const process = await Effect.runPromise(quiet(Effect.provideService(device.start, Scope.Scope, scope)))
  const fiber = Effect.runFork(quiet(call(process)))
  const killed = cut?.reached.then(() => Effect.runPromise(Fiber.interrupt(fiber)))
  const ended = Effect.runPromise(Fiber.await(fiber))
  const exit = await (killed === undefined ? ended : Promise.race([ended, killed.then(() => undefined)]))
  await Effect.runPromise(Scope.close(scope, Exit.void))
  if (exit === undefined || (Exit.isFailure(exit) && cut?.isReached() === true)) return undefined
  return Effect.runPromise(exit)
}

const send = (device: CuttableDevice, step: ForcedStep, id: string, stored: Stored, cut?: Cut) =>
  inProcess(device, cut, ({ account, device: linked, instance }) =>
    instance.sendCommand!(account, {
      id,
      device: linked,
      revertAfter: null,
      state: null,
      ...step,
      snapshot: stored.snapshot,
      takenSince: [],
      saveSnapshot: (snapshot) =>
        Effect.sync(() => {
          stored.snapshot = JSON.parse(JSON.stringify(snapshot))
          stored.saves += 1
        })
    })
  )

const restore = (device: CuttableDevice, { snapshot }: Stored, cut?: Cut) =>
  inProcess(device, cut, ({ account, device: linked, instance }) =>
    instance.restore!(account, { device: linked, snapshot, takenSince: [] })
  )

/**
 * Sends forced modes one over the other and restores what was before, in as many rounds as there are writes: in each, the process
 * dies at another one. After it the platform repeats the command with the same id, or gives up and restores; either way the
 * device ends up as it was. Returns the number of writes.
 */
export const dieAtEachWrite = async (device: CuttableDevice, steps: ReadonlyArray<ForcedStep>): Promise<number> => {
  const before = await device.settings()
  for (let write = 1; ; write++) {
    for (const arrives of [false, true]) {
      const goesOn = arrives === (write % 2 === 0)
      const what = `cut at write ${write}, which ${arrives ? "arrives" : "is lost"}; ${goesOn ? "sent again" : "given up"}`
      const stored: Stored = { snapshot: null, saves: 0 }
      let isReached = false
      const reached = device.cutAt(write, arrives).then(() => void (isReached = true))
      const cut: Cut = { reached, isReached: () => isReached }
      /** Whether the call was answered, the second one if the first was cut. */
      const dying = async (call: (cut?: Cut) => Promise<CommandResult | undefined>) => {
        const result = isReached ? await call() : await call(cut)
        if (result === undefined && goesOn) await call()
        return result !== undefined || goesOn
      }
      let isSent = true
      for (const [n, step] of steps.entries()) {
        if (isSent) isSent = await dying((cut) => send(device, step, `command-${write}-${arrives}-${n}`, stored, cut))
      }
      equal(stored.saves, 1, what)
      if (isSent) notDeepEqual(await device.settings(), before, what)
      // Restored settings may be restored again.
      for (let repetition = 0; repetition < 2; repetition++) {
        if (!(await dying((cut) => restore(device, stored, cut)))) await restore(device, stored)
        deepEqual(await device.settings(), before, what)
      }
      if (!isReached) return write - 1
    }
  }
}

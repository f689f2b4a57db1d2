import { Data, Effect, type Fiber, Random } from "effect"

/** Another page took the lock over. */
export class LockLost extends Data.TaggedError("LockLost")<{}> {}

/** The browser gives this page no locks. */
export class NoLocks extends Data.TaggedError("NoLocks")<{}> {}

interface LockOptions<A, E> {
  /** Any one of these locks will do. */
  readonly names: ReadonlyArray<string>
  /** Runs while the page holds the lock. */
  readonly use: Effect.Effect<A, E>
  /** When it completes before the lock is granted, the lock is taken over from its holder. */
  readonly untilSteal: Effect.Effect<void>
  /** The page is being left: the lock is released at once. */
  readonly closing: AbortSignal
}

/** Whether pages of this origin can have locks: only over https and on this machine. */
export const hasLocks = () => typeof BroadcastChannel !== "undefined" && globalThis.navigator?.locks !== undefined

const isAbort = (error: unknown) => error instanceof Error && error.name === "AbortError"

/** Runs something under a lock that one page of the browser holds at a time. The browser releases the lock of a page that is gone. */
export const withLock = <A, E>(options: LockOptions<A, E>): Effect.Effect<A, E | LockLost | NoLocks> =>
  Effect.callback<A, E | LockLost | NoLocks>((resume) => {
    const { closing, names, untilSteal, use } = options
    const released = Promise.withResolvers<void>()
    const waiting = names.map((name) => ({ name, controller: new AbortController() }))
    let used: Fiber.Fiber<A, E> | undefined
    let isOver = false

    const end = () => {
      isOver = true
      closing.removeEventListener("abort", end)
      stealing.interruptUnsafe()
      used?.interruptUnsafe()
      for (const { controller } of waiting) controller.abort()
      released.resolve()
    }
    const hold = (granted: AbortController | undefined) => () => {
      if (isOver || used !== undefined) return undefined
      stealing.interruptUnsafe()
      for (const { controller } of waiting) if (controller !== granted) controller.abort()
      used = Effect.runFork(use)
      used.addObserver((exit) => {
        if (isOver) return
        end()
        resume(exit)
      })
      return released.promise
    }
    const request = (name: string, controller?: AbortController) => {
      const how = controller === undefined ? { steal: true } : { signal: controller.signal }
      navigator.locks.request(name, how, hold(controller)).catch((error: unknown) => {
        if (isOver || controller?.signal.aborted === true) return
        end()
        resume(Effect.fail(isAbort(error) ? new LockLost() : new NoLocks()))
      })
    }
    const steal = Effect.map(Random.nextIntBetween(0, names.length), (index) => request(names[index] ?? names[0]!))
    const stealing = Effect.runFork(Effect.andThen(untilSteal, steal))
    closing.addEventListener("abort", end)
    if (closing.aborted) end()
    else for (const { name, controller } of waiting) request(name, controller)
    return Effect.sync(end)
  })

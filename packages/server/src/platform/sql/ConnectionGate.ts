import { Effect, type Scope } from "effect"
import { SqlError } from "effect/sql"
import type { ConnectionUse } from "./connectionUse.ts"

/** One visitor's place, held or not yet. */
interface Pass {
  held: boolean
}

/**
 * Lets so many in at once, the others in the order in which they came. (A semaphore would let those who come back at
 * once pass those who wait, who then might wait for ever.) Who has waited too long is turned away.
 */
export class ConnectionGate {
  readonly #places: number
  readonly #patience: number
  readonly #waiting = new Set<() => void>()
  #free: number

  /** The patience is in milliseconds. */
  constructor(places: number, patience: number) {
    this.#places = places
    this.#free = places
    this.#patience = patience
  }

  get use(): ConnectionUse {
    return { most: this.#places, inUse: this.#places - this.#free, waiting: this.#waiting.size }
  }

  /** Holds a place while the effect runs. */
  during<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> {
    return Effect.suspend(() => {
      const pass = { held: false }
      return Effect.ensuring(Effect.andThen(this.#enter(pass), effect), this.#leave(pass))
    })
  }

  /** Holds a place until the scope is closed. */
  readonly scoped: Effect.Effect<void, SqlError.SqlError, Scope.Scope> = Effect.suspend(() => {
    const pass = { held: false }
    return Effect.andThen(
      Effect.addFinalizer(() => this.#leave(pass)),
      this.#enter(pass)
    )
  })

  #enter(pass: Pass): Effect.Effect<void, SqlError.SqlError> {
    return Effect.suspend(() => {
      if (this.#free === 0) return this.#wait(pass)
      this.#free -= 1
      pass.held = true
      return Effect.void
    })
  }

  #leave(pass: Pass): Effect.Effect<void> {
    return Effect.sync(() => {
      if (!pass.held) return
      pass.held = false
      const [next] = this.#waiting
      if (next === undefined) this.#free += 1
      else next()
    })
  }

  #wait(pass: Pass): Effect.Effect<void, SqlError.SqlError> {
    return Effect.callback((resume) => {
      const stop = () => {
        clearTimeout(timer)
        this.#waiting.delete(admit)
      }
      const admit = () => {
        stop()
        pass.held = true
        resume(Effect.void)
      }
      const timer = setTimeout(() => {
        stop()
        resume(Effect.fail(noneFree(this.#patience)))
      }, this.#patience)
      this.#waiting.add(admit)
      return Effect.sync(stop)
    })
  }
}

const noneFree = (patience: number) => {
  const message = `no database connection became free within ${patience / 1000} seconds`
  return new SqlError.SqlError({
    reason: new SqlError.ConnectionError({ cause: new Error(message), message, operation: "acquire" })
  })
}

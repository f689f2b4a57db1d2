import { ConnectionGate } from "@edp/server/platform/sql/pooledClient"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"

const minute = 60_000

/** A gate with one place, which is taken until `finish`. */
const takenGate = (patience: number) =>
  Effect.gen(function* () {
    const gate = new ConnectionGate(1, patience)
    const finish = yield* Deferred.make<void>()
    const holder = yield* Effect.forkChild(gate.during(Deferred.await(finish)), { startImmediately: true })
    return { gate, finish: Effect.andThen(Deferred.succeed(finish, undefined), Fiber.join(holder)) }
  })

describe("the queue for connections", () => {
  it.live("admits waiting callers first come, first served, and returning callers after them", () =>
    Effect.gen(function* () {
      const { finish, gate } = yield* takenGate(minute)
      const order: Array<string> = []
      const visit = (name: string) =>
        gate.during(
          Effect.andThen(
            Effect.yieldNow,
            Effect.sync(() => order.push(name))
          )
        )
      const names = ["a", "b", "c", "d"]
      const visitors = yield* Effect.forEach(names, (name) =>
        Effect.forkChild(Effect.andThen(visit(name), visit(`${name} again`)), { startImmediately: true })
      )
      yield* finish
      yield* Effect.forEach(visitors, Fiber.join)
      assert.deepStrictEqual(order, [...names, ...names.map((name) => `${name} again`)])
    })
  )

  it.live("rejects a caller that has waited too long, and serves the next one", () =>
    Effect.gen(function* () {
      const { finish, gate } = yield* takenGate(20)
      const error = yield* Effect.flip(gate.during(Effect.void))
      assert.strictEqual(error.reason._tag, "ConnectionError")
      yield* finish
      yield* gate.during(Effect.void)
      yield* Effect.scoped(gate.scoped)
      yield* gate.during(Effect.void)
    })
  )

  it.live("removes a caller that stops waiting", () =>
    Effect.gen(function* () {
      const { finish, gate } = yield* takenGate(minute)
      const impatient = yield* Effect.forEach([1, 2, 3], () =>
        Effect.forkChild(gate.during(Effect.never), { startImmediately: true })
      )
      const patient = yield* Effect.forkChild(gate.during(Effect.succeed("in")), { startImmediately: true })
      yield* Fiber.interruptAll(impatient)
      yield* finish
      assert.strictEqual(yield* Fiber.join(patient), "in")
    })
  )

  it.live("frees a connection however its effect ends", () =>
    Effect.gen(function* () {
      const gate = new ConnectionGate(1, 20)
      yield* Effect.exit(gate.during(Effect.fail("failed")))
      yield* Effect.exit(gate.during(Effect.die("died")))
      const visit = yield* Effect.forkChild(gate.during(Effect.never), { startImmediately: true })
      yield* Fiber.interrupt(visit)
      assert.strictEqual(yield* gate.during(Effect.succeed("in")), "in")
    })
  )
})

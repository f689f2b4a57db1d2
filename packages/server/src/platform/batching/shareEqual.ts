import { type Context, Effect, type Exit, type Fiber } from "effect"
import { holdsTransaction } from "../sql/transaction.ts"

interface Lane<A> {
  readonly next: Array<(exit: Exit.Exit<A>) => void>
  /** Begins the question of who asked last. */
  ask: () => Fiber.Fiber<A>
}

/**
 * Shares the answer to a question that many ask at the same time. Who asks while it is being answered gets the next
 * answer, together with all who asked meanwhile: it was begun after they asked, so this is no cache. Inside a
 * transaction everybody asks for himself.
 */
export const shareEqual = <A>() => {
  const lanes = new Map<string, Lane<A>>()

  const begin = (name: string, ask: Lane<A>["ask"], asking: Lane<A>["next"]) => {
    const lane: Lane<A> = { next: [], ask }
    lanes.set(name, lane)
    ask().addObserver((exit) => {
      if (lane.next.length === 0) lanes.delete(name)
      else begin(name, lane.ask, lane.next)
      for (const tell of asking) tell(exit)
    })
  }

  const shared = (name: string, ask: Lane<A>["ask"]) =>
    Effect.callback<A>((resume) => {
      const lane = lanes.get(name)
      if (lane === undefined) return begin(name, ask, [resume])
      lane.ask = ask
      lane.next.push(resume)
      return Effect.sync(() => {
        const at = lane.next.indexOf(resume)
        if (at >= 0) lane.next.splice(at, 1)
      })
    })

  return <R>(name: string, question: Effect.Effect<A, never, R>): Effect.Effect<A, never, R> =>
    Effect.contextWith((context: Context.Context<R>) =>
      Effect.flatMap(holdsTransaction, (inside) =>
        inside ? question : shared(name, () => Effect.runForkWith(context)(question))
      )
    )
}

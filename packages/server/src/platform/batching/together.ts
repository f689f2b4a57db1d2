import { type Context, Effect, Exit } from "effect"
import { holdsTransaction } from "../sql/transaction.ts"

interface Waiting<Q, A> {
  readonly question: Q
  readonly context: Context.Context<never>
  readonly resume: (exit: Exit.Exit<A>) => void
}

interface Lane<Q, A> {
  readonly waiting: Array<Waiting<Q, A>>
  running: number
  isDue: boolean
}

/**
 * Answers questions of one kind together, so many in one go and so many goes at a time: what comes while these are under
 * way makes up the next. No question joins a go that began before it, so this is no cache. Inside a transaction everybody
 * asks alone. The answers come in the order of the questions.
 */
export const together = <Q, A>(
  answer: (questions: ReadonlyArray<Q>) => Effect.Effect<ReadonlyArray<A>>,
  { most, atOnce }: { readonly most: number; readonly atOnce: number }
) => {
  const lanes = new Map<string, Lane<Q, A>>()

  const go = (kind: string, lane: Lane<Q, A>) => {
    const batch = lane.waiting.splice(0, most)
    lane.running += 1
    const asked = answer(batch.map(({ question }) => question))
    Effect.runForkWith(batch[0]!.context)(asked).addObserver((exit) => {
      lane.running -= 1
      // The database works on the next ones while those who asked for these go on.
      next(kind, lane)
      for (const [place, { resume }] of batch.entries()) resume(Exit.map(exit, (answers) => answers[place]!))
    })
  }

  const next = (kind: string, lane: Lane<Q, A>) => {
    while (lane.running < atOnce && lane.waiting.length > 0) go(kind, lane)
    if (lane.running === 0 && !lane.isDue) lanes.delete(kind)
  }

  // What comes in the same turn of the event loop shares the first go, too.
  const enter = (kind: string, entry: Waiting<Q, A>) => {
    const lane = lanes.get(kind) ?? { waiting: [], running: 0, isDue: false }
    lanes.set(kind, lane)
    lane.waiting.push(entry)
    if (lane.isDue || lane.running >= atOnce) return lane
    lane.isDue = true
    setImmediate(() => {
      lane.isDue = false
      next(kind, lane)
    })
    return lane
  }

  const shared = (kind: string, question: Q) =>
    Effect.contextWith((context: Context.Context<never>) =>
      Effect.callback<A>((resume) => {
        const entry = { question, context, resume }
        const { waiting } = enter(kind, entry)
        return Effect.sync(() => {
          const at = waiting.indexOf(entry)
          if (at >= 0) waiting.splice(at, 1)
        })
      })
    )

  return (kind: string, question: Q): Effect.Effect<A> =>
    Effect.flatMap(holdsTransaction, (inside) =>
      inside ? Effect.map(answer([question]), ([only]) => only!) : shared(kind, question)
    )
}

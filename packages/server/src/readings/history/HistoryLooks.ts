import { Context, Effect, Layer } from "effect"
import { type HistoryPlan, historyPlan, type HistoryState } from "./historyPlan.ts"
import { HistoryPagesRepository, type Looked, type Wanted } from "./HistoryPagesRepository.ts"

/** Of so many devices it is remembered how they were when their history was last read. */
const REMEMBERED = 10_000

const ATTEMPTS = 3

/** What one statement told, by a plan that fits the state that it told too; the plan is undefined where there is nothing. */
export interface Seen {
  readonly looked: Looked
  readonly plan: HistoryPlan | undefined
}

const nothingKnown: HistoryState = { firstAt: null, lastAt: null, countedUntil: null }

const isSame = (one: HistoryPlan | undefined, other: HistoryPlan | undefined) =>
  JSON.stringify(one) === JSON.stringify(other)

const isUnchanged = (one: HistoryState, other: HistoryState) =>
  one.firstAt === other.firstAt && one.lastAt === other.lastAt && one.countedUntil === other.countedUntil

/**
 * Reads a device's history in one statement, which depends on how the device is: what was remembered of it is taken for
 * that, and the statement tells whether it still holds. Where it does not, the device is read again.
 */
export class HistoryLooks extends Context.Service<
  HistoryLooks,
  {
    /**
     * At most so many readings of each uncounted part go into the total; without a limit there is none. Answers undefined
     * where one statement can't tell, and null where there is no such device.
     */
    readonly look: (
      id: string,
      wanted: Wanted,
      countLimit: number | undefined
    ) => Effect.Effect<Seen | null | undefined>
  }
>()("@edp/server/HistoryLooks") {
  static readonly layer = Layer.effect(
    HistoryLooks,
    Effect.gen(function* () {
      const pages = yield* HistoryPagesRepository
      const remembered = new Map<string, HistoryState>()

      const remember = (id: string, { firstAt, lastAt, countedUntil }: Looked) => {
        remembered.delete(id)
        remembered.set(id, { firstAt, lastAt, countedUntil })
        if (remembered.size > REMEMBERED) remembered.delete(remembered.keys().next().value!)
      }

      return {
        look: Effect.fnUntraced(function* (id, wanted, countLimit) {
          // Pages further on may begin in any month.
          const months = wanted.offset === 0 ? 2 : 1
          const planFor = (state: HistoryState) => historyPlan(wanted.span, wanted.order, state, months)
          let state = remembered.get(id) ?? nothingKnown
          let plan = planFor(state)
          for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
            const looked = yield* pages.look(id, plan, wanted, countLimit)
            if (looked === null || looked === undefined) return looked
            remember(id, looked)
            if (isUnchanged(state, looked)) return { looked, plan }
            const fitting = planFor(looked)
            if (isSame(plan, fitting)) return { looked, plan }
            state = looked
            plan = fitting
          }
          return undefined
        })
      }
    })
  )
}

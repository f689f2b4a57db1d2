import type { ValuesMap } from "@edp/domain/openadr/values"
import type { Directive } from "./directives.ts"
import { type PlannedDispatch, type PlannedInterval, toDispatches } from "./dispatchPlan.ts"
import { type RankedEvent, governing } from "./governing.ts"

const DAY = 86_400_000

/** An event with what its payloads mean for devices. Times are in milliseconds since 1970. */
export interface PlannableEvent extends RankedEvent {
  readonly startsAt: number
  readonly directiveFor: (payloads: ReadonlyArray<ValuesMap>) => Directive | undefined
}

interface Wanted {
  readonly planned: ReadonlyArray<PlannedDispatch>
  readonly isGoverning: (eventId: string) => boolean
}

/** The dispatches of a program's events that begin up to a horizon from now. */
export const wantedDispatches = (events: ReadonlyArray<PlannableEvent>, now: number, horizon: number): Wanted => {
  // The day of an event that has begun counts as a whole, as it did when its dispatch was created.
  const segments = governing(events, now - DAY, now + horizon + DAY)
  const byEvent = Map.groupBy(segments, ({ eventId }) => eventId)
  const planned = events.flatMap(({ directiveFor, id, startsAt }) => {
    const parts = (byEvent.get(id) ?? []).flatMap(({ end, payloads, start }): ReadonlyArray<PlannedInterval> => {
      const directive = directiveFor(payloads)
      return directive === undefined ? [] : [{ start, end, directive }]
    })
    return toDispatches({ id, start: startsAt }, parts)
  })
  return {
    planned: planned.filter(({ intervals }) => intervals[0]!.start <= now + horizon),
    isGoverning: (eventId) => byEvent.has(eventId)
  }
}

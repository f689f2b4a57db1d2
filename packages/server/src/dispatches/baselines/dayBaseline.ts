import type { Span } from "../../energy/intervals.ts"
import type { DayNumber, DayType } from "./holidays.ts"
import { type Adjustment, findAdjustment, intervalMeans, toBaseline } from "./means.ts"
import {
  type DayMethod,
  type Event,
  LEAST_DAYS,
  type LeftOut,
  type MeasuredDay,
  type Unadjusted,
  isAdjusted,
  selectDays
} from "./selection.ts"
import { type Series, knownAmounts } from "./series.ts"

export interface DayBaselineQuestion {
  readonly method: DayMethod
  readonly parameters: { readonly x?: number; readonly y?: number; readonly adjustment?: boolean }
  readonly type: DayType
  /** The usable like days, the latest first. */
  readonly usable: ReadonlyArray<MeasuredDay>
  readonly event: Event
  readonly before: {
    readonly intervals: ReadonlyArray<Span>
    readonly measured: Series
    /** Why the adjustment can't be made. */
    readonly unadjusted: Unadjusted | undefined
  }
}

export interface DayBaseline {
  /** µWh of each interval; null where no day that counts has it. Undefined with too few usable days. */
  readonly amounts: ReadonlyArray<bigint | null> | undefined
  readonly used: ReadonlyArray<DayNumber>
  readonly leftOut: ReadonlyArray<LeftOut>
  readonly adjustment: Adjustment | undefined
  readonly unadjusted: Unadjusted | undefined
}

const findUnadjusted = ({ before, method, parameters }: DayBaselineQuestion): Unadjusted | undefined => {
  if (!isAdjusted(method)) return "method"
  return parameters.adjustment === false ? "not_requested" : before.unadjusted
}

/** The baseline of a part of a dispatch at a site: for each interval the mean of the days that the method chooses. */
export const dayBaseline = (question: DayBaselineQuestion): DayBaseline => {
  const { before, event, method, parameters, type, usable } = question
  const { leftOut, used } = selectDays(method, type, parameters, usable, event)
  const comparable = usable.length - leftOut.filter(({ reason }) => reason === "low_coverage").length
  if (comparable < LEAST_DAYS) {
    const unusable = leftOut.filter(({ reason }) => reason === "low_coverage")
    return { amounts: undefined, used: [], leftOut: unusable, adjustment: undefined, unadjusted: undefined }
  }
  const windowMeans = intervalMeans(
    used.map(({ window }) => knownAmounts(window, event.window)),
    event.window.length
  )
  const unadjusted = findUnadjusted(question)
  const adjustment =
    unadjusted === undefined
      ? findAdjustment(
          {
            intervals: before.intervals,
            actual: knownAmounts(before.measured, before.intervals),
            means: intervalMeans(
              used.map((day) => knownAmounts(day.before, before.intervals)),
              before.intervals.length
            )
          },
          windowMeans
        )
      : undefined
  return {
    amounts: toBaseline(windowMeans, event.window, adjustment),
    used: used.map(({ day }) => day),
    leftOut,
    adjustment,
    unadjusted: unadjusted ?? (adjustment === undefined ? "low_coverage" : undefined)
  }
}

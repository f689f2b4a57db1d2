import type { FleetDevice, FleetDevices, FleetFilters } from "@edp/domain/dashboard/Fleet"
import { Atom, type AsyncResult } from "effect/reactivity"
import { useCallback, useEffect, useMemo, useRef, useState } from "react"
import { useFollowedDevices } from "../../api/liveState.ts"
import { problemFromCause } from "../../api/problems.ts"
import { fleetWindowQuery, WINDOW_ROWS } from "../../resources/fleet.ts"
import { useAtomValue } from "../../state/atoms.ts"
import type { FleetSort } from "./filters.ts"
import { useQuietRefresh } from "./useQuietRefresh.ts"

/** A range of rows is read once scrolling has paused for this long, in milliseconds: a jump reads its end only. */
const PAUSE = 80

/** The rows in view are followed live once scrolling has paused for this long, in milliseconds: the stream begins anew for others. */
const LIVE_PAUSE = 1500

/** Windows that are kept while they are out of view. */
const KEPT = 60

const sameNumbers = (one: ReadonlyArray<number>, other: ReadonlyArray<number>) =>
  one.length === other.length && one.every((value, index) => value === other[index])

type Results = ReadonlyArray<AsyncResult.AsyncResult<FleetDevices, unknown>>

/** The windows that were read, the one that was read last at the end. */
interface Kept {
  readonly results: Results
  readonly windows: ReadonlyMap<number, ReadonlyArray<FleetDevice>>
  readonly total: number | undefined
}

const keepResults = (former: Kept, wanted: ReadonlyArray<number>, results: Results): Kept => {
  const windows = new Map(former.windows)
  let { total } = former
  for (const [index, result] of results.entries()) {
    if (result._tag !== "Success") continue
    windows.delete(wanted[index]!)
    windows.set(wanted[index]!, result.value.data)
    total = result.value.totalItems
  }
  for (const window of windows.keys()) {
    if (windows.size <= KEPT) break
    windows.delete(window)
  }
  return { results, windows, total }
}

/**
 * The rows of a list of any length, read in windows around the view. Windows that were read stay until they are read again, so that
 * scrolling back shows them at once.
 */
export const useWindows = (filters: FleetFilters, sort: FleetSort) => {
  const [wanted, setWanted] = useState<ReadonlyArray<number>>([0])
  const [kept, keep] = useState<Kept>({ results: [], windows: new Map(), total: undefined })
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const liveTimer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const [inView, setInView] = useState<readonly [first: number, last: number]>([0, 20])
  useEffect(
    () => () => {
      clearTimeout(timer.current)
      clearTimeout(liveTimer.current)
    },
    []
  )

  const queries = useMemo(
    () => wanted.map((window) => fleetWindowQuery(filters, sort, window)),
    [filters, sort, wanted]
  )
  const atom = useMemo(() => Atom.make((get) => queries.map((query) => get(query))), [queries])
  useQuietRefresh(queries)
  const results = useAtomValue(atom)
  if (results !== kept.results) keep(keepResults(kept, wanted, results))
  const failure = results.findLast((result) => result._tag === "Failure")
  const problem = failure && problemFromCause(failure.cause)

  const onRange = useCallback((first: number, last: number) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      const [from, to] = [Math.floor(first / WINDOW_ROWS), Math.floor(last / WINDOW_ROWS)]
      const next = Array.from({ length: to - from + 1 }, (_, index) => from + index)
      setWanted((former) => (sameNumbers(former, next) ? former : next))
    }, PAUSE)
    clearTimeout(liveTimer.current)
    liveTimer.current = setTimeout(() => setInView([first, last]), LIVE_PAUSE)
  }, [])

  const row = (index: number): FleetDevice | undefined =>
    kept.windows.get(Math.floor(index / WINDOW_ROWS))?.[index % WINDOW_ROWS]

  const [first, last] = inView
  useFollowedDevices(
    Array.from({ length: last - first + 1 }, (_, index) => row(first + index)?.id ?? "").filter(Boolean)
  )

  return { row, total: kept.total, onRange, problem }
}
